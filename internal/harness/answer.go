package harness

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Bounds on what a run keeps of failures, in bytes. The harness should keep to them, too.
const (
	maxMessage  = 8 << 10
	maxStack    = 32 << 10
	maxFailures = 16 << 20 // of all failures of one run
)

// answer combines the events of one order into a Run. No other code decides whether the events
// match the order.
type answer struct {
	run    *suite.Run
	id     int64
	next   int  // positions finished
	began  bool // position next has started
	kept   int  // bytes of failures kept
	exit   *exiting
	timing *timing
	seen   observing
	ended  complete
}

func newAnswer(order suite.Order, price suite.Price, id int64, t *timing) *answer {
	run := &suite.Run{Order: order, Price: price, Results: make([]suite.Result, len(order))}
	for i, test := range order {
		run.Results[i] = suite.Result{Test: test, Outcome: suite.Unresolved, Position: i}
	}
	return &answer{run: run, id: id, timing: t, seen: observing{order: len(order)}}
}

// during returns the running test, or else the test that ran last or is next. It returns "" before
// anything begins.
func (a *answer) during() suite.TestID {
	switch {
	case a.next < len(a.run.Order):
		return a.run.Order[a.next]
	case a.next > 0:
		return a.run.Order[a.next-1]
	}
	return ""
}

// take adds an event. done reports that the order is complete. The error is a *RefusedError, a
// lateError or a protocolError.
func (a *answer) take(e event) (done bool, err error) {
	switch e := e.(type) {
	case started:
		return false, a.start(e)
	case finished:
		return false, a.finish(e)
	case classFailed:
		return false, a.classFail(e)
	case invocation, stacks, busy: // busy: another thread of the process can send it a moment late
		return false, nil
	case placed, noted, initialised, state.Segment, state.Capture, callsSeen, restoredFrame:
		return false, a.seen.take(e)
	case exiting:
		a.exit = &e
		return false, nil
	case refused:
		return true, a.refuse(e)
	case complete:
		a.ended = e
		return true, a.complete(e)
	}
	return false, protocolf("an event out of place (%T) while an order ran", e)
}

func (a *answer) start(e started) error {
	if a.began {
		return protocolf("position %d began before position %d was finished", e.position, a.next)
	}
	if err := a.placed("began", e.position, e.id); err != nil {
		return err
	}
	a.began = true
	return nil
}

// placed checks that an event is about the position whose turn it is.
func (a *answer) placed(verb string, position int64, id string) error {
	if a.next >= len(a.run.Order) {
		return protocolf("%s %s after the whole order was finished", id, verb)
	}
	want := a.run.Order[a.next]
	if position != int64(a.next) || id != string(want) {
		return protocolf("%s %s at position %d where %s was to run at position %d", id, verb, position, want, a.next)
	}
	return nil
}

func (a *answer) finish(e finished) error {
	if err := a.placed("finished", e.position, e.id); err != nil {
		return err
	}
	r := &a.run.Results[a.next]
	switch e.outcome {
	case 'p':
		r.Outcome = suite.Pass
	case 'f':
		r.Outcome = suite.Fail
	case 's':
		r.Outcome = suite.Skip
	default:
		return protocolf("%s finished with the unknown outcome %q", e.id, e.outcome)
	}
	r.Nanos = max(e.nanos, 0)
	if r.Outcome != suite.Pass {
		r.Failure = a.failure(e.kind, e.message, e.stack)
	}
	a.next, a.began = a.next+1, false
	return nil
}

// maxClassFailures bounds how many class failures one run keeps. A class fails at most once or
// twice, but a hostile one may report more.
const maxClassFailures = 1000

// classFail keeps a failure of a class. It changes no outcome.
func (a *answer) classFail(e classFailed) error {
	if e.position < 0 || e.position >= int64(len(a.run.Order)) {
		return protocolf("the class %s failed at position %d of an order of %d tests", e.class, e.position, len(a.run.Order))
	}
	if len(a.run.ClassFailures) < maxClassFailures {
		f := suite.ClassFailure{Class: clip(e.class, maxMessage), Position: int(e.position)}
		if why := a.failure(e.kind, e.message, e.stack); why != nil {
			f.Failure = *why
		}
		a.run.ClassFailures = append(a.run.ClassFailures, f)
	}
	return nil
}

// failure keeps the failure's text, within bounds.
func (a *answer) failure(kind, message, stack string) *suite.Failure {
	f := &suite.Failure{Type: clip(kind, maxMessage), Message: clip(message, maxMessage)}
	if a.kept < maxFailures {
		f.Stack = clip(stack, maxStack)
	}
	if *f == (suite.Failure{}) {
		return nil
	}
	a.kept += len(f.Type) + len(f.Message) + len(f.Stack)
	return f
}

// clip shortens s to valid UTF-8 of at most n bytes.
func clip(s string, n int) string {
	const mark = "…"
	short := len(s) <= n
	s = strings.ToValidUTF8(s[:min(len(s), n)], "\uFFFD")
	if short && len(s) <= n {
		return s
	}
	cut := min(len(s), n-len(mark))
	for cut > 0 && cut < len(s) && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + mark
}

func (a *answer) refuse(e refused) error {
	r := &RefusedError{Reason: clip(e.reason, maxMessage), Gone: e.gone}
	for _, t := range e.tests {
		r.Tests = append(r.Tests, suite.TestID(t))
	}
	if a.next > 0 || a.began {
		// A class's runner is made when its first test is due, so an order can turn out to be
		// impossible after some tests ran.
		return &lateError{r}
	}
	return r
}

// lateError is a refusal after some tests ran.
type lateError struct{ *RefusedError }

// refusedLate records a refusal after some tests ran.
func (a *answer) refusedLate(late *lateError) {
	a.crash("protocol", fmt.Sprintf("after %d of its tests: %s", a.next, late.Error()), "")
	ahead := slices.DeleteFunc(slices.Clone(late.Tests), func(t suite.TestID) bool { return a.run.Order.Index(t) < a.next })
	if len(ahead) == 0 {
		return // no test that was still to run is refused
	}
	a.run.Crash.During = ahead[0]
	if late.Gone {
		a.run.Crash.Kind, a.run.Crash.Missing = suite.CrashMissing, ahead
	}
}

func (a *answer) complete(e complete) error {
	if e.id != a.id || e.positions != int64(len(a.run.Order)) || a.next != len(a.run.Order) {
		return protocolf("order %d was reported complete with %d tests finished, %d of which were reported; "+
			"expected order %d with %d tests",
			e.id, e.positions, a.next, a.id, len(a.run.Order))
	}
	return nil
}

// died fills in the crash of a process that ended before its order was done. The process's report
// of its exit is one line, followed by the caller's stack.
func (a *answer) died(p *process) {
	kind, detail := p.ended()
	if a.exit == nil || p.bySignal() {
		a.crash(kind, detail, "")
		return
	}
	how, stack, _ := strings.Cut(a.exit.how, "\n")
	a.crash("exit", fmt.Sprintf("%s (exit status %d)", clip(how, maxMessage), p.cmd.ProcessState.ExitCode()), clip(stack, maxStack))
}

func (a *answer) crash(kind, detail, stacks string) {
	a.run.Crash = &suite.Crash{Kind: kind, During: a.during(), Detail: detail, Stacks: stacks}
}

// learn passes the durations of the tests to the watchdog.
func (a *answer) learn() {
	for _, r := range a.run.Results[:a.next] {
		if r.Outcome == suite.Pass || r.Outcome == suite.Fail {
			a.timing.learn(r.Test, nanos(r.Nanos))
		}
	}
}
