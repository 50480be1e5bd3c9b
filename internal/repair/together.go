package repair

import (
	"context"
	"fmt"

	"github.com/odfix/odfix/internal/suite"
)

// ProveTogether checks whether several patches, each of them proved, also work together. One build
// has the changes of all patches. Every fixed test must pass in each order in which a patch is proved.
// No test may get worse in the suite's own order. The other claims of each proof (the orders fail
// without the patch, no statement can be removed) are not checked again.
func (p *Patcher) ProveTogether(ctx context.Context, b Builder, files map[string]string, fixes []suite.TestID,
	in ProofInput) (checks []Check, proved bool, err error) {
	p.say("building all patches together with the project's own build")
	in.Repeats = 1
	pr, done, err := p.begin(ctx, b, "compile together under the project's own build",
		&Candidate{Built: &Built{Files: files}, Fixes: fixes}, fixes, in)
	if err != nil || pr.failed {
		return pr.checks, false, err
	}
	defer done()
	if err := pr.allMinimal(ctx); err != nil || pr.failed {
		return pr.checks, false, err
	}
	err = pr.inParallel(ctx, (*prover).alone, (*prover).failingOrders, (*prover).originalOrder, (*prover).neighbours, (*prover).rows)
	return pr.checks, err == nil && !pr.failed, err
}

// allMinimal checks that every failing order of every fixed test passes.
func (pr *prover) allMinimal(ctx context.Context) error {
	orders := pr.in.confirmed()
	pr.say(fmt.Sprintf("proving all patches together: %d failing orders", len(orders)))
	check := Check{Name: suite.CheckEveryOrder, Orders: orders, Tests: pr.fixes, Patched: true, Pass: true}
	return pr.everywhere(ctx, check, check.Orders, fmt.Sprintf("%d orders", len(orders)))
}

// ProveSite checks what Prove does of a site that differs from the project by something else than
// files, such as a setting of the test runner. That may concern every test, so that the suite's own
// order comes first.
func (p *Patcher) ProveSite(ctx context.Context, at Site, fixes []suite.TestID, in ProofInput) (checks []Check, proved bool, err error) {
	fresh := func() *prover {
		return &prover{p: p, c: &Candidate{Built: &Built{}, Fixes: fixes}, in: in, fixes: fixes, patched: at, say: p.say}
	}
	whole, pr := fresh(), fresh()
	if err := whole.originalOrder(ctx); err != nil || whole.failed {
		return whole.checks, false, err
	}
	for _, step := range []func(*prover, context.Context) error{(*prover).minimalOrders, (*prover).sharedOrders} {
		if err := step(pr, ctx); err != nil || pr.failed {
			return pr.checks, false, err
		}
	}
	pr.take(whole)
	err = pr.inParallel(ctx, (*prover).alone, (*prover).failingOrders, (*prover).neighbours, (*prover).rows)
	return pr.checks, err == nil && !pr.failed, err
}
