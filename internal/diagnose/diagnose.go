// Package diagnose finds out why a test fails. A test may depend on the order of tests; then it is
// a victim or a brittle, with polluters, state-setters and cleaners. A test may also be flaky for
// another reason, or fail genuinely. The package implements the Minimizer of iFixFlakies (Shi et
// al., ESEC/FSE 2019, section 3.1, Figures 4 and 5). It handles several failing tests of one suite,
// which share what is known. The package starts no process and depends on no programming language:
// a Runner runs the orders.
//
// # What concludes something
//
// Only pass and fail lead to a conclusion. Skipped, unresolved and disagreeing results never do.
//
//   - A conclusion about an order takes Rerun equal results of fresh processes (confirm). The
//     default is three. Known runs (Input.Known) count like new ones.
//   - For a new cause, and for the first conclusions, at least one of these results is exclusive:
//     its process ran while no other did. Once three exclusive results have agreed with parallel
//     ones, only new causes need an exclusive result.
//   - If fresh results disagree, Rerun plus three processes run one at a time, and only these
//     count. If they agree, running in parallel caused the disagreement. Then the results of
//     parallel processes are forgotten, and from then on everything runs one at a time (distrust).
//     If they disagree, the test is flaky.
//   - A victim passes alone and fails after its polluter. A brittle fails alone and passes after
//     its state-setter. A brittle that fails again when another test runs between the two is a
//     victim-brittle. Each of these outcomes is confirmed.
//   - A polluter of several tests is minimal: without any one of them the outcome is the opposite,
//     and this is confirmed. If it is not known for one of them, a note says so.
//   - A new cause is checked six more times, with warm processes: three times with the cause and
//     three times without it (recheck). If these results do not agree with the fresh ones, as many
//     fresh processes run.
//   - A cleaner makes the victim pass when it runs between polluter and victim, and this is
//     confirmed. If polluter and victim belong to one class, two unlikely tests of other classes
//     are tried first. If both clean, leaving the class is what cleans, and only tests of the class
//     count as cleaners.
//   - A test fails genuinely if it fails alone and in every other order that gave a result. It is
//     not reproduced if it passes in all of them. Each of the first eight such tests
//     (cohort.Sample) runs alone again, until twelve runs in all orders agree or thirty seconds are
//     over.
//   - A test is flaky if it both passes and fails in one order.
//
// # What is a hint only
//
// A hint decides what runs next, and is never part of a verdict. Hints are: results of warm
// processes during delta debugging; outcomes at the end of a prefix of an order; names of tests
// that suggest cleaning (rank); and observations of one test after many parts in one process
// (observe), which locate a cause, find neighbours and probe cleaners. While orders are searched
// that make a test fail, each runs as a hint first (hintFirst). Only an order that makes it fail
// then runs in a new process. If no order does, the longest ones run in new processes (tryFresh).
//
// # What runs at the same time
//
// A single failing test needs a chain of questions, each of which depends on the answers before. So
// questions start as early as possible: the test alone while the failing order is reproduced
// (reproduce), and the order without the cause while cleaners are searched (askAhead). The caller
// may explain the state of the cause while the cause is checked again (Input.Located). With
// Input.CleanersLater, cleaners are searched only when the caller asks for them.
//
// # Many failing tests
//
// More than eight tests that may share a cause confirm each other, unless Input.FindAll is set or
// Input.Rerun is three or more. They run together, with the polluter first and without it, Rerun
// times each (package cohort). If several tests pollute together, they also run together after each
// part of these, and those that also fail directly after a part are left out. Each test that
// depends on the polluter in these orders then runs once directly after the polluter, and once
// alone. If there are more than fifty (cohort.Large), only sixteen of them do, and those whose
// outcomes differ when the order runs in the opposite direction. The others rest on these two pairs
// of orders (Result.Shared). If one of the sixteen turns out differently, all are run separately.
// One case is not detected outside the sixteen: a test that fails only after the polluter and two
// other tests of the cohort, one on either side of it in the order, is reported as a victim of the
// polluter alone.
package diagnose

