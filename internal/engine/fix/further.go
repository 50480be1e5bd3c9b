package fix

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
// left. The patches are proved already.
const furtherPart = 3

// further looks for tests that still make a fixed test fail when they run directly before it. A
// test of another class may change the same state, and no order may have shown this. If the same
// statements clean up after it, one patch for both is proved and replaces the first. Otherwise the
// report names the test. If the time is not enough, it names those that were found; this is no
// error.
func (m *Repairing) further(ctx context.Context) error {
	if m.p.About.Once || m.p.About.Isolated {
		return nil // a process runs each test once, or one class only
	}
	limited, cancel := context.WithTimeout(ctx, budget.Share(ctx, furtherPart))
	defer cancel()
	for _, p := range slices.Clone(m.proved) {
		if !slices.Contains(m.proved, p) {
			continue // withdrawn meanwhile
		}
		if err := m.afterOthers(limited, p); err != nil {
			m.s.Log.Warn("further polluters", zap.Error(err))
			return ctx.Err()
		}
	}
	return nil
}

// afterOthers is further for one patch.
func (m *Repairing) afterOthers(ctx context.Context, p *provedPatch) error {
	m.s.Enter(job.PhaseRepair)
	cause, fixes := p.cause, p.cand.Fixes
	cause.Cases = nil
	for _, c := range m.causes {
		cause.Cases = append(cause.Cases, suite.Filter(c.Cases, func(cs repair.Case) bool { return slices.Contains(fixes, cs.Test) })...)
	}
	of := slices.DeleteFunc(suite.Without(m.p.Original, m.r.LeftOut), m.knownToPollute)
	wider, bad, err := p.patcher.FurtherPolluters(ctx, cause, p.cand, of)
	if wider != nil && err == nil {
		m.s.Enter(job.PhaseProve)
		before, done := m.met, false
		m.met = append(slices.Clone(m.met), bad...)
		if done, _, err = m.prove(ctx, p.patcher, cause, wider, p); done {
			return nil
		}
		m.met = before
	}
	for _, o := range bad {
		m.each(o[1:], func(t *job.TestReport) {
			t.Notes = append(t.Notes, fmt.Sprintf("This test still failed once directly after %[1]s, with the patch. "+
				"%[1]s may be a further polluter.", o[0]))
		})
	}
	return err
}

// knownToPollute reports whether the test is a known polluter, or a patch cleans up after it.
func (m *Repairing) knownToPollute(t suite.TestID) bool {
	return slices.ContainsFunc(m.causes, func(c repair.Cause) bool { return slices.Contains(c.Polluter, t) }) ||
		slices.ContainsFunc(m.proved, func(p *provedPatch) bool { return p.patcher.CleansUpAfter(p.cand, t) })
}
