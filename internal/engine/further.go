package engine

import (
	"context"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// furtherPart: the search for further polluters may take one part in this many of the time that is
// left, since all tests have a patch already.
const furtherPart = 3

// further looks for tests that still make a fixed test fail when they run directly before it. A test of
// another class may change the same state, and no order may have shown this. If the same statements
// clean up after it, one patch for both is proved and replaces the first. Otherwise the report names
// the test. If the time is not enough, the report says nothing; this is no error.
func (m *repairing) further(ctx context.Context) error {
	if m.p.about.Once || m.p.about.Isolated {
		return nil // a process runs each test once, or one class only
	}
	limited, cancel := context.WithTimeout(ctx, budget.Share(ctx, furtherPart))
	defer cancel()
	for _, p := range m.proved {
		if err := m.afterOthers(limited, p); err != nil {
			m.w.log.Warn("further polluters", zap.Error(err))
			return ctx.Err()
		}
	}
	return nil
}

// afterOthers is further for one patch.
func (m *repairing) afterOthers(ctx context.Context, p *provedPatch) error {
	m.w.enter(job.PhaseRepair)
	cause, fixes := p.cause, p.cand.Fixes
	cause.Cases = nil
	for _, c := range m.causes {
		cause.Cases = append(cause.Cases, suite.Filter(c.Cases, func(cs repair.Case) bool { return slices.Contains(fixes, cs.Test) })...)
	}
	wider, bad, err := p.patcher.Further(ctx, cause, p.cand, slices.DeleteFunc(without(m.p.original, m.r.LeftOut), m.knownToPollute))
	if err != nil || len(bad) == 0 {
		return err
	}
	if wider != nil {
		m.w.enter(job.PhaseProve)
		before := m.met
		m.met = append(slices.Clone(m.met), bad...)
		done, _, err := m.prove(ctx, p.patcher, cause, wider, p)
		if done {
			return nil
		}
		m.met = before
		if err != nil {
			return err
		}
	}
	for _, o := range bad {
		m.each(o[1:], func(t *job.TestReport) {
			t.Notes = append(t.Notes, fmt.Sprintf("With the patch, it still failed once directly after %s, which may be a further polluter.", o[0]))
		})
	}
	return nil
}

// knownToPollute reports whether a class of a known cause has the test. What it leaves has a patch of its
// own, or is known to have none.
func (m *repairing) knownToPollute(t suite.TestID) bool {
	return slices.ContainsFunc(m.causes, func(c repair.Cause) bool {
		return slices.ContainsFunc(c.Polluter, func(p suite.TestID) bool { return m.p.groups.Unit(p) == m.p.groups.Unit(t) })
	})
}
