package job

import (
	"slices"
	"time"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// Joint reports whether the verdict on a test rests on the orders of a cohort. Such a test has no
// minimal order of its own.
func (r *Report) Joint(t *TestReport) bool {
	return len(t.MinimalOrder) == 0 && slices.ContainsFunc(r.SharedOrders(),
		func(c Cohort) bool { return slices.Contains(c.Tests, t.Test) })
}

// SharedOrders returns the cohorts with a confirmed cause, including those of the detection.
func (r *Report) SharedOrders() []Cohort {
	out := slices.Clone(r.Cohorts)
	if r.Detection != nil {
		out = append(out, slices.DeleteFunc(slices.Clone(r.Detection.Cohorts), func(c Cohort) bool { return len(c.Cause) == 0 })...)
	}
	return out
}

// SearchedPatches reports whether patches were searched for, as odfix fix does, and odfix detect
// with --fix.
func (r *Report) SearchedPatches() bool {
	_, repaired := r.Cost.Seconds[PhaseRepair]
	return r.Detection == nil || repaired || slices.ContainsFunc(r.Tests, func(t TestReport) bool { return len(t.Patches) > 0 })
}

// Report is the result of a Job.
type Report struct {
	Version  int          `json:"version"`
	Tool     string       `json:"tool"`    // odfix version
	Project  Project      `json:"project"` // what was built, and with what
	Started  time.Time    `json:"started"`
	Finished bool         `json:"finished"` // false: the budget or a person ended the job early; the results are valid
	Tests    []TestReport `json:"tests"`
	Names    Names        `json:"names,omitempty"`    // names of the tests that people are shown
	Combined *Combined    `json:"combined,omitempty"` // the best patches of all tests as one patch, if there are several
	// Alternative is a setting of the test runner that fixes as many causes as the best patch.
	Alternative *Alternative `json:"alternative,omitempty"`
	// LeftOut are tests that end their process in the suite's orders. They are in no order of a
	// diagnosis or proof.
	LeftOut []suite.TestID `json:"leftOut,omitempty"`
	// Cohorts are orders in which many tests fail together. The verdicts on tests without a minimal
	// order rest on them.
	Cohorts []Cohort `json:"cohorts,omitempty"`
	// Observed is the order in which the failure was seen, without tests that are not in the suite.
	Observed *suite.Seen `json:"observed,omitempty"`
	Runs     []suite.Run `json:"runs,omitempty"`     // KindRun: the runs of the requested orders
	Suite    []byte      `json:"suite,omitempty"`    // KindList: the module's tests as a suite file (docs/suite.schema.json)
	Relation []byte      `json:"relation,omitempty"` // KindList with Observe: what its tests do with static state (internal/state's file)
	// Pollution: KindPollution, what its tests leave changed (internal/state's Pollutions.File).
	Pollution []byte `json:"pollution,omitempty"`
	// Detection: KindDetect, how tests were looked for and what was found.
	Detection *Detection `json:"detection,omitempty"`
	Crashes   []Ended    `json:"crashes,omitempty"` // processes that ended before their order did, one of each kind
	Cost      Cost       `json:"cost"`
	Notes     []string   `json:"notes,omitempty"` // what a person should know: what was left out or assumed
	Error     *Error     `json:"error,omitempty"` // why there is no result
}

// Ended is a test process that ended before its order did, with the information to find out why.
// Later processes of the same kind that ended in the same test are only counted.
type Ended struct {
	Crash  suite.Crash `json:"crash"`
	Order  suite.Order `json:"order"`            // the order of the first such process, up to the test in which it ended
	Output string      `json:"output,omitempty"` // the end of what it printed
	Times  int         `json:"times"`
	File   string      `json:"file,omitempty"` // a file with all of this as text, relative to the output folder
}

// Project is what was built and how its tests are launched.
type Project struct {
	Language  string   `json:"language,omitempty"` // of its tests, as in Job.Language; empty: "java"
	Dir       string   `json:"dir"`
	Root      string   `json:"root"` // the git work tree around Dir, or the build's topmost folder; paths in patches are relative to it
	Module    string   `json:"module,omitempty"`
	Build     string   `json:"build"`               // such as "maven 3.9.9"
	Provider  string   `json:"provider,omitempty"`  // such as "surefire 3.2.5, junit-platform"
	Runtime   string   `json:"runtime,omitempty"`   // version of the language runtime that runs the tests
	Tests     int      `json:"tests"`               // tests in the module
	Isolated  bool     `json:"isolated"`            // the build runs each group of tests in a separate process
	Parallel  bool     `json:"parallel"`            // the build runs tests of one process in parallel
	Revision  string   `json:"revision,omitempty"`  // git commit, if there is one
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

// Split returns the tests that count as failing, and those that only pass (TestReport.Passes). If
// no test fails, all count, since the person who named them expects failures.
func (r *Report) Split() (failing, passing []TestReport) {
	for _, t := range r.Tests {
		if t.Passes {
			passing = append(passing, t)
		} else {
			failing = append(failing, t)
		}
	}
	if len(failing) == 0 {
		return r.Tests, nil
	}
	return failing, passing
}

// TestReport is the result for one failing test.
type TestReport struct {
	Test    suite.TestID   `json:"test"`
	Verdict suite.Verdict  `json:"verdict"`
	Reason  string         `json:"reason"`            // the verdict in a sentence
	Failure *suite.Failure `json:"failure,omitempty"` // as seen in the failing order
	// FailingOrder is the order in which odfix first saw the failure, and where the order comes
	// from.
	FailingOrder *suite.Seen `json:"failingOrder,omitempty"`
	PassingOrder *suite.Seen `json:"passingOrder,omitempty"`
	// MinimalOrder is 1-minimal: without any one of its tests, the outcome of the last test
	// changes, unless a note says that this was shown for another test of the cause. A test of a
	// cohort has no minimal order and no orders of its own; see the orders of the cohort
	// (Report.Cohorts, Detection.Cohorts).
	MinimalOrder suite.Order     `json:"minimalOrder,omitempty"`
	Polluters    []suite.Order   `json:"polluters,omitempty"`
	StateSetters []suite.Order   `json:"stateSetters,omitempty"`
	Cleaners     []suite.Cleaner `json:"cleaners,omitempty"`
	// State is the shared state that the first polluter or state-setter was seen to change, and the
	// test to read.
	State []string `json:"state,omitempty"`
	// StateMatters: if State and nothing else is restored, the test behaves as without the polluter
	// or state-setter.
	StateMatters bool `json:"stateMatters,omitempty"`
	// OtherLoader: StateMatters only holds for copies of the fields that another class loader than
	// the main one loaded.
	OtherLoader bool `json:"otherLoader,omitempty"`
	// Changes are the first few differences that this polluter or state-setter leaves in State,
	// with access paths.
	Changes []StateChange `json:"changes,omitempty"`
	// Unpatched is why an order-dependent test has no proved patch, if patches were searched for.
	Unpatched Unpatched `json:"unpatched,omitempty"`
	// NoReset lists, if there is no patch, fields of the project that the cause leaves changed and
	// that no code restores that a test could call.
	NoReset []string `json:"noReset,omitempty"`
	// NoResetOfTests are those of NoReset that the class of the failing test or of a polluter
	// declares.
	NoResetOfTests []string `json:"noResetOfTests,omitempty"`
	// Reflectable are those of NoReset that a patch of the kind FromReflection may restore, if that
	// kind was not wanted.
	Reflectable []string `json:"reflectable,omitempty"`
	// ResetBodies holds, for fields of NoReset, the statement that would restore the field in its
	// class, if a single statement can.
	ResetBodies map[string]string `json:"resetBodies,omitempty"`
	// Passes: the test was named, or its class, and nothing shows that it ever failed: it passed in
	// every order tried, and no source said that it failed.
	Passes bool `json:"passes,omitempty"`
	// NonIdempotent: the test fails when it runs twice in one process.
	NonIdempotent bool           `json:"nonIdempotent,omitempty"`
	Evidence      []suite.Answer `json:"evidence,omitempty"` // the results on which the verdict rests
	Patches       []Patch        `json:"patches,omitempty"`  // best first; Report.Best also finds patches in the reports of other tests
	Reproduce     []Command      `json:"reproduce,omitempty"`
	Notes         []string       `json:"notes,omitempty"`
	Cost          Cost           `json:"cost"`
}

// StateChange is one difference that a polluter or state-setter leaves in State.
type StateChange struct {
	Field  string `json:"place"` // one of TestReport.State
	Path   string `json:"path"`  // the access path, which begins with Field
	Before string `json:"before"`
	After  string `json:"after"`
}

// Patch is a change of test code that fixes its tests.
type Patch struct {
	// Kind is "helper" for statements of a cleaner or state-setter, and "reset" for statements that
	// no test contains.
	Kind     string         `json:"kind"`
	Location patch.Location `json:"place"`
	At       suite.TestID   `json:"at,omitempty"` // the test at whose body, setup or teardown the statements stand
	// Also are further tests, of other groups, at which the same statements stand, but for those in Except.
	Also []suite.TestID `json:"also,omitempty"`
	// Except has the ids of statements that are left out at some of these tests.
	Except map[suite.TestID][]string `json:"except,omitempty"`
	// WidenedFor are orders in which tests still failed with an earlier form of the patch. This
	// form is proved in them.
	WidenedFor []suite.Order `json:"widenedFor,omitempty"`
	Style      patch.Style   `json:"style,omitempty"`
	Helper     suite.Order   `json:"helper,omitempty"`
	Made       *patch.Made   `json:"made,omitempty"` // for kinds without a helper
	Statements []string      `json:"statements"`
	// StatementIDs name the helper's statements in the patch. With Helper, Location, At and Style,
	// the patch can be made again, also without one of its statements.
	StatementIDs []string       `json:"statementIds,omitempty"`
	Files        []string       `json:"files"`               // paths relative to the checkout, with '/'
	Diff         string         `json:"diff"`                // unified; git apply accepts it in the checkout
	DiffBytes    []byte         `json:"diffBytes,omitempty"` // the exact bytes of Diff, if it is not valid UTF-8; see SetDiff
	Fixes        []suite.TestID `json:"cures"`               // failing tests for which it is proved
	Why          string         `json:"why"`                 // the reason for its rank
	Proof        Proof          `json:"proof"`
}

// LeftFile begins the name of a file that a test leaves behind.
const LeftFile = "the file "

// The kinds of patches.
const (
	FromHelper     = "helper"
	FromReset      = "reset"
	FromReflection = "reflection" // writes by reflection to fields that nothing else can reach; only on request
)

// Proof lists the checks of a patch, in fresh processes launched as the project's own build
// launches them.
type Proof struct {
	Proved   bool      `json:"proved"`
	Checks   []Check   `json:"checks"`
	Commands []Command `json:"commands"` // to paste and run: each exits with its Exit status
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
	Exit int    `json:"exit"` // the expected exit status; any other status disproves the claim. -1: any but 0
}

// Cost is the cost of a result.
type Cost struct {
	Questions map[suite.Price]int `json:"questions"` // orders run, by price
	Tests     int                 `json:"testsRun"`  // test executions
	Seconds   map[string]float64  `json:"seconds"`   // wall time by phase
	Total     float64             `json:"total"`     // wall time in seconds
	// FirstPatch is the wall time in seconds until the first patch was proved; 0: none was.
	FirstPatch float64 `json:"firstPatch,omitempty"`
}
