// Package diagnose finds out why a test fails: whether it depends on the order of tests, and on
// which ones (victim or brittle, polluters, state-setters, cleaners), is flaky for another reason,
// or fails genuinely. It implements the Minimizer of iFixFlakies (Shi et al., ESEC/FSE 2019,
// section 3.1, Figures 4 and 5) for several failing tests of one suite that share what is learnt.
// It starts no process and knows nothing of any language: a Runner answers its questions.
//
// # What concludes something
//
// Only pass and fail conclude anything; skipped, unresolved and disagreeing answers never do.
//
//   - A conclusion about an order takes Rerun equal answers of fresh processes (confirm): three, or
//     what Input.Rerun says. Known runs count like those asked for here.
//   - For a new cause, and for the first conclusions, at least one of these answers comes from a
//     process that ran while no other did. Once three such answers agreed with those of processes
//     side by side, only new causes need one.
//   - Where fresh answers disagree, three more than Rerun run one at a time, and only they count.
//     Where they agree, the other processes were to blame: what was answered side by side is
//     forgotten, and from then on everything runs one at a time (distrust). Where they do not, the
//     test is flaky.
//   - A victim passes alone and fails after its polluter. A brittle fails alone and passes after
//     its state-setter. A brittle that fails again when another test runs between the two is a
//     victim-brittle. Each of these outcomes is confirmed.
//   - A polluter of several tests is minimal: without any one of them the outcome is the opposite,
//     confirmed. Where that is not known for one of them, a note says so.
//   - A new cause is asked six more times, at warm price: three times with it and three times
//     without (recheck). Where these answers do not agree with the fresh ones, as many fresh
//     processes run.
//   - A cleaner makes the victim pass between polluter and victim, confirmed. Where these two are
//     of one class, and two unlikely tests of other classes both clean, leaving the class is what
//     cleans: then only tests of the class count as cleaners.
//   - A test fails genuinely if it fails alone and in every other order that gave a result. It is
//     not reproduced if it passes in all of them. Each of the first eight such tests
//     (cohort.Sample) runs alone again until twelve runs agree, those in other orders included, or
//     thirty seconds are over.
//   - A test is flaky if it disagrees with itself in one order.
//
// # What is a hint only
//
// A hint decides what is asked next, and is never part of a verdict: warm answers during delta
// debugging; outcomes at the end of a prefix of an order; observations of one test after many
// parts in one process (observe), which locate a cause, name neighbours and probe cleaners; names
// of tests that sound like cleaning (rank).
//
// # Many failing tests
//
// More than eight tests that may share a cause bear each other out, unless Input.FindAll is set or
// Input.Rerun is three or more. They run together, after the polluter and without it, Rerun times
// each (package cohort). Each test shown so then runs directly after the polluter, and alone, once.
// Of more than fifty (cohort.Large) only sixteen do, and those whose outcomes are not the same a
// second time in the opposite direction. The others rest on these two pairs of orders
// (Result.Shared), unless one of the sixteen turns out to be something else: then all are asked by
// themselves. A test that needs the polluter and two others of the cohort, one on either side, is
// taken for a victim of the polluter alone unless it is among the sixteen.
package diagnose

