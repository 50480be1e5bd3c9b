// Package suite holds the types that every package of odfix shares: tests, their groups, orders of
// tests, and the results of running an order.
//
// It knows no language, no build tool and no GitHub. A suite is a tree. Every test framework keeps
// one rule: the tests of a group run contiguously. An Order is an explicit list of test ids, never
// a seed.
package suite

import (
	"fmt"
	"slices"
	"strings"
)

// TestID names one test, for example "com.acme.FooTest#bar". It is opaque: a Syntax reads it, and
// Groups says which tests belong together.
type TestID string

// Order is a sequence of tests to run in one process, in exactly this order. A test may be in it
// more than once.
type Order []TestID

// Index is the position of the first occurrence of t, or -1.
func (o Order) Index(t TestID) int {
	return slices.Index(o, t)
}

// Before returns the tests before the first occurrence of t, or all tests if t is absent. The
// result shares no memory with o.
func (o Order) Before(t TestID) Order {
	i := o.Index(t)
	if i < 0 {
		i = len(o)
	}
	return append(Order(nil), o[:i]...)
}

// Join concatenates orders into a new one.
func Join(orders ...Order) Order {
	return slices.Concat(orders...)
}

// Key returns a string that is equal only for equal orders.
func (o Order) Key() string {
	var b strings.Builder
	for _, t := range o {
		b.WriteString(string(t))
		b.WriteByte('\n')
	}
	return b.String()
}

// Outcome is the result of one test at one position of one run, or of repeated runs.
type Outcome string

// The outcomes. Conclusions are drawn only from Pass and Fail.
const (
	Pass       Outcome = "pass"
	Fail       Outcome = "fail"
	Skip       Outcome = "skip"       // disabled, or an assumption did not hold
	Flaky      Outcome = "flaky"      // repeats of the same order disagreed
	Unresolved Outcome = "unresolved" // crash, timeout, or no result
)

// Failure is why a test failed or was skipped.
type Failure struct {
	Type    string `json:"type,omitempty"`    // class of the exception
	Message string `json:"message,omitempty"` // its message, shortened by the harness
	Stack   string `json:"stack,omitempty"`   // trimmed stack trace
}

// Result is the result of the test at one position of an order.
type Result struct {
	Test     TestID   `json:"test"`
	Outcome  Outcome  `json:"outcome"`
	Nanos    int64    `json:"nanos"` // time the test took, in nanoseconds
	Failure  *Failure `json:"failure,omitempty"`
	Position int      `json:"position"` // index in the order
}

// Price is what an answer cost, and so how far it can be trusted. Conclusions rest only on Fresh
// answers.
type Price string

// The prices, the most expensive first.
const (
	Fresh   Price = "fresh"   // a new process launched as the project's own build launches it
	Warm    Price = "warm"    // a spare process started beforehand, used once
	Batched Price = "batched" // one observation among several in one process
)

// Crash says why a process ended before the end of its order.
type Crash struct {
	Kind   string `json:"kind"`             // "exit", "killed", "hang", "protocol", "start", CrashMissing
	During TestID `json:"during,omitempty"` // the test that ran at that moment
	Detail string `json:"detail,omitempty"` // one line for people
	Stacks string `json:"stacks,omitempty"` // thread dump, if there is one
	// Premature means that the test is not known to hang. It had less time than a test of unknown
	// duration gets.
	Premature bool `json:"-"`
	// Missing lists, for a CrashMissing, all tests that the process did not find.
	Missing []TestID `json:"-"`
}

// CrashMissing is the kind of a crash in which the process did not find tests of its order, and ran
// no test after the first missing one. Crash.During names that test.
const CrashMissing = "missing"

func (c *Crash) String() string {
	if c == nil {
		return ""
	}
	s := c.Kind
	if c.Detail != "" {
		s += ": " + c.Detail
	}
	if c.During != "" {
		s += fmt.Sprintf(" (during %s)", c.During)
	}
	return s
}

// ClassFailure is a failure outside the tests of a class, mostly in its teardown. The tests keep
// their outcomes. A build reports such a failure without a test's name, and fails.
type ClassFailure struct {
	Class    string  `json:"class"`
	Position int     `json:"position"` // of the last test that had finished before the failure
	Failure  Failure `json:"failure"`
}

// Run is one run of an order in one process. Results holds exactly one entry for each position of
// Order, in order. Positions that were not reached are Unresolved.
type Run struct {
	Order   Order    `json:"order"`
	Results []Result `json:"results"`
	Price   Price    `json:"price"`
	Nanos   int64    `json:"nanos"` // wall time of the whole run, process start included
	Crash   *Crash   `json:"crash,omitempty"`
	Output  string   `json:"output,omitempty"` // the end of what the process printed
	// ClassFailures make the build fail, but no test.
	ClassFailures []ClassFailure `json:"classFailures,omitempty"`
}

// At returns the result at position i; Unresolved if the run ended before.
func (r *Run) At(i int) Result {
	if i >= 0 && i < len(r.Results) {
		return r.Results[i]
	}
	res := Result{Outcome: Unresolved, Position: i}
	if i >= 0 && i < len(r.Order) {
		res.Test = r.Order[i]
	}
	return res
}

// Last returns the result at the order's last position.
func (r *Run) Last() Result { return r.At(len(r.Order) - 1) }
