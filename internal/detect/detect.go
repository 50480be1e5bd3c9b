// Package detect finds order-dependent tests: it runs a suite in many orders, which internal/order
// makes, and decides from the outcomes what each test is. The techniques are those of Li et al.,
// "Systematically Producing Test Orders to Detect Order-Dependent Flaky Tests" (ISSTA 2023).
//
// A test is shown (Find.Shown) once it has both passed and failed; the observed run counts. A test
// is confirmed (Find.After), and becomes a Find, once all of this holds:
//
//   - It passed in one order and failed in another. The observed run is no evidence, because an
//     agent was active in it.
//   - One of the two orders, up to the test, gave the same outcome in Input.Rerun processes. A part
//     of that order may replace it; the part then runs as often.
//   - The test alone gave the other outcome in Input.Rerun + 2 processes. If it gives no result
//     alone, the second order ran Input.Rerun times instead.
//   - If one order changed the outcomes of more than cohort.Sample tests, fewer runs are enough:
//     the test runs alone only as often as the order runs. If Input.Rerun is DefaultRerun, both run
//     once less. Parts of an order that quick runs named (Input.Quick) count together, where fresh
//     processes showed the new outcome.
//   - If one order changed so many outcomes that cohort.Cheaper holds for at least cohort.Large of
//     them, cohort.Compare replaces the runs alone. Two orders run in Input.Rerun processes each.
//     The test must give one outcome in all runs of the first order and the other outcome in all
//     runs of the second.
//
// Orders of the stages may run in used processes first (Input.Quick). Such a run counts as an order
// that ran, but its outcomes are no evidence.
//
// What withdraws or prevents a Find:
//
//   - A test with two outcomes in one order runs in it again exclusively, that is, while no other
//     process runs. If it still has two, it is flaky. If all of 2 x Input.Rerun runs agree, results
//     of parallel processes are distrusted: from then on everything runs one at a time, the results
//     for tests that are not settled are forgotten, and each Find runs again in the orders that it
//     rests on.
//   - A test that fails in every order and alone is genuine, if the suite's own order is among the
//     orders that ran, or if no order is left.
//   - A test that ends its process is left out of all orders. The first time it also runs alone,
//     and is used again if it gives a result there.
//   - Skipped, flaky and unresolved results prove nothing.
//
// A search runs nothing unnecessarily. With the same input and the same results, it takes the same
// steps, so that a Runner that stores results can resume it. The package starts no process and
// depends on no programming language.
package detect

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Runner runs orders, each in a new process launched as the project's own build
// launches it.
type Runner interface {
	// Run is safe for concurrent use. A crash or hang of the tests is part of the Run. With Alone,
	// Run waits until nothing else runs. The error is a *MissingError, or means that the order
	// could not be run at all.
	Run(ctx context.Context, o suite.Order, alone bool) (*suite.Run, error)
	// Parallel returns how many runs may usefully run in parallel.
	Parallel() int
}

// MissingError says that an order could not be run because tests in it do not exist, at least not
// this time. If There is set, the tests exist but cannot run in the requested order.
type MissingError struct {
	Tests  []suite.TestID
	Reason string
	There  bool
}

func (e *MissingError) Error() string {
	if e.There {
		return "tests cannot run in the requested order: " + e.Reason
	}
	return "tests are missing: " + e.Reason
}

// Stage is a part of the orders to run, in their order of promise.
type Stage struct {
	Name   string // for people: "intra-class"
	Orders iter.Seq[suite.Order]
	Total  int // how many orders; 0: unknown
}

