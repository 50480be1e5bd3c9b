// Package harness starts test processes. They list tests (Pool.Discover), and run tests in exactly
// the requested order (Pool.Run). docs/harness-protocol.md describes the protocol.
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
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Question says how an order is to run.
type Question struct {
	Price suite.Price
	// Switches select the statements of a patch under minimisation that run; see the protocol.
	Switches string
	// Alone waits until no other question of the pool runs, and no other question begins until it
	// has ended. It is for confirmations that load must not affect. Idle spare processes may exist
	// meanwhile.
	Alone bool
	// MoreTime gives every test at least the time of an unseen test before it counts as hung. It is
	// for a second run after Crash.Premature says that the test may only have been slow.
	MoreTime bool

	restore *Restore      // see RestoreRun
	within  time.Duration // see Observe
}

// Info is what a process reported about itself and its classes.
type Info struct {
	Java       string   // version of the JVM (or of another language's runtime)
	Frameworks []string // "junit 4.12", "junit-platform 1.10.2", …
	Classes    []Class  // in the requested order
}

// Class is the result of discovery for one class.
type Class struct {
	Name      string
	Framework string // "junit3", "junit4", "platform", "none", "testng", "spock"
	Problem   string // why it cannot be used; empty if it can
	Fixed     bool   // the project fixes the order of its methods
	Tests     int
}

// RefusedError means that the harness refused an order because it could not run it exactly.
// Nothing ran.
type RefusedError struct {
	Reason string
	Tests  []suite.TestID // the tests that could not run
	Gone   bool           // they do not exist; otherwise they exist but cannot run in this order
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

// ErrClosed is the error of a question to a closed pool.
var ErrClosed = errors.New("the pool of test processes is closed")
