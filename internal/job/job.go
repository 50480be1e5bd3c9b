// Package job holds the only types that pass between the app and the runner: the request (Job), its
// progress (Event) and the result (Report). They are sent as JSON and have a version.
// docs/report.schema.json describes the report, and a test keeps the two equal.
package job

import (
	"slices"
	"time"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// Version of the Job and Report wire format.
const Version = 3

// Job is one investigation: why do these tests fail, and how can they be fixed?
type Job struct {
	Version int `json:"version"`
	// Kind is the kind of the job; empty means KindFix.
	Kind Kind `json:"kind,omitempty"`
	// Dir is the checkout, absolute. It is read, never written.
	Dir string `json:"dir"`
	// Language is the language of the project's tests, such as "java" or "jest". Empty: the
	// language that recognises Dir.
	Language string `json:"language,omitempty"`
	// BuildTool is the build tool of Java: Maven or Gradle. Empty: the one whose files the folder has,
	// and Maven where it has those of both.
	BuildTool string `json:"buildTool,omitempty"`
	// Module is the folder of a part of the build, relative to Dir, or the part's name in the build
	// ("groupId:artifactId"). Empty: the part that contains the tests.
	Module string `json:"module,omitempty"`
	// Tests are the failing tests, as a person or a log names them. Empty: the failures in the
	// reports of the last run.
	Tests []string `json:"tests,omitempty"`
	// Order is the order in which the failure was seen, if known.
	Order *ObservedOrder `json:"order,omitempty"`
	// Orders are exact orders to run, each in a process of its own (KindRun, instead of Order).
	Orders [][]string `json:"orders,omitempty"`
	// Budget is the wall time for the whole job; zero: a time that fits the tests (FittingBudget). A
	// fix without a budget gets more time if its tests take longer than was known, or its processes
	// take long to start.
	Budget time.Duration `json:"budget"`
	// Took is how long the module's tests took when they last ran; zero: unknown.
	Took time.Duration `json:"took,omitempty"`
	// Timed is how many tests took that long: the last run may have had a part of them.
	Timed int `json:"timed,omitempty"`
	// BuildArgs are passed to the project's build tool as they are ("-Pfast", "-Dx=y").
	BuildArgs []string `json:"buildArgs,omitempty"`
	// Offline forbids the build tool to use the network.
	Offline bool `json:"offline,omitempty"`
	// Network lets the tests use the network, if the runner allows this for any job.
	Network bool `json:"network,omitempty"`
	// Runtime is the folder of the language's runtime to build and test with; empty: as in the
	// environment.
	Runtime string `json:"runtime,omitempty"`
	// Env holds further environment variables ("NAME=value") for the build and its tests.
	Env []string `json:"env,omitempty"`
	// Techniques are the wanted kinds of patch (Patch.Kind); empty: all but FromReflection.
	Techniques []string `json:"techniques,omitempty"`
	// Place is the only location (one of patch.Places) that patches may have; empty: any.
	Place patch.Location `json:"place,omitempty"`
	// Out is a folder for logs, and for files that commands in the report use; empty: none are
	// written.
	Out string `json:"out,omitempty"`
	// Work is where builds are kept between jobs; empty: the user's cache folder.
	Work string `json:"work,omitempty"`
	// Rerun is how many results in fresh processes each conclusion needs. Zero lets the runner
	// decide: DefaultRerun, or less if many tests confirm each other.
	Rerun int `json:"rerun,omitempty"`
	// MaxReport is how many bytes of report the sender reads, and by BoundsOf how many values.
	// The runner shortens a longer report. Zero: as many as a message can have.
	MaxReport int `json:"maxReport,omitempty"`
	// FindAll asks for all polluters, state-setters and cleaners, not only the first few.
	FindAll bool `json:"findAll,omitempty"`
	// Choice asks for a second proved patch where time is left, so that people can choose.
	Choice bool `json:"choice,omitempty"`
	// Parallel is how many test processes may run at once; zero: one per core.
	Parallel int `json:"parallel,omitempty"`
	// TestTimeout is how long one test may take before it counts as hung. Zero: the limit follows
	// from how long the test took before. It is a minute and a half if the test never ran, or is
	// the first of its order. It grows if processes start more slowly than before. A test that
	// exceeds it runs again with more time before it counts as hung.
	TestTimeout time.Duration `json:"testTimeout,omitempty"`
	// Patch is a unified diff that is applied to the private copy before anything runs (KindRun).
	// It is bytes, because sources are not always UTF-8.
	Patch []byte `json:"patch,omitempty"`
	// Observe also asks for what the tests do with static state: the suite runs once, observed
	// (KindList).
	Observe bool `json:"observe,omitempty"`
	// Change is what the sources changed since they worked, as a unified diff; empty: unknown
	// (KindFix). A test that fails only with the change of production code is a regression. Sections
	// that are no changes of text are ignored.
	Change []byte `json:"change,omitempty"`
	// ChangedSince is a git revision, if Dir is a checkout of git: the change since then replaces
	// Change (KindFix).
	ChangedSince string `json:"changedSince,omitempty"`
	// Report is the report whose patches are proved again (KindVerify).
	Report *Report `json:"report,omitempty"`
	// Pollution says what is observed (KindPollution).
	Pollution *PollutionOptions `json:"pollution,omitempty"`
	// Installation is the GitHub App's installation for which the job runs; zero: none. It chooses
	// the sandbox's caches, and runners do not get it.
	Installation int64 `json:"-"`
	// Source is the commit to check out; zero: Dir is a checkout on this machine. With a commit, Dir
	// is relative to the top of its sources. Runners do not get it.
	Source Source `json:"-"`
	// Key names the step for which the job runs. A dispatcher that outlives its caller runs jobs of
	// the same key once. Empty: each is another one.
	Key string `json:"-"`
	// JDK is the release of the JDK that the project asks for; zero: any. A dispatcher makes it a
	// folder (Runtime).
	JDK int `json:"-"`
	// Detect says how order-dependent tests are searched (KindDetect).
	Detect *DetectOptions `json:"detect,omitempty"`
}

// The build tools of Java.
const (
	Maven  = "maven"
	Gradle = "gradle"
)

// Source is a commit of a repository on GitHub.
type Source struct {
	Repository  int64 // GitHub's id
	Owner, Name string
	SHA         string
}

// Wants reports whether patches of that kind (Patch.Kind) are wanted.
func (j *Job) Wants(kind string) bool {
	if len(j.Techniques) == 0 {
		return kind != FromReflection
	}
	return slices.Contains(j.Techniques, kind)
}

// WantsResets reports whether patches may have statements that no test contains.
func (j *Job) WantsResets() bool { return j.Wants(FromReset) || j.Wants(FromReflection) }

// Kind is a kind of job.
type Kind string

// The kinds.
const (
	KindFix    Kind = "fix"    // diagnose the failing tests and repair them
	KindRun    Kind = "run"    // run Order.Tests (or each of Orders) once, exactly, in a fresh process; the result is Report.Runs
	KindVerify Kind = "verify" // prove the patches of Report again, from scratch
	KindDetect Kind = "detect" // run the module's tests in many orders; the results are Report.Detection and Report.Tests
	KindBuild  Kind = "build"  // build the module up to its tests, without running any, so that later jobs need no network
	// KindPollution runs the suite once, observed, and reports what its tests leave changed. The
	// result is Report.Pollution.
	KindPollution Kind = "pollution"
	KindList      Kind = "list" // build the module and list its tests; the result is Report.Suite, and with Observe also Report.Relation
)

// The values that are used if a job sets none.
const (
	DefaultBudget = 10 * time.Minute
	MostBudget    = 2 * time.Hour // the most that a job without a budget may take
	DefaultRerun  = 3
)

// FittingBudget returns a budget for tests that took this long when they last ran; zero: unknown. A
// cause often takes ten runs of all tests, and the time of some short runs (docs/benchmarks). The
// budget is enough for a few causes. It is rounded up to whole minutes.
func FittingBudget(took time.Duration) time.Duration {
	const runs = 20
	if took < 0 || took > MostBudget/runs {
		return MostBudget
	}
	fits := min(DefaultBudget+runs*took, MostBudget)
	return (fits + time.Minute - 1).Truncate(time.Minute)
}

// ObservedOrder is an order in which the tests ran elsewhere. Tests have the names that the source
// gives them; the runner finds them in the suite. The name of a group stands for its tests in their
// own order.
type ObservedOrder struct {
	Provenance suite.Provenance `json:"provenance"`
	Source     string           `json:"source"` // "order file f.txt", "surefire reports in target/…", "log ci.txt"
	Tests      []string         `json:"tests"`
	// Failed are the tests that failed according to the same source.
	Failed []string `json:"failed,omitempty"`
	// Notes say what a person should know about the source: tests left out, an early end,
	// contradictions.
	Notes []string `json:"notes,omitempty"`
}

// Event is one line of progress.
type Event struct {
	Time    time.Time    `json:"time"`
	Phase   string       `json:"phase"`             // one of the Phase constants
	Message string       `json:"message,omitempty"` // a sentence for people
	Test    suite.TestID `json:"test,omitempty"`    // the failing test that this is about
	Done    int          `json:"done"`              // orders run so far
	Total   int          `json:"total,omitempty"`   // an estimate, if there is one
	Best    string       `json:"best,omitempty"`    // best result so far, in words
	Note    string       `json:"note,omitempty"`    // a sentence that stays visible, such as the expected time
	// Contacted, in the last event of a dispatcher, are the hosts that the job asked for. A runner
	// cannot send it.
	Contacted []Contact `json:"-"`
}

// Contact is a host that a sandboxed job asked for.
type Contact struct {
	Host    string `json:"host"` // HOST:PORT
	Allowed bool   `json:"allowed"`
	Times   int    `json:"times"`
}

// Beat is the interval at which a runner sends a sign of life: a message {"alive":true}.
const Beat = 5 * time.Second

// The phases of a job, in order.
const (
	PhaseBuild    = "build"
	PhaseDiscover = "discover"
	PhaseDetect   = "detect"
	PhaseDiagnose = "diagnose"
	PhaseRepair   = "repair"
	PhaseProve    = "prove"
	PhaseRun      = "run" // of a job that only runs orders
	// PhaseReproduce looks for a plain command that reproduces the failure.
	PhaseReproduce = "reproduce"
)

// Phases are all phases, in order.
var Phases = []string{PhaseBuild, PhaseDiscover, PhaseDetect, PhaseDiagnose, PhaseRepair, PhaseProve, PhaseRun, PhaseReproduce}
