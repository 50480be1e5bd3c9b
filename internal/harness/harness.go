// Package harness starts test processes and asks them questions: which tests
// are there (Pool.Discover), and what happens when they run in exactly this
// order (Pool.Run). docs/harness-protocol.md is what both ends speak.
//
// Invariants:
//   - A process runs one order at most, and is gone when its answer is given; only a Series asks one process several orders.
//   - A Run holds exactly one Result for each position of its Order, whatever
//     the process did: what was not heard is Unresolved, and Crash says why.
//   - Everything read from a process is hostile: frames, texts and output are
//     bounded, and no wait is without a limit.
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
	// Switches says which statements of a patch under minimisation run; see the protocol.
	Switches string
	// Alone waits until no other question of the pool is running, and lets none
	// begin meanwhile: for confirmations that load must not disturb. Spare
	// processes may wait beside it; they do nothing.
	Alone bool
	// MoreTime gives every test at least the time of a test that was never seen before it counts as
	// hung. It is for asking again where Crash.Premature says that the test may only have been
	// slow.
	MoreTime bool

	restore *Restore // see RestoreRun
}

// Info is what a process said of itself and of the classes it looked at.
type Info struct {
	Java       string   // version of the JVM (or of another language's runtime)
	Frameworks []string // "junit 4.12", "junit-platform 1.10.2", …
	Classes    []Class  // in the order asked
}

// Class is what discovery said about one class.
type Class struct {
	Name      string
	Framework string // "junit3", "junit4", "platform", "none", "testng", "spock"
	Problem   string // why it cannot be used; empty where it can
	Fixed     bool   // the project fixes the order of its methods
	Tests     int
}

// RefusedError says that a harness would not run an order, because what would
// have run is not what was asked. Nothing ran.
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

// StartError says that a process never came so far as to take an order.
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
