package job

import (
	"slices"
	"time"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// Joint reports whether the answer for a test rests on the orders of a cohort. Such a test has no
// minimal order of its own.
func (r *Report) Joint(t *TestReport) bool {
	return len(t.MinimalOrder) == 0 && slices.ContainsFunc(r.SharedOrders(),
		func(c Cohort) bool { return slices.Contains(c.Tests, t.Test) })
}

// SharedOrders are those of cohorts whose cause was confirmed for one of them, the detection's
// among them.
func (r *Report) SharedOrders() []Cohort {
	out := slices.Clone(r.Cohorts)
	if r.Detection != nil {
		out = append(out, slices.DeleteFunc(slices.Clone(r.Detection.Cohorts), func(c Cohort) bool { return len(c.Cause) == 0 })...)
	}
	return out
}

// Report answers a Job.
type Report struct {
	Version  int          `json:"version"`
	Tool     string       `json:"tool"`    // odfix version
	Project  Project      `json:"project"` // what was built, with what
	Started  time.Time    `json:"started"`
	Finished bool         `json:"finished"` // false: the budget or a person ended it early; what is here holds
	Tests    []TestReport `json:"tests"`
	Names    Names        `json:"names,omitempty"`    // of the tests that people are shown
	Combined *Combined    `json:"combined,omitempty"` // the best patches of all tests as one, where there are several
	// LeftOut are tests that end their process in the suite's orders. No order of
	// a diagnosis or proof holds them.
	LeftOut []suite.TestID `json:"leftOut,omitempty"`
	// Cohorts are orders in which many tests fail together. The answers for those of them that have
	// no minimal order rest on these.
	Cohorts []Cohort `json:"cohorts,omitempty"`
	// the order in which somebody saw the failure, without tests that the suite does not hold
	Observed *suite.Seen `json:"observed,omitempty"`
	Runs     []suite.Run `json:"runs,omitempty"`     // KindRun: what happened to the order that was asked
	Suite    []byte      `json:"suite,omitempty"`    // KindList: the module's tests as a suite file (docs/suite.schema.json)
	Relation []byte      `json:"relation,omitempty"` // KindList with Observe: what its tests do with static state (internal/state's file)
	// Pollution: KindPollution, what its tests leave changed (internal/state's Pollutions.File).
	Pollution []byte `json:"pollution,omitempty"`
	// Detection: KindDetect, how tests were looked for and what was found.
	Detection *Detection `json:"detection,omitempty"`
	Crashes   []Ended    `json:"crashes,omitempty"` // processes that ended before their order did, one of each sort
	Cost      Cost       `json:"cost"`
	Notes     []string   `json:"notes,omitempty"` // what a person should know (left out, assumed)
	Error     *Error     `json:"error,omitempty"` // why there is no answer at all
}

// Ended is a test process that ended before its order did, and what is needed to
// see why. Later ones of the same kind, in the same test, are only counted.
type Ended struct {
	Crash  suite.Crash `json:"crash"`
	Order  suite.Order `json:"order"`            // what ran up to that test, of the first such process
	Output string      `json:"output,omitempty"` // the end of what it printed
	Times  int         `json:"times"`
	File   string      `json:"file,omitempty"` // all of this as text, relative to the output folder
}

// Project is what was built and how its tests are launched.
type Project struct {
	Language  string   `json:"language,omitempty"` // of its tests, as in Job.Language; empty: "java"
	Dir       string   `json:"dir"`
	Root      string   `json:"root"` // the git work tree around Dir, or the build's topmost folder: patches' paths are relative to it
	Module    string   `json:"module,omitempty"`
	Build     string   `json:"build"`               // such as "maven 3.9.9"
	Provider  string   `json:"provider,omitempty"`  // such as "surefire 3.2.5, junit-platform"
	Runtime   string   `json:"runtime,omitempty"`   // version of the language runtime that runs the tests
	Tests     int      `json:"tests"`               // tests in the module
	Isolated  bool     `json:"isolated"`            // the build gives each group of tests a process of its own
	Parallel  bool     `json:"parallel"`            // the build runs tests of one process in parallel
	Revision  string   `json:"revision,omitempty"`  // git commit, where there is one
	BuildArgs []string `json:"buildArgs,omitempty"` // passed to the build tool
}

// Error is a failure of odfix or of the project's build, for people.
type Error struct {
	Code    string `json:"code"`             // stable identifier, e.g. "build-broken"
	Message string `json:"message"`          // what happened
	Hint    string `json:"hint,omitempty"`   // what to do
	Detail  string `json:"detail,omitempty"` // the compiler's lines, a stack dump
}

func (e *Error) Error() string { return e.Message }

// TestReport is the answer for one failing test.
type TestReport struct {
	Test    suite.TestID   `json:"test"`
	Verdict suite.Verdict  `json:"verdict"`
	Reason  string         `json:"reason"`            // the verdict in a sentence
	Failure *suite.Failure `json:"failure,omitempty"` // as seen in the failing order
	// FailingOrder is the order in which the failure was first seen here, and where it came from.
	FailingOrder *suite.Seen `json:"failingOrder,omitempty"`
	PassingOrder *suite.Seen `json:"passingOrder,omitempty"`
	// MinimalOrder is 1-minimal: without any one of its tests the last one's outcome changes. A
	// test that was seen with a cohort has none, and no orders of its own: they are the cohort's
	// (Report.Cohorts, Detection.Cohorts).
	MinimalOrder suite.Order     `json:"minimalOrder,omitempty"`
	Polluters    []suite.Order   `json:"polluters,omitempty"`
	StateSetters []suite.Order   `json:"stateSetters,omitempty"`
	Cleaners     []suite.Cleaner `json:"cleaners,omitempty"`
	// State is the shared state that the first polluter or state-setter was seen to leave changed,
	// and the test to read.
	State []string `json:"state,omitempty"`
	// StateMatters: restoring State, and nothing else, gives the test the outcome that it has
	// without them.
	StateMatters bool `json:"stateMatters,omitempty"`
	// OtherLoader: StateMatters holds only for copies of the code that another loader than the main
	// one has loaded.
	OtherLoader bool `json:"otherLoader,omitempty"`
	// Changes are the first few values of State before and after that test, by access paths.
	Changes []StateChange `json:"changes,omitempty"`
	// NoReset is, where there is no patch, the project's own state that the cause leaves changed
	// and that no code which a test could call restores.
	NoReset []string `json:"noReset,omitempty"`
	// NoResetOfTests are those of NoReset that the group of a test declares: the failing test's or
	// a polluter's.
	NoResetOfTests []string `json:"noResetOfTests,omitempty"`
	// Reflectable are those of NoReset that a patch of the kind FromReflection may restore, where
	// nobody asked for that kind.
	Reflectable []string `json:"reflectable,omitempty"`
	// ResetBodies are the statements that would restore those of NoReset where they are declared,
	// as far as one statement does.
	ResetBodies map[string]string `json:"resetBodies,omitempty"`
	// NonIdempotent: the test fails when it runs twice in one process.
	NonIdempotent bool           `json:"nonIdempotent,omitempty"`
	Evidence      []suite.Answer `json:"evidence,omitempty"` // the answers the verdict rests on
	Patches       []Patch        `json:"patches,omitempty"`  // best first; Report.Best finds those that stand with another test
	Reproduce     []Command      `json:"reproduce,omitempty"`
	Notes         []string       `json:"notes,omitempty"`
	Cost          Cost           `json:"cost"`
}

// StateChange is one difference on the heap that a polluter or state-setter leaves.
type StateChange struct {
	Field  string `json:"place"` // one of TestReport.State
	Path   string `json:"path"`  // the access path, which begins with the place
	Before string `json:"before"`
	After  string `json:"after"`
}

// Patch is a change of test code that fixes its tests.
type Patch struct {
	// Kind is "helper" for statements of a cleaner or state-setter, "reset" for statements that no
	// test holds.
	Kind     string         `json:"kind"`
	Location patch.Location `json:"place"`
	At       suite.TestID   `json:"at,omitempty"` // the test whose body, setup or teardown Location means
	// Also are further tests, of other groups, at which the same statements stand.
	Also []suite.TestID `json:"also,omitempty"`
	// WidenedFor are orders in which a lesser patch left tests failing; this one
	// is proved in them.
	WidenedFor []suite.Order `json:"widenedFor,omitempty"`
	Style      patch.Style   `json:"style,omitempty"`
	Helper     suite.Order   `json:"helper,omitempty"`
	Made       *patch.Made   `json:"made,omitempty"` // of a reset
	Statements []string      `json:"statements"`
	// StatementIDs name the helper's statements that make the patch; with Helper,
	// Location, At and Style they let it be made again, and with one statement less.
	StatementIDs []string       `json:"statementIds,omitempty"`
	Files        []string       `json:"files"`               // paths relative to the checkout, with '/'
	Diff         string         `json:"diff"`                // unified, git-apply clean against the checkout
	DiffBytes    []byte         `json:"diffBytes,omitempty"` // Diff byte for byte, where it is not valid UTF-8; see SetDiff
	Fixes        []suite.TestID `json:"cures"`               // failing tests it is proved for
	Why          string         `json:"why"`                 // why it ranks where it does
	Proof        Proof          `json:"proof"`
}

// LeftOpen begins the words for what a group of tests opened and did not close.
const LeftOpen = "what is left open by "

// The kinds of patches.
const (
	FromHelper     = "helper"
	FromReset      = "reset"
	FromReflection = "reflection" // fields that nothing else reaches are written by reflection; only where it is asked for
)

// Proof is what was done to believe a patch, in fresh processes launched as the project's own build
// launches them.
type Proof struct {
	Proved   bool      `json:"proved"`
	Checks   []Check   `json:"checks"`
	Commands []Command `json:"commands"` // paste and run: each exits with the status it says
}

// Check is one claim of a proof.
type Check struct {
	Name    string `json:"name"` // "failing order passes with the patch", …
	OK      bool   `json:"ok"`
	Repeats int    `json:"repeats"`
	Detail  string `json:"detail,omitempty"`
}

// Command can be pasted into a shell. It runs in the folder Dir of the checkout.
type Command struct {
	What string `json:"what"` // for people
	Dir  string `json:"dir"`  // relative to the checkout; "." for its root
	Line string `json:"line"` // for sh
	Exit int    `json:"exit"` // the status it ends with; any other disproves the claim. -1: any but 0
}

// Cost is what an answer took.
type Cost struct {
	Questions map[suite.Price]int `json:"questions"` // orders run, by price
	Tests     int                 `json:"testsRun"`  // test executions
	Seconds   map[string]float64  `json:"seconds"`   // wall time by phase
	Total     float64             `json:"total"`     // wall time in seconds
}
