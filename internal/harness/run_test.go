//go:build unix

package harness

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

// testLimits are the limits of the tests. Each duration is unique, so that a fake clock can
// distinguish the timers.
var testLimits = Limits{
	Start: 61 * time.Second, Floor: 7 * time.Second, Unseen: 90 * time.Second, Cap: 600 * time.Second,
	Run: 1800 * time.Second, Stacks: 3 * time.Second, Quit: 10 * time.Second,
}

func newTestPool(t testing.TB, cfg Config) *Pool {
	t.Helper()
	if cfg.Exact.Command == nil {
		cfg.Exact = fakeSpec("")
	}
	if cfg.Limits == (Limits{}) {
		cfg.Limits = testLimits
	}
	p, err := NewPool(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func order(methods ...string) suite.Order {
	var o suite.Order
	for _, m := range methods {
		o = append(o, suite.TestID("A#"+m))
	}
	return o
}

var fresh = Question{Price: suite.Fresh}

func mustRun(t *testing.T, p *Pool, o suite.Order, q Question) *suite.Run {
	t.Helper()
	run, err := p.Run(t.Context(), o, q)
	if err != nil {
		t.Fatalf("Run(%v): %v", o, err)
	}
	if len(run.Results) != len(o) {
		t.Fatalf("%d results for %d positions", len(run.Results), len(o))
	}
	for i, r := range run.Results {
		if r.Test != o[i] || r.Position != i {
			t.Errorf("result %d is of %s at %d, want %s", i, r.Test, r.Position, o[i])
		}
	}
	return run
}

func outcomes(run *suite.Run) []suite.Outcome {
	var out []suite.Outcome
	for _, r := range run.Results {
		out = append(out, r.Outcome)
	}
	return out
}

const (
	pass, fail, skip, unresolved = suite.Pass, suite.Fail, suite.Skip, suite.Unresolved
)

func TestRunsTheOrder(t *testing.T) {
	p := newTestPool(t, Config{})
	run := mustRun(t, p, order("pass", "fail", "skip", "finishes unstarted", "pass", "invocations",
		"leftover bytes", "unknown frame"), fresh)
	want := []suite.Outcome{pass, fail, skip, fail, pass, pass, pass, pass}
	if diff := cmp.Diff(want, outcomes(run)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if run.Crash != nil || run.Price != suite.Fresh || run.Nanos <= 0 || run.Results[0].Nanos != 1000 {
		t.Errorf("run = %+v", run)
	}
	if f := run.Results[1].Failure; f == nil || f.Type != "AssertionError" {
		t.Errorf("failure = %+v", f)
	}
	if f := run.Results[0].Failure; f != nil {
		t.Errorf("a passing test has the failure %+v", f)
	}
}

// A class's own failure is reported separately from the outcomes and does not change them.
func TestClassFailures(t *testing.T) {
	run := mustRun(t, newTestPool(t, Config{}), order("pass", "teardown fails", "pass"), fresh)
	if diff := cmp.Diff([]suite.Outcome{pass, pass, pass}, outcomes(run)); diff != "" || run.Crash != nil {
		t.Errorf("crash %v, outcomes (-want +got):\n%s", run.Crash, diff)
	}
	want := []suite.ClassFailure{{Class: "A", Position: 1,
		Failure: suite.Failure{Type: "T", Message: "teardown broke", Stack: "at A.down"}}}
	if diff := cmp.Diff(want, run.ClassFailures); diff != "" {
		t.Errorf("class failures (-want +got):\n%s", diff)
	}
	run = mustRun(t, newTestPool(t, Config{}), order("pass", "teardown nowhere"), fresh)
	if run.Crash == nil || run.Crash.Kind != "protocol" {
		t.Errorf("crash = %v", run.Crash)
	}
}

func TestFailureTextIsBoundedAndValid(t *testing.T) {
	run := mustRun(t, newTestPool(t, Config{}), order("binary"), fresh)
	f := run.Results[0].Failure
	if len(f.Message) > maxMessage || len(f.Stack) > maxStack || !strings.HasPrefix(f.Message, "\uFFFD") ||
		!strings.HasSuffix(f.Message, "…") {
		t.Errorf("message of %d bytes %.10q, stack of %d bytes", len(f.Message), f.Message, len(f.Stack))
	}
}

// Each disaster comes after a test that passes and before one that never runs.
func TestDisasters(t *testing.T) {
	for _, c := range []struct {
		does, kind, detail string
		outcome            suite.Outcome
	}{
		{"exit", "exit", "System.exit called in thread main (exit status 3)", unresolved},
		{"terminated", "killed", "exit status 143", unresolved},
		{"dies", "exit", "exit status 7 before the order was finished", unresolved},
		{"dies as by a signal", "killed", "exit status 137", unresolved},
		{"killed", "killed", "killed by signal: killed", unresolved},
		{"half frame", "exit", "exit status 7 before the order was finished", unresolved},
		{"garbage", "protocol", "a frame of 4294967295 bytes", unresolved},
		{"is not there", suite.CrashMissing, "after 1 of its tests: the test process refused the order: A holds no such test", unresolved},
		{"others are not there", "protocol", "A holds no such test: A#gone", unresolved},
		{"runs too late", "protocol", "A keeps to no order", unresolved},
		{"odd outcome", "protocol", `unknown outcome '?'`, unresolved},
		{"other id", "protocol", "B#other finished at position 1 where A#other id was to run", unresolved},
		{"starts twice", "protocol", "began before", unresolved},
		{"finishes twice", "protocol", "was to run at position 2", pass},
		{"completes early", "protocol", "1 tests finished", unresolved},
	} {
		t.Run(c.does, func(t *testing.T) {
			t.Parallel()
			run := mustRun(t, newTestPool(t, Config{}), order("pass", c.does, "pass"), fresh)
			if diff := cmp.Diff([]suite.Outcome{pass, c.outcome, unresolved}, outcomes(run)); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			if run.Crash == nil || run.Crash.Kind != c.kind || !strings.Contains(run.Crash.Detail, c.detail) {
				t.Fatalf("crash = %v, want %s: %s", run.Crash, c.kind, c.detail)
			}
			if c.does == "exit" && run.Crash.Stacks != "\tat A.exit" {
				t.Errorf("stacks = %q", run.Crash.Stacks)
			}
			if c.outcome == unresolved && run.Crash.During != run.Order[1] {
				t.Errorf("during %s", run.Crash.During)
			}
		})
	}
}

func TestOutputOfADeadProcessIsKept(t *testing.T) {
	run := mustRun(t, newTestPool(t, Config{}), order("dies"), fresh)
	if run.Output != "last words\n" {
		t.Errorf("output = %q", run.Output)
	}
}

func TestClosedEventPipe(t *testing.T) {
	p := newTestPool(t, Config{clock: expiring(testLimits.Quit)})
	run := mustRun(t, p, order("closes events"), fresh)
	if run.Crash == nil || run.Crash.Kind != "protocol" {
		t.Errorf("crash = %v", run.Crash)
	}
}

func TestHang(t *testing.T) {
	p := newTestPool(t, Config{clock: expiring(testLimits.Floor)})
	p.Learn("A#hang", time.Millisecond) // the other tests are unseen, so they have more time
	run := mustRun(t, p, order("pass", "hang", "pass"), fresh)
	want := &suite.Crash{Kind: "hang", During: "A#hang", Detail: "the test ran for more than 7s",
		Stacks: "stack of everything", Premature: true}
	if diff := cmp.Diff(want, run.Crash); diff != "" {
		t.Errorf("crash (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]suite.Outcome{pass, unresolved, unresolved}, outcomes(run)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// A hang is final once the test had the time of an unseen test, also in later runs.
func TestHangRunsAgain(t *testing.T) {
	const late = 7 // of the times of an unseen test that are given, this is for the one that hangs, in the second process
	p := newTestPool(t, Config{clock: newFakeClock(func(d time.Duration, n int) <-chan struct{} {
		if d == testLimits.Floor || d == testLimits.Unseen && n == late {
			return passed()
		}
		return nil
	})})
	p.Learn("A#hang", time.Millisecond)
	moreTime := Question{Price: suite.Fresh, MoreTime: true}
	for _, c := range []struct {
		q         Question
		detail    string
		premature bool
	}{
		{fresh, "the test ran for more than 7s", true},
		{moreTime, "the test ran for more than 1m30s", false},
		{fresh, "the test ran for more than 7s", false},
	} {
		run := mustRun(t, p, order("pass", "hang"), c.q)
		if run.Crash == nil || run.Crash.Detail != c.detail || run.Crash.Premature != c.premature {
			t.Errorf("crash = %+v, want %q, premature: %v", run.Crash, c.detail, c.premature)
		}
	}
}

// The first test of an order loads classes that later tests find loaded.
func TestFirstTestOfAnOrderIsCold(t *testing.T) {
	clock := newFakeClock(func(time.Duration, int) <-chan struct{} { return nil })
	p := newTestPool(t, Config{clock: clock})
	p.Learn("A#pass", time.Millisecond)
	mustRun(t, p, order("pass"), fresh)
	if n := clock.seen[testLimits.Floor]; n != 0 {
		t.Errorf("as the first test it was given %v", testLimits.Floor)
	}
	mustRun(t, p, order("pass", "pass"), fresh)
	if n := clock.seen[testLimits.Floor]; n == 0 {
		t.Errorf("as the second test it was not given %v", testLimits.Floor)
	}
}

func TestHangOfAProcessThatAnswersNothing(t *testing.T) {
	ready := make(chan struct{})
	p := newTestPool(t, Config{clock: newFakeClock(func(d time.Duration, nth int) <-chan struct{} {
		switch {
		case d == testLimits.Floor && nth == 2: // its "ready" has arrived, so it will catch SIGQUIT
			close(ready)
			return passed()
		case d == testLimits.Stacks && nth == 1:
			return passed()
		}
		return nil
	})})
	p.Learn("A#deaf hang", time.Millisecond)
	run := mustRun(t, p, order("pass", "deaf hang"), fresh)
	<-ready
	if run.Crash == nil || run.Crash.Kind != "hang" || run.Crash.Stacks != "Full thread dump of a fake\n" {
		t.Errorf("crash = %+v", run.Crash)
	}
}

func TestWholeOrderTakesTooLong(t *testing.T) {
	p := newTestPool(t, Config{clock: expiring(testLimits.Run)})
	run := mustRun(t, p, order("hang"), fresh)
	if run.Crash == nil || run.Crash.Kind != "hang" || !strings.Contains(run.Crash.Detail, "30m0s") {
		t.Errorf("crash = %v", run.Crash)
	}
}

func TestProcessThatIgnoresQuit(t *testing.T) {
	p := newTestPool(t, Config{Exact: fakeSpec("ignores quit"), clock: expiring(testLimits.Quit)})
	if run := mustRun(t, p, order("pass"), fresh); run.Crash != nil || run.Last().Outcome != pass {
		t.Errorf("run = %+v", run)
	}
	// The next process has less time to end.
	if got := (orderRun{limits: Limits{Quit: time.Minute}, lingers: &p.lingers}).quitLimit(); got != lingerLimit {
		t.Errorf("the next process may take %v to end", got)
	}
}

func TestRefused(t *testing.T) {
	p := newTestPool(t, Config{Exact: fakeSpec("refuses")})
	_, err := p.Run(t.Context(), order("pass", "fail"), fresh)
	var r *RefusedError
	if !errors.As(err, &r) || len(r.Tests) != 1 || r.Tests[0] != "A#fail" {
		t.Fatalf("err = %v", err)
	}
	if want := "the test process refused the order: the runner ignored the filter: A#fail"; err.Error() != want {
		t.Errorf("err = %v, want %s", err, want)
	}
}

func TestStartFailures(t *testing.T) {
	missing := fakeSpec("")
	missing.Command = []string{"/no/such/java"}
	nowhere := fakeSpec("")
	nowhere.Dir = "/no/such/folder"
	for name, c := range map[string]struct {
		spec Spec
		want string
	}{
		"exits": {fakeSpec("exit at start"),
			"it ended before it was ready (exit status 1); it printed:\nUnrecognized VM option 'UseFooGC'"},
		"silent":        {fakeSpec("silent"), "it sent nothing for 1m1s"},
		"garbage":       {fakeSpec("garbage at start"), "does not follow odfix's protocol"},
		"other version": {fakeSpec("other version"), "version 99"},
		"no hello":      {fakeSpec("no hello"), "first word"},
		"works":         {fakeSpec("works for ever"), "it was not ready after 2m2s of processor time"},
		"stops":         {fakeSpec("works and stops"), "it was not ready, and did nothing for 1m1s"},
		"missing":       {missing, "there is no executable /no/such/java"},
		"nowhere":       {nowhere, "its working directory /no/such/folder is not there"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{Exact: c.spec}
			if name == "silent" {
				cfg.clock = expiring(testLimits.Start)
			}
			if name == "stops" { // the first time, and after each of three times that it worked
				cfg.clock = newFakeClock(func(d time.Duration, nth int) <-chan struct{} {
					if d == testLimits.Start && nth == 4 {
						return passed()
					}
					return nil
				})
			}
			_, err := newTestPool(t, cfg).Run(t.Context(), order("pass"), fresh)
			var s *StartError
			if !errors.As(err, &s) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("err = %v, want %s", err, c.want)
			}
		})
	}
}

func TestAStartThatWorksGoesOn(t *testing.T) {
	c := newFakeClock(func(time.Duration, int) <-chan struct{} { return nil })
	run, err := newTestPool(t, Config{Exact: fakeSpec("works at start"), clock: c}).Run(t.Context(), order("pass"), fresh)
	if err != nil || len(run.Results) != 1 {
		t.Fatalf("run = %v, err = %v", run, err)
	}
	if n := c.seen[testLimits.Start]; n != 4 {
		t.Errorf("the start had %d times the limit, want one for each of 3 signs of work, and the first", n)
	}
}

func TestBadQuestions(t *testing.T) {
	p := newTestPool(t, Config{})
	for _, c := range []struct {
		o    suite.Order
		q    Question
		want string
	}{
		{nil, fresh, "empty order"},
		{suite.Order{"A#a", ""}, fresh, "position 1"},
		{order("pass"), Question{}, "unknown price"},
		{order("pass"), Question{Price: "dear"}, "unknown price"},
		{order("pass"), Question{Price: suite.Fresh, Switches: "01x"}, "0 and 1"},
		{order(strings.Repeat("x", maxFrame)), fresh, "fewer tests"},
	} {
		if _, err := p.Run(t.Context(), c.o, c.q); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Run: err = %.80v, want %s", err, c.want)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := newTestPool(t, Config{clock: newFakeClock(func(d time.Duration, _ int) <-chan struct{} {
		if d == testLimits.Floor { // the test has begun
			cancel()
		}
		return nil
	})})
	p.Learn("A#hang", time.Millisecond)
	if _, err := p.Run(ctx, order("pass", "hang"), fresh); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}