// Input is the input of a search.
type Input struct {
	Tests  suite.Order   // every test, in the order in which the build runs them
	Groups *suite.Groups // of the suite; nil: every test is a group of its own
	Stages []Stage
	// Rerun is how many processes must agree before a test is called
	// order-dependent; below 1 means DefaultRerun.
	Rerun int
	// Observed is the result of an earlier run of Tests in this order; nil: there is none.
	Observed *Observed
	// State says which tests of an order may affect another test, so that a shorter order can show
	// the same; nil: not known.
	State *State
	// Quick runs an order in a process that has run other orders. This costs far less than Runner.Run,
	// and nothing is concluded from it. It returns nil if it has no result. It is safe for concurrent
	// use. nil: there are no such processes.
	Quick func(context.Context, suite.Order) (*suite.Run, error)
	// Outcomes belongs to the Plan that makes the stages. The search fills it in. It may be nil.
	Outcomes *Outcomes
	// Width is the number of parallel processes for which guided orders are drawn. To draw the same
	// orders as an earlier search with the same results, use the Width of that search. 0:
	// Runner.Parallel.
	Width int
	// Isolated says that the build runs every class in a separate process: only tests of one class
	// can run before each other.
	Isolated bool
	Now      func() time.Time // nil: the wall's clock
	// Progress is called for each step. It may be nil, and is never called concurrently.
	Progress func(Progress)
}

// Observed holds the outcomes of the tests in their own order, from a run before the search. If the
// search's first run of this order agrees, the order does not run a second time.
type Observed struct {
	Failed []suite.TestID
	// Later means that the stages contain the suite's own order, so it does not run first.
	// Conclusions never rest on the observed run.
	Later bool
}

func (o *Observed) outcome(t suite.TestID) suite.Outcome {
	switch {
	case o == nil:
		return ""
	case slices.Contains(o.Failed, t):
		return suite.Fail
	}
	return suite.Pass
}

// DefaultRerun is used if Input.Rerun is below 1.
const DefaultRerun = 3

// Progress says how far a search is.
type Progress struct {
	Stage  string
	Orders int   // run so far
	Total  int   // orders in all; 0: unknown
	Pairs  Share // ordered pairs of tests seen directly after each other
	Finds  int   // tests found to be order-dependent
	Open   int   // suspects being confirmed
	Latest suite.TestID
}

// Share is a number of things out of a total; Of is 0 if they were not counted.
type Share struct{ Covered, Of int }

// Kind is a kind of order-dependent test (Shi et al., ESEC/FSE 2019, section 2).
type Kind string

// The kinds.
const (
	Victim    Kind = "victim"    // passes alone
	Brittle   Kind = "brittle"   // fails alone
	Dependent Kind = "dependent" // gives no result alone, or did not run alone
)

// Observation is an order in which a test was seen to pass or fail, cut after the test.
type Observation struct {
	Source  string // "order 7 (intra-class)"
	Order   suite.Order
	Repeats int // processes that agreed
	// Whole is the order that ran. Order is its beginning.
	Whole suite.Order
}

// Find is a test that is confirmed to be order-dependent.
type Find struct {
	Test             suite.TestID
	Kind             Kind
	Failing, Passing Observation
	Failure          *suite.Failure
	// Cohort names the order that changed the outcomes of this test and of those confirmed together
	// with it; empty: the test was confirmed by itself.
	Cohort string
	// Shown is when the test first had another outcome than before, the observed run included.
	// After is when it was confirmed.
	Shown, After Spent
}

// Spent is what a search cost so far.
type Spent struct {
	Orders     int           // of the stages
	Executions int           // of tests, including confirmations and the observed run
	Time       time.Duration // of searching
}

// Other is a test that does not simply pass, but is not order-dependent either.
type Other struct {
	Test           suite.TestID
	Why            string
	Order          suite.Order // where that was seen, up to the test
	Source         string
	Passed, Failed int // in all runs
	Failure        *suite.Failure
}

// Result is what is known when a search stops, for any reason.
type Result struct {
	Finds     []Find  // in the order in which they were confirmed
	Flaky     []Other // had both outcomes in one and the same order
	Genuine   []Other // failed alone and in every order that was run
	Undecided []Other // suspects that could not be confirmed, and why
	Left      []Other // tests that end their process, and were left out of orders
	Missing   []suite.TestID
	Notes     []string
	Exhausted bool // every order of every stage was run, and every suspect confirmed
	Spent     Spent
	Pairs     Share
	Of        int // orders in all; 0: unknown
	// Sequential means that results of parallel processes turned out to be wrong.
	Sequential bool
}
