package repair

import (
	"context"

	"github.com/odfix/odfix/internal/suite"
)

// Draft runs what refutes most patches that help at all, before such a patch is built: the classes
// that it changes, and other tests of its class directly before fixed tests, as many as one process
// runs. It returns the checks that do not hold. The processes are warm and have the candidate's
// classes first, so that no check here is part of a proof.
func (p *Patcher) Draft(ctx context.Context, c *Candidate, in ProofInput) ([]Check, error) {
	if sets := packed(in.Neighbours); len(sets) > 1 {
		in.Neighbours = sets[0]
	}
	pr := &prover{p: p, c: c, in: in, fixes: c.Fixes, patched: warmSite{underPatch{p.Runner, c.Built.Overlay}, false}, say: p.say,
		draft: true}
	pr.say("trying the patch in the " + in.Groups.Nouns().Groups + " that it changes")
	for _, step := range []func(*prover, context.Context) error{(*prover).ownClasses, (*prover).neighbours} {
		if err := step(pr, ctx); err != nil {
			return nil, err
		}
		if pr.failed {
			return pr.checks, nil
		}
	}
	return nil, nil
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
