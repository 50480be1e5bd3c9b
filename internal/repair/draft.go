package repair

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// draftTime is how long a draft may take: building a patch to find out the same takes a few seconds.
const draftTime = 5 * time.Second

// Draft runs the classes that a patch changes, before the patch is built. That refutes most patches that
// are wrong. It returns the checks that do not hold; none if this takes long. The processes are warm
// and have the candidate's classes first, so that no check here is part of a proof.
func (p *Patcher) Draft(ctx context.Context, c *Candidate, in ProofInput) ([]Check, error) {
	pr := &prover{p: p, c: c, in: in, fixes: c.Fixes, patched: warmSite{underPatch{p.Runner, c.Built.Overlay}, false}, say: p.say,
		draft: true}
	pr.say("trying the patch in the " + in.Groups.Nouns().Groups + " that it changes")
	if p.slowDraft {
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, draftTime)
	defer cancel()
	err := pr.ownClasses(limited)
	switch {
	case pr.failed:
		return pr.checks, nil
	case limited.Err() != nil:
		p.slowDraft = true
		return nil, ctx.Err()
	}
	return nil, err
}

// mostMet bounds the orders that StillFails runs.
const mostMet = 2

// StillFails runs orders in which an earlier candidate failed, and that end with a test that this
// candidate should fix, too, after another test. It returns the check that does not hold; none if
// these tests pass. The shortest orders run, in fresh processes that have the candidate's classes
// first. So a patch is not built that a proof would refuse for the same reason as the one before.
func (p *Patcher) StillFails(ctx context.Context, c *Candidate, met []suite.Order) ([]Check, error) {
	met = suite.Filter(met, func(o suite.Order) bool {
		return len(o) > 1 && len(o) <= mostPacked && slices.Contains(c.Fixes, o[len(o)-1])
	})
	slices.SortStableFunc(met, func(a, b suite.Order) int { return len(a) - len(b) })
	check := Check{Name: suite.CheckSeen, OK: true, Repeats: 1, Patched: true, Pass: true}
	for _, o := range met[:min(mostMet, len(met))] {
		p.say("trying the patch in orders in which an earlier one failed")
		var run *suite.Run
		for _, alone := range []bool{false, true} { // another process may have disturbed the first run
			var err error
			if run, err = p.Runner.Run(ctx, o, Trial{Price: suite.Fresh, Overlay: c.Built.Overlay, Alone: alone}); err != nil {
				return nil, err
			}
			if run.Last().Outcome != suite.Fail {
				break
			}
		}
		if last := run.Last(); last.Outcome == suite.Fail {
			check.OK, check.Detail = false, fmt.Sprintf("%s: %s", last.Test, describe(last, run))
			check.Orders, check.Tests = append(check.Orders, o), append(check.Tests, last.Test)
			check.Bad = append(check.Bad, o)
		}
	}
	if check.OK {
		return nil, nil
	}
	return []Check{check}, nil
}

// warmSite is the project with a candidate's classes first.
type warmSite struct {
	underPatch
	alone bool
}

var _ Site = warmSite{}

// Run implements Site.
func (s warmSite) Run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	return s.underPatch.Run(ctx, o, suite.Warm, s.alone)
}

// Alone implements Site.
func (s warmSite) Alone() Site { return warmSite{s.underPatch, true} }

// Close implements Site.
func (s warmSite) Close() error { return nil }
