package job

import (
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// DetectOptions are the settings of a KindDetect, in addition to those of every job.
type DetectOptions struct {
	// Technique makes the orders; empty means the default one.
	Technique string `json:"technique,omitempty"`
	// Seed chooses the random orders.
	Seed uint64 `json:"seed,omitempty"`
	// ChangedSince is a git revision. Only pairs with a test that the change since then touches are
	// covered; empty: all.
	ChangedSince string `json:"changedSince,omitempty"`
	// Pairs is the relation for the technique that covers given pairs.
	Pairs [][2]suite.TestID `json:"pairs,omitempty"`
	// Resume continues an interrupted detection with what it left in Out.
	Resume bool `json:"resume,omitempty"`
	// Fix repairs the tests that are found, as KindFix does.
	Fix bool `json:"fix,omitempty"`
}

// Detection is the result of KindDetect. The verdicts on tests that do not always pass are in
// Report.Tests, as for KindFix.
type Detection struct {
	Technique string `json:"technique"`
	// Guarantee says in sentences what all orders together cover.
	Guarantee []string `json:"guarantee"`
	// Exhausted: every order ran, so the guarantee holds.
	Exhausted bool `json:"exhausted"`
	// Sequential: parallel processes disturbed each other, so orders ran one at a time.
	Sequential bool           `json:"sequential"`
	Orders     int            `json:"orders"`               // that ran
	OrdersAll  int            `json:"ordersAll,omitempty"`  // all orders; 0: unknown
	Executions int            `json:"executions"`           // of tests, in orders and confirmations
	Pairs      int            `json:"pairs"`                // ordered pairs of tests that ran directly after each other
	PairsAll   int            `json:"pairsAll,omitempty"`   // all such pairs; 0: not counted
	Remembered int            `json:"remembered,omitempty"` // runs reused from an interrupted detection
	Copies     int            `json:"copies,omitempty"`     // working copies, if tests write into their folder
	Seconds    float64        `json:"seconds"`              // wall time spent on orders and confirmations
	Finds      []Found        `json:"finds"`                // in the order in which they were found
	Causes     []Cause        `json:"causes"`               // one entry for each defect
	Cohorts    []Cohort       `json:"cohorts,omitempty"`    // orders of tests that have no order of their own
	Undecided  []Unsure       `json:"undecided,omitempty"`  // passed and failed, but not confirmed
	LeftOut    []Unsure       `json:"leftOut,omitempty"`    // end their process
	Missing    []suite.TestID `json:"missing,omitempty"`    // did not exist when they were to run
	Changed    []suite.TestID `json:"changed,omitempty"`    // tests that the change touches, if ChangedSince is set
	Earlier    []Earlier      `json:"earlier,omitempty"`    // earlier searches with the same output folder, the oldest first
}

// Earlier is the result of an earlier search.
type Earlier struct {
	Started  time.Time      `json:"started"`
	Revision string         `json:"revision,omitempty"`
	Whole    bool           `json:"whole"` // every order ran, for all tests
	Tests    []suite.TestID `json:"tests"` // the order-dependent tests that it found
}

// Found is an order-dependent test, and the cost of finding it.
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
	Tests    []suite.TestID `json:"tests"`              // the tests that fail or pass because of it
	By       []suite.Order  `json:"by"`                 // polluters or state-setters; empty: not known
	Location string         `json:"location,omitempty"` // the state that they leave changed, if it is known
}

// Cohort is a set of tests that fail together in one order and pass together in another, every
// time.
type Cohort struct {
	Tests   []suite.TestID `json:"tests"`
	Failing suite.Order    `json:"failing"`
	Passing suite.Order    `json:"passing"`
	Repeats int            `json:"repeats"` // processes that ran each order
	// Cause holds the tests by which the two orders differ, if they were confirmed as the cause of
	// one test of the cohort; empty: not known.
	Cause suite.Order `json:"cause,omitempty"`
}

// Role says what the tests of a cause do.
type Role string

// The roles.
const (
	Polluter    Role = "polluter"     // leave state changed
	StateSetter Role = "state-setter" // set the state that other tests need
	NotKnown    Role = "unknown"      // not diagnosed
)

// Unsure is a test without a conclusion, and the reason.
type Unsure struct {
	Test  suite.TestID `json:"test"`
	Why   string       `json:"why"`
	Order suite.Order  `json:"order,omitempty"` // the order in which it behaved so
}
