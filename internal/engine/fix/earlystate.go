package fix

import (
	"context"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/engine/restore"
	"github.com/odfix/odfix/internal/job"
)

// earlyState is the search for the state that a cause leaves changed, of one failing test. It runs while
// the diagnosis checks the cause again and searches cleaners and further causes, which do not depend
// on it.
type earlyState struct {
	done   chan struct{}
	cancel context.CancelFunc
	before job.TestReport // when the search began
	report job.TestReport
}

// located begins the search for the state.
func (f *fixing) located(ctx context.Context, t diagnose.TestResult) {
	ctx, cancel := context.WithCancel(ctx)
	e := &earlyState{done: make(chan struct{}), cancel: cancel, before: TestReport(t)}
	reports := []job.TestReport{TestReport(t)}
	f.early = e
	go func() {
		defer close(e.done)
		f.repairing.search.Explain(ctx, reports, 0)
		e.report = reports[0]
	}()
}

// stop ends the search, and returns when its processes have ended.
func (e *earlyState) stop() {
	if e != nil {
		e.cancel()
		<-e.done
	}
}

// state names the state of tests that are explained. It takes what the early search found if that
// is still about the same cause. Otherwise it searches now.
func (f *fixing) state(ctx context.Context, sofar *diagnose.Result, reports []job.TestReport) {
	e := f.early
	f.early = nil
	if e == nil {
		f.repairing.search.Explain(ctx, reports, sofar.Open)
		return
	}
	select {
	case <-e.done:
	case <-ctx.Done():
	}
	e.stop()
	if sofar.Sequential || len(reports) != 1 || !e.fits(reports[0]) {
		f.repairing.search.Forget(e.report.Test)
		f.repairing.search.Explain(ctx, reports, sofar.Open)
		return
	}
	to, from := &reports[0], e.report
	to.State, to.StateMatters, to.OtherLoader, to.Changes = from.State, from.StateMatters, from.OtherLoader, from.Changes
	to.Notes = append(to.Notes, from.Notes[len(e.before.Notes):]...)
}

// fits reports whether the test has the verdict and the cause for which the search began.
func (e *earlyState) fits(t job.TestReport) bool {
	return t.Test == e.before.Test && t.Verdict == e.before.Verdict && restore.SameCause(t, e.before)
}
