// Package job is the only door between the app and the runner: what is asked
// (Job), its progress (Event) and the answer (Report).
// Everything in it travels as JSON and is versioned; docs/report.schema.json
// describes the report and a test keeps the two equal.
package job

import (
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Version of the Job and Report wire format.
const Version = 3

// Job is one investigation: why do these tests fail, and how can they be fixed?
type Job struct {
	Version int `json:"version"`
	// Kind is what is asked; empty means KindFix.
	Kind Kind `json:"kind,omitempty"`
	// Dir is the checkout, absolute. It is read, never written.
	Dir string `json:"dir"`
	// Language is the one of the project's tests, such as "java" or "jest". Empty: the one that
	// recognises Dir.
	Language string `json:"language,omitempty"`
	// Module is the folder of a part of the build, relative to Dir, or the part's name in the build
	// ("groupId:artifactId"). Empty: the part that holds the tests.
	Module string `json:"module,omitempty"`
	// Tests are the failing tests as a person or a log names them. Empty: the failures in the last
	// run's reports.
	Tests []string `json:"tests,omitempty"`
	// Order is the order in which the failure was seen, if known.
	Order *ObservedOrder `json:"order,omitempty"`
	// Orders are exact orders to run, each in a process of its own (KindRun, instead of Order).
	Orders [][]string `json:"orders,omitempty"`
	// Budget is wall time for the whole job; zero means DefaultBudget.
	Budget time.Duration `json:"budget"`
	// BuildArgs are passed to the project's build tool as they are ("-Pfast", "-Dx=y").
	BuildArgs []string `json:"buildArgs,omitempty"`
	// Offline forbids the build tool the network.
	Offline bool `json:"offline,omitempty"`
	// Network lets the tests use the network, where whoever runs the job lets any job.
	Network bool `json:"network,omitempty"`
	// Runtime is the folder of the language's runtime to build and test with; empty: the
	// environment's.
	Runtime string `json:"runtime,omitempty"`
	// Env is more of the environment for the build and its tests ("NAME=value"), beyond what a
	// runner gets anyway.
	Env []string `json:"env,omitempty"`
	// Techniques are the kinds of patch that are wanted (Patch.Kind); empty: all but
	// FromReflection.
	Techniques []string `json:"techniques,omitempty"`
	// Out is a folder for logs and for what a person may paste; empty: none is kept.
	Out string `json:"out,omitempty"`
	// Work is where builds are kept between jobs; empty: the user's cache folder.
	Work string `json:"work,omitempty"`
	// Rerun is how many times each conclusion is confirmed in fresh processes; zero
	// leaves it to the runner: DefaultRerun, less where many tests confirm each other.
	Rerun int `json:"rerun,omitempty"`
	// FindAll asks for all polluters, state-setters and cleaners rather than the first handful.
	FindAll bool `json:"findAll,omitempty"`
	// Parallel is how many test processes may run at once; zero: one per core.
	Parallel int `json:"parallel,omitempty"`
	// TestTimeout is how long one test may take before it counts as hung; zero:
	// judged by how long the test was seen to take, a minute and a half where it was never seen or
	// is the first of its order, more where processes start more slowly than they did; and asked
	// again with more time before it is believed.
	TestTimeout time.Duration `json:"testTimeout,omitempty"`
	// Patch is a unified diff that is applied to the private copy before anything
	// is run (KindRun). Bytes, because sources are not always UTF-8.
	Patch []byte `json:"patch,omitempty"`
	// Observe asks for what the tests do with static state, too: the suite is run once, observed
	// (KindList).
	Observe bool `json:"observe,omitempty"`
	// Report holds the answer whose patches are to be proved again (KindVerify).
	Report *Report `json:"report,omitempty"`
	// Pollution says what is looked at (KindPollution).
	Pollution *PollutionOptions `json:"pollution,omitempty"`
	// Detect says how order-dependent tests are looked for (KindDetect).
	Detect *DetectOptions `json:"detect,omitempty"`
}

// Wants reports whether patches of that kind (Patch.Kind) are asked for.
func (j *Job) Wants(kind string) bool {
	if len(j.Techniques) == 0 {
		return kind != FromReflection
	}
	return slices.Contains(j.Techniques, kind)
}

// Kind is what a job asks.
type Kind string

// The kinds.
const (
	KindFix    Kind = "fix"    // diagnose the failing tests and repair them
	KindRun    Kind = "run"    // run Order.Tests (or each of Orders) once, exactly, in a fresh process; answer in Report.Runs
	KindVerify Kind = "verify" // prove the patches of Report again, from scratch
	KindDetect Kind = "detect" // run the module's tests in many orders; answer in Report.Detection and Report.Tests
	KindBuild  Kind = "build"  // build the module as for its tests, running none, so that all the build needs is there
	// KindPollution runs the suite once, observed, and reports what its tests leave changed; answer
	// in Report.Pollution.
	KindPollution Kind = "pollution"
	KindList      Kind = "list" // build the module and list its tests; answer in Report.Suite, and Report.Relation where Observe is set
)

// DefaultBudget and DefaultRerun hold where a job does not say otherwise.
const (
	DefaultBudget = 10 * time.Minute
	DefaultRerun  = 3
)

// ObservedOrder is an order that somebody saw. Tests have the names that its source gives them. The
// runner finds them in the suite; the name of a group stands for its tests in their own order.
type ObservedOrder struct {
	Provenance suite.Provenance `json:"provenance"`
	Source     string           `json:"source"` // "order file f.txt", "surefire reports in target/…", "log ci.txt"
	Tests      []string         `json:"tests"`
	// Failed are the tests the same source says failed.
	Failed []string `json:"failed,omitempty"`
	// Notes are what a person should know of the source: left out, cut short, contradictory.
	Notes []string `json:"notes,omitempty"`
}

// Event is one line of progress.
type Event struct {
	Time    time.Time    `json:"time"`
	Phase   string       `json:"phase"`             // one of the Phase constants
	Message string       `json:"message,omitempty"` // a sentence for people
	Test    suite.TestID `json:"test,omitempty"`    // the failing test this is about
	Done    int          `json:"done"`              // questions answered so far
	Total   int          `json:"total,omitempty"`   // an estimate, where there is one
	Best    string       `json:"best,omitempty"`    // best result so far, in words
}

// Beat is how often a runner gives a sign of life: a message {"alive":true}.
const Beat = 5 * time.Second

// The phases of a job, in order.
const (
	PhaseBuild    = "build"
	PhaseDiscover = "discover"
	PhaseDetect   = "detect"
	PhaseDiagnose = "diagnose"
	PhaseRepair   = "repair"
	PhaseProve    = "prove"
	// PhaseReproduce looks for a plain command that reproduces the failure.
	PhaseReproduce = "reproduce"
)
