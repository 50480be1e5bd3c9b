package detection

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/engine/fix"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// repairs is the repair of what a detection finds. The first cause is repaired as soon as it is
// known, so that there is a patch if the time ends early. The others are repaired when no more
// orders are searched.
type repairs struct {
	d      *detection
	of     *fix.Repairing
	tests  map[suite.TestID]bool // those whose causes it has tried to repair
	took   time.Duration         // while orders were still to be searched
	failed error                 // why no further cause can be repaired
}

func newRepairs(d *detection) *repairs {
	of := fix.NewRepairing(d.s, d.p, d.pending, d.in, d.r)
	of.Clean, of.Explains = d.cleanLater, true
	return &repairs{d: d, of: of, tests: map[suite.TestID]bool{}}
}

// later is how many causes are expected besides those that are known, while orders are still
// searched.
const later = 2

// due reports whether causes are repaired now.
func (m *repairs) due() bool {
	return len(m.tests) == 0 || time.Now().After(m.d.searchUntil(len(m.d.search.Result().Finds)))
}

// soon repairs what was diagnosed so far, if this is due. If repairing fails, the tests still get
// their diagnoses. m may be nil.
func (m *repairs) soon(ctx context.Context) error {
	if m == nil || m.failed != nil || !m.due() {
		return nil
	}
	defer m.d.s.Enter(job.PhaseDiagnose)
	began := time.Now()
	defer func() { m.took += time.Since(began) }()
	open := len(m.d.unexplained(m.d.search.Result().Finds))
	if err := m.repair(ctx, open+later); err != nil {
		if ctx.Err() != nil {
			return err
		}
		m.d.s.Log.Error("repairing", zap.Error(err))
		m.failed = err
	}
	return nil
}

// repair repairs what was diagnosed and not repaired yet.
func (m *repairs) repair(ctx context.Context, open int) error {
	d := m.d
	d.update(d.search.Result()) // patches are written into the report
	left := suite.Filter(d.known.Tests, func(t diagnose.TestResult) bool { return !m.tests[t.Test] && repairable(t, d.r) })
	if len(left) == 0 {
		return nil
	}
	for _, t := range left {
		m.tests[t.Test] = true
	}
	d.in.Rerun = d.s.Rerun(len(m.tests))
	d.r.LeftOut = d.known.Left
	d.p.LeaveOut(d.known.Left)
	return m.of.Repair(ctx, left, open)
}

// finish repairs what is left, and proves all patches together.
func (m *repairs) finish(ctx context.Context) error {
	if m.failed != nil {
		return m.failed
	}
	defer func() {
		for t := range m.tests {
			m.d.refuted[t] = m.of.Refuted(t)
		}
	}()
	if err := m.repair(ctx, 0); err != nil || len(m.tests) == 0 {
		return err
	}
	return m.of.Finish(ctx)
}

// repairable reports whether there are orders with which a patch for a test can be proved: the
// test's own orders, or those that it shares with other tests of its polluter. A brittle test
// without an order of its own has not run alone, which the proof of its patch would need. A test
// that did not behave so again is not in the report.
func repairable(t diagnose.TestResult, r *job.Report) bool {
	at := slices.IndexFunc(r.Tests, func(x job.TestReport) bool { return x.Test == t.Test })
	switch {
	case at < 0:
		return false
	case withOthers(t):
		return t.Verdict == suite.Victim && r.Joint(&r.Tests[at])
	}
	return true
}
