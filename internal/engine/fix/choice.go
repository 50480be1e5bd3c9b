package fix

import (
	"context"
	"slices"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Bounds of the search for second patches. Each costs a build and a proof, and no test needs it.
const (
	choicePart   = 4 // it may take one part in this many of the time that is left
	maxChoices   = 2 // patches that get a second one
	choiceProofs = 2 // candidates for one second patch
)

// choices proves a second patch for the tests of the first proved patches, if the job asks for it: the
// next candidate, or the same statements in another place. If the time is not enough, there is none;
// this is no error.
func (m *Repairing) choices(ctx context.Context) error {
	if !m.s.Job.Choice {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, budget.Share(ctx, choicePart))
	defer cancel()
	for _, p := range m.proved[:min(maxChoices, len(m.proved))] {
		if err := m.choice(limited, p); err != nil {
			m.s.Log.Warn("no second patch", zap.Error(err))
			return ctx.Err()
		}
	}
	return nil
}

// choice proves the best candidate for all tests that a proved patch fixes, and that is another
// patch. The report has it after the proved one, in the same tests, so it is the best one of no test.
func (m *Repairing) choice(ctx context.Context, p *provedPatch) error {
	m.s.Enter(job.PhaseRepair)
	found, err := p.patcher.Elsewhere(ctx, p.cause, p.cand, p.candidates)
	if err != nil {
		return err
	}
	others := suite.Filter(slices.Concat(p.candidates, found), func(c *repair.Candidate) bool {
		lacks := func(t suite.TestID) bool { return !slices.Contains(c.Fixes, t) }
		return unified(c.Built) != p.diff && !slices.ContainsFunc(p.cand.Fixes, lacks)
	})
	m.s.Enter(job.PhaseProve)
	for _, c := range others[:min(choiceProofs, len(others))] {
		same := *c
		same.Fixes = p.cand.Fixes
		patch, _, err := m.tryProof(ctx, p.patcher, p.cause, &same)
		if err != nil {
			return err
		}
		if patch != nil {
			m.each(reportsWithPatch(m.r, same.Fixes), func(t *job.TestReport) { t.Patches = append(t.Patches, *patch) })
			return nil
		}
	}
	return nil
}
