package fix

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// provedPatch is a candidate whose proof holds, and what is needed to prove it for more tests.
type provedPatch struct {
	patcher    *repair.Patcher
	cause      repair.Cause
	cand       *repair.Candidate
	diff       string
	candidates []*repair.Candidate   // all that were found for the cause, best first
	tried      map[suite.TestID]bool // tests of causes that it was tried on
	waiting    []repair.Cause        // causes that it seems to fix, without a proof so far
	widened    int                   // how often its proof was tried for such causes
}

// try records that the patch was tried on the causes.
func (p *provedPatch) try(causes ...repair.Cause) {
	if p.tried == nil {
		p.tried = map[suite.TestID]bool{}
	}
	for _, c := range causes {
		for _, t := range c.Tests() {
			p.tried[t] = true
		}
	}
}

// is reports whether a patch of the report is this one.
func (p *provedPatch) is(x job.Patch) bool {
	return x.RawDiff() == p.diff && len(x.Fixes) == len(p.cand.Fixes)
}

// due reports whether it is time to prove the patch for the waiting causes. Proofs become rarer
// when a patch fixes more causes: after one cause, then after two more, then after four more. So n
// causes take about log₂ n proofs, and a job that is stopped early loses at most about half of the
// causes.
func (p *provedPatch) due(open int) bool {
	return len(p.waiting) > 0 && (open == 0 || len(p.waiting) >= 1<<p.widened)
}

// notProvedInTime is the note for tests of a waiting cause.
const notProvedInTime = "A patch that is proved for other tests seems to fix it, too. The search ended before that was proved; with " +
	"more time it may be."

// extend tries proved patches on further causes, each patch once on each cause: unchanged, or with
// its statement at one more test. One patch is easier to review than two. A cause that a patch
// seems to fix waits for the proof (due). extend returns the causes, or the parts of causes, that
// no patch fixes.
func (m *Repairing) extend(ctx context.Context, causes []repair.Cause) ([]repair.Cause, error) {
	for _, p := range slices.Clone(m.proved) {
		p.patcher.Settle = settle(ctx, 1+m.open)
		var left []repair.Cause
		for _, c := range causes {
			fixes := false
			if !slices.ContainsFunc(c.Tests(), func(t suite.TestID) bool { return p.tried[t] }) {
				p.try(c)
				wide := *p.cand
				if err := p.patcher.Extend(ctx, &wide, []repair.Cause{c}); err != nil {
					return nil, err
				}
				fixes = len(wide.Fixes) > len(p.cand.Fixes)
			}
			if fixes {
				p.waiting = append(p.waiting, c)
				m.note(c, job.NoTimeForProof, notProvedInTime)
			} else {
				left = append(left, c)
			}
		}
		if causes = left; p.due(m.open) {
			unfixed, err := m.widen(ctx, p)
			if err != nil {
				return nil, err
			}
			causes = append(causes, unfixed...)
		}
	}
	return causes, nil
}

// widen proves a patch for all of its waiting causes at once. It returns the causes that the patch
// does not fix.
func (m *Repairing) widen(ctx context.Context, p *provedPatch) (left []repair.Cause, err error) {
	waiting := p.waiting
	p.waiting = nil
	p.widened++
	m.s.Enter(job.PhaseProve)
	fixed, err := p.patcher.Pursue(ctx, p.cause, waiting, p.cand, true, func(wide *repair.Candidate) (bool, []suite.Order, error) {
		return m.prove(ctx, p.patcher, p.cause, wide, p)
	})
	if err != nil {
		return nil, err
	}
	for _, c := range waiting {
		if c = c.Without(slices.Concat(fixed, m.misattributed)); len(c.Cases) > 0 {
			m.each(c.Tests(), func(t *job.TestReport) {
				t.Notes = slices.DeleteFunc(t.Notes, func(n string) bool { return n == notProvedInTime })
			})
			left = append(left, c)
		}
	}
	return left, nil
}

// secondPass tries patches that were proved later, and helpers of later causes, on the causes that
// have no patch yet.
func (m *Repairing) secondPass(ctx context.Context) error {
	again := m.unfixed
	m.unfixed = nil
	again, err := m.extend(ctx, again)
	if err != nil {
		return err
	}
	again = slices.DeleteFunc(again, func(c repair.Cause) bool { return len(c.Helpers) > 0 })
	again, _ = lend(again, m.lent)
	return m.all(ctx, slices.DeleteFunc(again, func(c repair.Cause) bool { return len(c.Helpers) == 0 }))
}

// withdraw removes the verdicts of tests that were only run together with others, and that fail
// alone although the patch removes the cause. No patch claims to fix them any more.
func (m *Repairing) withdraw(misattributed []suite.TestID) {
	if len(misattributed) == 0 {
		return
	}
	m.misattributed = append(m.misattributed, misattributed...)
	for _, p := range m.proved {
		p.cause, p.cand = p.cause.Without(misattributed), p.cand.Without(misattributed)
	}
	m.proved = slices.DeleteFunc(m.proved, func(p *provedPatch) bool { return len(p.cand.Fixes) == 0 })
	gone := func(t suite.TestID) bool { return slices.Contains(misattributed, t) }
	for i := range m.r.Tests {
		for k := range m.r.Tests[i].Patches {
			p := &m.r.Tests[i].Patches[k]
			p.Fixes = slices.DeleteFunc(slices.Clone(p.Fixes), gone)
		}
	}
	m.each(misattributed, func(t *job.TestReport) {
		*t = job.TestReport{
			Test: t.Test, Verdict: suite.Undecided, Failure: t.Failure, Cost: t.Cost,
			Reason: "fails alone with a patch that fixes the other tests of its cohort, so it is no victim of their " +
				"polluter; run odfix fix --test for it alone",
		}
	})
}
