// Package dispatchtest holds what every dispatch.Dispatcher must do, as a test
// that each implementation runs, and a runner that misbehaves on request.
//
// A test binary becomes that runner by calling Main first thing in TestMain;
// what it then does stands in the job it gets, so that nothing but the job has
// to reach it.
package dispatchtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
)

// Grace is what a runner that does not stop gets when it is asked to. It is waited out.
const Grace = 2 * time.Second

// LongGrace is enough on any machine for a runner that stops.
const LongGrace = 5 * time.Minute

// Limits are what a dispatcher under test gives a runner.
type Limits struct {
	Quiet time.Duration // without output
	Grace time.Duration // to stop
}

func limitsOf(b Behaviour) Limits {
	l := Limits{Quiet: NeverQuiet, Grace: LongGrace}
	switch b {
	case Mute:
		l.Quiet, l.Grace = time.Millisecond, Grace // it is silent for longer, on any machine
	case Stubborn, Deaf, Overdue, Lingers:
		l.Grace = Grace
	}
	return l
}

// NeverQuiet is a limit of silence that no runner of these tests reaches.
const NeverQuiet = time.Hour

// Conformance runs all the checks. The dispatcher that open returns must run
// this test binary as its runner, with these limits, and give it next to nothing
// beyond its budget.
func Conformance(t *testing.T, open func(t *testing.T, l Limits) dispatch.Dispatcher) {
	for _, c := range cases {
		t.Run(string(c.behaviour), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var events []job.Event
			j := Job(c.behaviour)
			if j.Dir = filepath.Join(t.TempDir(), "check out", "ü"); os.MkdirAll(j.Dir, 0o755) != nil {
				t.Fatal("no checkout")
			}
			report, err := open(t, limitsOf(c.behaviour)).Run(ctx, j, func(e job.Event) {
				events = append(events, e)
				if c.cancel && e.Message == Ready {
					cancel()
				}
			})
			c.check(t, outcome{j, report, events, err})
		})
	}
	t.Run("cancelled beforehand", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		report, err := open(t, limitsOf(Answers)).Run(ctx, Job(Answers), nil)
		wantError(t, outcome{report: report, err: err}, dispatch.CodeStopped, "")
	})
	t.Run("no listener", func(t *testing.T) {
		j := Job(Answers)
		j.Dir = t.TempDir()
		report, err := open(t, limitsOf(Answers)).Run(t.Context(), j, nil)
		wantReport(t, outcome{report: report, err: err}, true)
	})
}

type outcome struct {
	job    job.Job
	report *job.Report
	events []job.Event
	err    error
}

var cases = []struct {
	behaviour Behaviour
	cancel    bool // ends the context when the runner says it is ready
	check     func(*testing.T, outcome)
}{
	{behaviour: Answers, check: wholeAnswer},
	{behaviour: Refuses, check: func(t *testing.T, o outcome) {
		if o.err != nil || o.report == nil || o.report.Error == nil || o.report.Error.Code != "build-broken" {
			t.Errorf("a report with an error in it must come through as a report, got %+v, %v", o.report, o.err)
		}
	}},
	{behaviour: Large, check: func(t *testing.T, o outcome) {
		wantReport(t, o, true)
		if o.report != nil && len(o.report.Notes[0]) != largeNote {
			t.Errorf("%d bytes of %d arrived", len(o.report.Notes[0]), largeNote)
		}
	}},
	{behaviour: Stops, cancel: true, check: func(t *testing.T, o outcome) { wantReport(t, o, false) }},
	{behaviour: Overruns, check: func(t *testing.T, o outcome) { wantReport(t, o, false) }},
	{behaviour: Stubborn, cancel: true, check: failsWith(dispatch.CodeStopped, "")},
	{behaviour: Deaf, cancel: true, check: failsWith(dispatch.CodeStopped, "")},
	{behaviour: Overdue, check: failsWith(dispatch.CodeOverdue, "")},
	{behaviour: Lingers, check: func(t *testing.T, o outcome) { wantReport(t, o, true) }},
	{behaviour: Leaves, check: func(t *testing.T, o outcome) { wantReport(t, o, true) }},
	{behaviour: Dies, check: failsWith(dispatch.CodeDied, "out of cheese")},
	{behaviour: Silent, check: failsWith(dispatch.CodeDied, "")},
	{behaviour: Half, check: failsWith(dispatch.CodeDied, "")},
	{behaviour: Noisy, check: func(t *testing.T, o outcome) { wantReport(t, o, true) }},
	{behaviour: Chatters, check: func(t *testing.T, o outcome) {
		wantError(t, o, dispatch.CodeDied, "last words")
		if e := asError(o.err); e != nil && len(e.Detail) > 64<<10 {
			t.Errorf("%d bytes of log kept", len(e.Detail))
		}
	}},
	{behaviour: Garbled, check: failsWith(dispatch.CodeGarbled, "")},
	{behaviour: Endless, check: failsWith(dispatch.CodeGarbled, "")},
	{behaviour: Killed, check: failsWith(dispatch.CodeDied, "")},
	{behaviour: Mute, check: failsWith(dispatch.CodeSilent, "")},
	{behaviour: Escapes, check: func(t *testing.T, o outcome) { wantReport(t, o, true) }},
	{behaviour: Foreign, check: failsWith(dispatch.CodeVersion, "")},
}

// wholeAnswer checks that job, events and report all arrive as they were sent.
func wholeAnswer(t *testing.T, o outcome) {
	wantReport(t, o, true)
	if len(o.events) != 3 {
		t.Fatalf("3 events were sent, got %+v", o.events)
	}
	for i, e := range o.events {
		if e.Done != i || e.Phase != job.PhaseDiagnose {
			t.Errorf("event %d is %+v", i, e)
		}
	}
	if o.report == nil || o.report.Project.Dir != o.job.Dir || !slices.Equal(o.report.Project.BuildArgs, Job(Answers).BuildArgs) {
		t.Errorf("the job did not reach the runner whole: %+v", o.report)
	}
	if o.report != nil && o.report.Tests == nil {
		t.Error("the report is not tidy: Tests is nil")
	}
}

func wantReport(t *testing.T, o outcome, finished bool) {
	t.Helper()
	switch {
	case o.err != nil:
		t.Errorf("want a report, got error %v", o.err)
	case o.report == nil:
		t.Error("neither report nor error")
	case o.report.Finished != finished:
		t.Errorf("finished is %v, want %v", o.report.Finished, finished)
	}
}

func failsWith(code, detail string) func(*testing.T, outcome) {
	return func(t *testing.T, o outcome) { wantError(t, o, code, detail) }
}

func wantError(t *testing.T, o outcome, code, detail string) {
	t.Helper()
	e := asError(o.err)
	if o.report != nil || e == nil {
		t.Fatalf("want error %s, got %+v, %v", code, o.report, o.err)
	}
	if e.Code != code || !strings.Contains(e.Detail, detail) || e.Message == "" {
		t.Errorf("want error %s with %q in its detail, got %+v", code, detail, e)
	}
}

func asError(err error) *job.Error {
	var e *job.Error
	errors.As(err, &e)
	return e
}
