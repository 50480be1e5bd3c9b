package fix

import (
	"cmp"
	"context"
	"errors"

	"github.com/odfix/odfix/internal/engine/restore"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// cause finds and proves one patch, writes it into the report and returns the tests that it fixes,
// including tests of other causes. It returns none if there is no patch.
func (m *Repairing) cause(ctx context.Context, c repair.Cause, others []repair.Cause) ([]suite.TestID, error) {
	m.explain(ctx, c, len(others)+m.open)
	m.s.Enter(job.PhaseRepair)
	m.refused, m.refusedWith, m.refusedFor = "", "", ""
	finder := m.search.Finder(m.editor)
	if c.Brittle() && len(c.Helpers) > 0 {
		finder.Setter = c.Helpers[0]
	}
	if !c.Brittle() {
		c.Writers = m.search.Writers(c.Cases[0].Test)
	}
	c.OneValue, c.SetUp = m.search.OneValue(c.Cases[0].Test), m.search.SetUp(c.Cases[0].Test)
	m.each(c.Tests()[:1], func(t *job.TestReport) { c.Twice = t.NonIdempotent })
	if !m.s.Job.Wants(job.FromHelper) {
		c.Helpers = nil
	}
	if len(c.Helpers) == 0 && (!m.s.Job.WantsResets() || c.Brittle() && len(finder.Setter) == 0) {
		m.note(c, job.StateUnknown, m.nothing(c))
		return nil, nil
	}
	patcher := m.p.Patcher(m.s, c.Cases[0].Test)
	patcher.Editor, patcher.Place = m.editor, m.s.Job.Place
	if m.s.Job.WantsResets() {
		patcher.Finder = finder
	}
	patcher.Settle, patcher.GiveUp = settle(ctx, 1+len(others)+m.open), giveUp(ctx, 1+len(others)+m.open)
	late := c.Later
	if late != nil {
		c.Later = func(ctx context.Context) ([]suite.Order, error) {
			found, err := late(ctx)
			c.Helpers = suite.Union(c.Helpers, found)
			if err == nil {
				late = nil // else its time was over
			}
			return found, err
		}
	}
	fixed, err := m.tryAll(ctx, patcher, finder, &c, others)
	if err != nil || len(fixed) > 0 || late == nil {
		return fixed, err
	}
	before := m.whyUnpatched(c)
	found, err := late(ctx) // no patch without it could be proved
	if err != nil && !errors.Is(err, errUnfinished) || len(found) == 0 {
		return nil, ctx.Err()
	}
	c.Helpers, c.Later, patcher.HelpersOnly = found, nil, true
	if fixed, err = m.tryAll(ctx, patcher, finder, &c, others); len(fixed) == 0 {
		m.each(c.Tests(), func(t *job.TestReport) { t.Unpatched = cmp.Or(before, t.Unpatched) })
	}
	return fixed, err
}

// whyUnpatched returns the reason that is noted why a cause has no patch.
func (m *Repairing) whyUnpatched(c repair.Cause) (why job.Unpatched) {
	m.each(c.Tests()[:1], func(t *job.TestReport) { why = t.Unpatched })
	return why
}

// tryAll searches candidates for a cause, and proves the first one that can be proved, or the best
// one with statements for further polluters (otherState). It returns the tests that this patch fixes.
func (m *Repairing) tryAll(ctx context.Context, patcher *repair.Patcher, finder *restore.Finder, c *repair.Cause, others []repair.Cause) (
	[]suite.TestID, error) {
	candidates, err := patcher.Candidates(ctx, *c)
	if len(candidates) == 0 {
		if err == nil || ctx.Err() != nil {
			return nil, err
		}
		if partial := patcher.Partial(); len(partial) > 0 && !patcher.Thorough {
			fixed, err := m.otherState(ctx, patcher, *c, partial, others)
			if len(fixed) > 0 || err != nil {
				return fixed, err
			}
			patcher.Thorough = true
			return m.tryAll(ctx, patcher, finder, c, others)
		}
		m.note(*c, m.missing(*c, err), m.whyNone(*c, err))
		if errors.Is(err, repair.ErrNoReset) {
			m.each(c.Tests(), finder.Describe)
		}
		return nil, nil
	}
	m.s.Enter(job.PhaseProve)
	elsewhere := func(refused *repair.Candidate) ([]*repair.Candidate, error) {
		return patcher.Elsewhere(ctx, *c, refused, candidates[:min(maxProofs, len(candidates))])
	}
	fixed, err := m.firstProved(ctx, *c, candidates, elsewhere, func(cand *repair.Candidate) ([]suite.TestID, error) {
		return patcher.Pursue(ctx, *c, others, cand, false, func(wide *repair.Candidate) (bool, []suite.Order, error) {
			return m.prove(ctx, patcher, *c, wide, nil)
		})
	})
	if err == nil && len(fixed) == 0 {
		fixed, err = m.otherState(ctx, patcher, *c, candidates, others)
	}
	if err == nil && len(fixed) > 0 {
		m.proved[len(m.proved)-1].candidates = candidates
	}
	return fixed, err
}
