package job

import "github.com/odfix/odfix/internal/suite"

// DetectOptions are what a KindDetect asks beyond what every job asks.
type DetectOptions struct {
	// Technique makes the orders; empty means the default one.
	Technique string `json:"technique,omitempty"`
	// Seed makes other random orders.
	Seed uint64 `json:"seed,omitempty"`
	// ChangedSince is a git revision: only pairs with a test that the change since then touches
	// count; empty: all.
	ChangedSince string `json:"changedSince,omitempty"`
	// Pairs is a relation for the technique that covers given pairs.
	Pairs [][2]suite.TestID `json:"pairs,omitempty"`
	// Resume goes on with what an interrupted detection left in Out.
	Resume bool `json:"resume,omitempty"`
	// Fix repairs what is found, as KindFix does.
	Fix bool `json:"fix,omitempty"`
}

// Detection is the answer to KindDetect. The verdicts on tests that do not always pass
// stand in Report.Tests, as those of KindFix do.
type Detection struct {
	Technique string `json:"technique"`
	// Guarantee says in sentences what all orders together show.
	Guarantee []string `json:"guarantee"`
	// Exhausted: every order was run, so that the guarantee holds.
	Exhausted bool `json:"exhausted"`
	// Sequential: processes side by side disturbed each other, so that orders ran one at a time.
	Sequential bool           `json:"sequential"`
	Orders     int            `json:"orders"`               // run
	OrdersAll  int            `json:"ordersAll,omitempty"`  // there are; 0: unknown
	Executions int            `json:"executions"`           // of tests, in orders and confirmations
	Pairs      int            `json:"pairs"`                // ordered pairs of tests that ran directly after each other
	PairsAll   int            `json:"pairsAll,omitempty"`   // there are; 0: not counted
	Remembered int            `json:"remembered,omitempty"` // runs taken over from an interrupted detection
	Copies     int            `json:"copies,omitempty"`     // working copies, where tests write into their folder
	Seconds    float64        `json:"seconds"`              // wall time spent on orders and confirmations
	Finds      []Found        `json:"finds"`                // in the order in which they were found
	Causes     []Cause        `json:"causes"`               // one defect, one entry
	Cohorts    []Cohort       `json:"cohorts,omitempty"`    // orders of tests that have none of their own
	Undecided  []Unsure       `json:"undecided,omitempty"`  // seen to pass and to fail, and not confirmed
	LeftOut    []Unsure       `json:"leftOut,omitempty"`    // end their process
	Missing    []suite.TestID `json:"missing,omitempty"`    // were not there when they were to run
	Changed    []suite.TestID `json:"changed,omitempty"`    // tests that the change touches, where that was asked
}

// Found is an order-dependent test, and what it took to find it.
type Found struct {
	Test       suite.TestID `json:"test"`
	Orders     int          `json:"orders"`
	Executions int          `json:"executions"`
	Shown      int          `json:"shown"` // executions until its outcome first differed
	Seconds    float64      `json:"seconds"`
}

// Cause is what several order-dependent tests have in common.
type Cause struct {
	Role     Role           `json:"role"`
	Tests    []suite.TestID `json:"tests"`              // that fail or pass because of it
	By       []suite.Order  `json:"by"`                 // polluters or state-setters; empty: not known
	Location string         `json:"location,omitempty"` // the state they leave changed, where it is known
}

// Cohort are tests that fail together in one order and pass in another, each time that these ran.
type Cohort struct {
	Tests   []suite.TestID `json:"tests"`
	Failing suite.Order    `json:"failing"`
	Passing suite.Order    `json:"passing"`
	Repeats int            `json:"repeats"` // processes that ran each
	// Cause is all that one of the orders holds and the other does not, where it was confirmed as
	// the cause of one of them; empty: not known.
	Cause suite.Order `json:"cause,omitempty"`
}

// Role is what the tests of a cause do.
type Role string

// The roles.
const (
	Polluter    Role = "polluter"     // leave state changed
	StateSetter Role = "state-setter" // set the state that others need
	NotKnown    Role = "unknown"      // not diagnosed
)

// Unsure is a test of which nothing was concluded, and why.
type Unsure struct {
	Test  suite.TestID `json:"test"`
	Why   string       `json:"why"`
	Order suite.Order  `json:"order,omitempty"` // where that was seen
}