import (
	"context"
	"maps"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Runner runs an order in one new process.
type Runner interface {
	// Run is safe for concurrent use. If exclusive is set, no other test process runs meanwhile, not
	// even one that the caller of Diagnose has started. A crash or a hang of the tests is part of the
	// Run. An error means that the order could not be run at all.
	Run(ctx context.Context, o suite.Order, p suite.Price, exclusive bool) (*suite.Run, error)
	// Parallel returns how many runs may usefully run in parallel.
	Parallel() int
}

// Input is the input of Diagnose.
type Input struct {
	Suite    *suite.Suite
	Groups   *suite.Groups  // of Suite; nil: what the tree alone says
	Failing  []suite.TestID // tests of Suite; distinguished by id
	Seen     []suite.Seen   // orders in which the failures were seen, best first; may be empty
	Original suite.Order    // the order in which the build runs the suite; nil: Suite's own
	// Known holds earlier runs of short orders by fresh processes. They count like new runs.
	Known []KnownRun
	// Rerun is how many fresh processes must agree on each conclusion; below 1 means DefaultRerun.
	// If Rerun is DefaultRerun or more, tests of a cohort are confirmed one by one.
	Rerun int
	// FindAll asks for every polluter, state-setter and cleaner instead of a few.
	FindAll bool
	// NoCleaners says that cleaners are not needed. None is searched, unless FindAll is set.
	NoCleaners bool
	// CleanersLater leaves out the search for cleaners, unless FindAll is set or other victims of the
	// polluter have them. The caller asks for them with Result.Clean if it needs them.
	CleanersLater bool
	// Keep is the part of the time, between 0 and 1, that is kept for what the caller does after
	// the diagnosis (FinishShare, RepairShare). Once a cause was delivered, searching ends before
	// that part begins. With 0, no time is kept.
	Keep float64
	// Explained is called as soon as a cause and all tests known to share it are explained, before
	// the next cause is searched. It gets what is known so far: Tests holds all settled tests,
	// including those of earlier calls. An error that it returns ends the diagnosis. If Explained
	// is nil, everything is returned at the end.
	Explained func(ctx context.Context, sofar *Result) error
	// Located is called if there is only one failing test, as soon as its cause is confirmed: before
	// the cause is checked once more (recheck), and before cleaners and further causes are searched. It
	// must return at once. It may start processes
	// that run at the same time as those of the diagnosis. It may be nil.
	Located func(ctx context.Context, t TestResult)
	// MaxQuestions limits the number of runs. With 0, only the context limits it. Below 0, nothing
	// is run.
	MaxQuestions int
	// Isolated says that the build runs every class in a separate process, so that tests of other
	// classes cannot cause a failure.
	Isolated bool
	// Once says that a process runs each test once, and that orders run at the price Batched cost far
	// less than others. Such an order then runs first where a hint may be enough.
	Once bool
	// ProcessWriters returns the tests that change state of the whole process (the default locale,
	// a system property) while they run, even if they restore it. The likeliest come first. It is
	// called if whole orders and neighbours did not reproduce a failure. With nil, such tests are
	// unknown.
	ProcessWriters func(context.Context) suite.Order
	// Seed is the seed of the random orders. The result holds these as explicit orders.
	Seed uint64
	// Progress is called for each step. It may be nil, and is never called concurrently.
	Progress func(Event)
}

// KnownRun is a run that was made before the diagnosis.
type KnownRun struct {
	Run       *suite.Run
	Exclusive bool // no other run was in progress
}

// DefaultRerun is used if Input.Rerun is below 1.
const DefaultRerun = 3

// Event is one step of progress.
type Event struct {
	Test      suite.TestID // the failing test of this step; empty if the step concerns all tests
	Message   string       // a sentence for people
	Questions int          // runs so far
	Best      string       // best result so far, in words
}

// Result is the result of Diagnose.
type Result struct {
	Tests []TestResult // in the order of Input.Failing, repeated ids left out
	// Shared holds the shared orders of tests that have no minimal order.
	Shared     []SharedOrders
	Notes      []string // about the whole diagnosis: what was left out or assumed
	Unfinished bool     // a budget or the context ended the diagnosis early; the results given are still valid
	// Open is how many failing tests are not settled yet; 0 in a final result.
	Open int
	// Left lists the tests that end their process in the suite's orders and were therefore left out
	// of these orders.
	Left []suite.TestID
	// Sequential says that results of parallel processes were wrong, so that further runs should
	// run one at a time.
	Sequential bool
	// Clean searches the cleaners of a test that has CleanersLater, and returns the test's new result.
	// It is nil if Input.CleanersLater is not set. It may be called in Input.Explained and after
	// Diagnose, but not concurrently.
	Clean func(ctx context.Context, t suite.TestID) (*Result, error)
	Cost  Cost
}

// TestResult is the result for one failing test.
type TestResult struct {
	Test    suite.TestID
	Verdict suite.Verdict
	Reason  string         // the verdict in a sentence
	Failure *suite.Failure // as seen in the failing order
	// FailingOrder and PassingOrder are orders that the diagnosis ran. The test is the last one in
	// each.
	FailingOrder, PassingOrder *suite.Seen
	// MinimalOrder ends with the test. It is 1-minimal unless Unfinished is set, or a note says that
	// it was minimised for another test. A test that was only run together with others has no
	// minimal order (Together, Result.Shared).
	MinimalOrder  suite.Order
	Polluters     []suite.Order // each confirmed; in a victim-brittle, each between the first state-setter and the test
	StateSetters  []suite.Order
	Cleaners      []suite.Cleaner
	Likely        []suite.Cleaner // seemed to clean in a process that ran further tests, and were not confirmed
	CleanersLater bool            // cleaners were not searched; Result.Clean does so
	NonIdempotent bool            // fails when it is run twice in one process
	Evidence      []suite.Answer
	Notes         []string
	Unfinished    bool
	Cost          Cost // runs made for this test alone
}

// Cost is the cost of runs.
type Cost struct {
	Questions map[suite.Price]int // number of runs by price
	Tests     int                 // test executions
	Wall      time.Duration       // summed over runs, which may have overlapped
}

// Total is the number of runs at any price.
func (c Cost) Total() int {
	n := 0
	for _, k := range c.Questions {
		n += k
	}
	return n
}

// Plus returns both costs together.
func (c Cost) Plus(other Cost) Cost {
	sum := Cost{Questions: maps.Clone(c.Questions), Tests: c.Tests + other.Tests, Wall: c.Wall + other.Wall}
	for price, n := range other.Questions {
		if sum.Questions == nil {
			sum.Questions = map[suite.Price]int{}
		}
		sum.Questions[price] += n
	}
	return sum
}

func (c *Cost) add(p suite.Price, tests int, nanos int64) {
	if c.Questions == nil {
		c.Questions = map[suite.Price]int{}
	}
	c.Questions[p]++
	c.Tests += tests
	c.Wall += time.Duration(nanos)
}

// handful is how many polluters and state-setters are searched without FindAll: the paper's
// evaluation (section 5.2) finds no benefit in more.
const handful = 3

// Diagnose diagnoses every failing test. When the context or a budget ends, it returns what is
// known so far, with Unfinished set and a nil error. An error comes from the Runner or from
// Explained; the Result is valid in that case, too.
func Diagnose(ctx context.Context, r Runner, in Input) (*Result, error) {
	s := newSession(ctx, r, in)
	cases := s.admit()
	if in.CleanersLater {
		s.postponed = func(ctx context.Context, t suite.TestID) (*Result, error) { return s.cleanNow(ctx, cases, t) }
	}
	err := s.examine(ctx, cases)
	return s.result(cases, err)
}

// examine runs the steps. Its error says why it stopped early.
func (s *session) examine(ctx context.Context, cases []*failingTest) error {
	for _, step := range []func(context.Context, []*failingTest) error{
		s.reproduce, s.alone, s.explainReady, s.few, s.aloneAll, s.explainReady, s.explore, s.moreCausesOfAll, s.deliver,
	} {
		if err := step(ctx, cases); err != nil {
			return err
		}
	}
	return nil
}