import (
	"context"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Runner answers questions: it runs an order in one process whose state is new.
type Runner interface {
	// Run is safe for concurrent use. A crash or a hang of the tests is part of the Run; an error
	// means that no answer could be had at all.
	Run(ctx context.Context, o suite.Order, p suite.Price) (*suite.Run, error)
	// Parallel is how many runs may usefully be under way at once.
	Parallel() int
}

// Input is what is asked of Diagnose.
type Input struct {
	Suite    *suite.Suite
	Groups   *suite.Groups  // of Suite; nil: what the tree alone says
	Failing  []suite.TestID // tests of Suite; distinguished by id
	Seen     []suite.Seen   // orders in which the failures were seen, best first; may be empty
	Original suite.Order    // the order in which the build runs the suite; nil: Suite's own
	// Known are runs of short orders by fresh processes that were made before; they count like
	// those asked for here.
	Known []KnownRun
	// Rerun is how many fresh processes must agree on each conclusion; below 1 means DefaultRerun.
	// From DefaultRerun on nothing is spared for being one of many.
	Rerun int
	// FindAll asks for every polluter, state-setter and cleaner rather than a handful.
	FindAll bool
	// NoCleaners says that nobody will use cleaners: none is looked for, unless FindAll asks for
	// them.
	NoCleaners bool
	// Keep is the part of the time, between 0 and 1, that is kept for what the caller does after
	// the diagnosis (FinishShare, RepairShare). Once a cause was handed over, searching ends before
	// that part begins. 0: nothing is kept.
	Keep float64
	// Explained is called as soon as a cause and all tests known to share it are explained, before
	// the next cause is looked for. It gets what is known so far: Tests holds settled tests only,
	// those of earlier calls among them. Its error ends the diagnosis. nil: nothing is handed over
	// before the end.
	Explained func(ctx context.Context, sofar *Result) error
	// MaxQuestions bounds the runs; 0 means no bound but the context's, below 0 that nothing may be
	// run.
	MaxQuestions int
	// Isolated says that the build gives every class a process of its own, so that tests of other
	// classes cannot be the cause of a failure.
	Isolated bool
	// ProcessWriters names the tests that change what belongs to the whole process (the default
	// locale, a system property) while they run, even if they restore it, the likeliest first. It
	// is asked where whole orders and neighbours showed nothing. nil: not known.
	ProcessWriters func(context.Context) suite.Order
	// Seed makes the random orders; they are recorded as explicit orders.
	Seed uint64
	// Progress receives what happens; it may be nil and is never called concurrently.
	Progress func(Event)
}

// KnownRun is a run that was made before the diagnosis.
type KnownRun struct {
	Run       *suite.Run
	Exclusive bool // no other run was under way
}

// DefaultRerun holds where Input.Rerun does not say otherwise.
const DefaultRerun = 3

// Event is one step of progress.
type Event struct {
	Test      suite.TestID // the failing test this is about; empty where it is about all
	Message   string       // a sentence for people
	Questions int          // runs so far
	Best      string       // best result so far, in words
}

// Result is the answer to one Diagnose.
type Result struct {
	Tests []TestResult // in the order of Input.Failing, repeated ids left out
	// Shared are what tests that have no minimal order were seen in.
	Shared     []SharedOrders
	Notes      []string // about the whole: what was left out or assumed
	Unfinished bool     // a budget or the context ended it early; what is here holds
	// Open is how many failing tests are not settled yet; 0 in a final result.
	Open int
	// Left are tests that end their process in the suite's orders and were left out of them.
	Left []suite.TestID
	// Sequential says that answers of processes side by side did not hold, so that whatever else is
	// asked is better asked one at a time.
	Sequential bool
	Cost       Cost
}

// TestResult is the answer for one failing test.
type TestResult struct {
	Test    suite.TestID
	Verdict suite.Verdict
	Reason  string         // the verdict in a sentence
	Failure *suite.Failure // as seen in the failing order
	// FailingOrder and PassingOrder are orders run here in which the test stands last.
	FailingOrder, PassingOrder *suite.Seen
	// MinimalOrder ends with the test. It is 1-minimal unless Unfinished. Tests that were only
	// shown together with others have none (Together, Result.Shared).
	MinimalOrder  suite.Order
	Polluters     []suite.Order // each confirmed; in a victim-brittle, each between the first state-setter and the test
	StateSetters  []suite.Order
	Cleaners      []suite.Cleaner
	NonIdempotent bool // fails when it is run twice in one process
	Evidence      []suite.Answer
	Notes         []string
	Unfinished    bool
	Cost          Cost // runs made for this test alone
}

// Cost is what answers took.
type Cost struct {
	Questions map[suite.Price]int // processes' runs by price
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

func (c *Cost) add(p suite.Price, tests int, nanos int64) {
	if c.Questions == nil {
		c.Questions = map[suite.Price]int{}
	}
	c.Questions[p]++
	c.Tests += tests
	c.Wall += time.Duration(nanos)
}

// handful is how many polluters, state-setters and cleaners are looked for without FindAll: the
// paper's evaluation (section 5.2) finds no benefit in more.
const handful = 3

// Diagnose answers for every failing test. When the context or a budget ends, it returns what is
// known so far with Unfinished set and a nil error; an error is the Runner's own, and the Result is
// valid beside it.
func Diagnose(ctx context.Context, r Runner, in Input) (*Result, error) {
	s := newSession(ctx, r, in)
	cases := s.admit()
	err := s.examine(ctx, cases)
	return s.result(cases, err)
}

// examine goes through the steps; the error says why it went no further.
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
