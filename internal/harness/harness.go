// Package harness starts test processes and asks them questions: which tests there are
// (Pool.Discover), and what happens when they run in exactly this order (Pool.Run).
// docs/harness-protocol.md describes what both ends exchange.
//
// Invariants:
//   - A process runs one order at most, and has ended when its result is returned; only a Series
//
// runs several orders in one process.
//   - A Run holds exactly one Result for each position of its Order, whatever the process did: a
//
// result that did not arrive is Unresolved, and Crash says why.
//   - Everything read from a process is hostile: frames, texts and output are bounded, and no wait
//
// is without a limit.
//   - No process outlives odfix, however odfix ends.
package harness

import (
	"errors"
	"fmt"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// Question is how an order is to be run.
type Question struct {
	Price suite.Price
	// Switches are the statements of a patch under minimisation that run; see the protocol.
	Switches string
	// Alone waits until no other question of the pool is running, and lets none
	// begin meanwhile: for confirmations that load must not disturb. Spare
	// processes may wait beside it; they do nothing.
	Alone bool
	// MoreTime gives every test at least the time of a test that was never seen before it counts as
	// hung. It is for a second run where Crash.Premature says that the test may only have been
	// slow.
	MoreTime bool

	restore *Restore // see RestoreRun
}

// Info is what a process reported of itself and of its classes.
type Info struct {
	Java       string   // version of the JVM (or of another language's runtime)
	Frameworks []string // "junit 4.12", "junit-platform 1.10.2", …
	Classes    []Class  // in the order asked
}

// Class is the result of discovery for one class.
type Class struct {
	Name      string
	Framework string // "junit3", "junit4", "platform", "none", "testng", "spock"
	Problem   string // why it cannot be used; empty if it can
	Fixed     bool   // the project fixes the order of its methods
	Tests     int
}

// RefusedError means that the harness refused an order, because it could not run it exactly.
// Nothing ran.
type RefusedError struct {
	Reason string
	Tests  []suite.TestID // the ones that could not be placed
	Gone   bool           // they are not there; otherwise they cannot be run as they were asked for
}

func (e *RefusedError) Error() string {
	const shown = 5
	names := make([]string, 0, shown)
	for _, t := range e.Tests[:min(len(e.Tests), shown)] {
		names = append(names, string(t))
	}
	s := "the test process refused the order: " + e.Reason
	if len(names) > 0 {
		s += ": " + strings.Join(names, ", ")
	}
	if more := len(e.Tests) - shown; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// StartError means that a process could not be started, or ended before it was ready.
type StartError struct {
	Command string // the executable
	Reason  string
	Output  string // the end of what it printed
}

func (e *StartError) Error() string {
	s := fmt.Sprintf("the test process (%s) could not be started: %s", e.Command, e.Reason)
	if out := strings.TrimSpace(e.Output); out != "" {
		s += "; it printed:\n" + out
	}
	return s
}

// ErrClosed is the error of a question put to a closed pool.
var ErrClosed = errors.New("the pool of test processes is closed")
