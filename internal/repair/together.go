package repair

import (
	"context"
	"fmt"

	"github.com/odfix/odfix/internal/suite"
)

// ProveTogether asks whether several patches, each proved by itself, hold together: the files are
// those of all of them. One build; every failing order (in.Minimal) of every cured test passes, so
// do the whole orders in which the failures were seen, and the suite's own order gets no worse.
// What each patch was proved for by itself (that the failures are there without it, that no
// statement can go) is not asked again.
func (p *Patcher) ProveTogether(ctx context.Context, b Builder, files map[string]string, cures []suite.TestID,
	in ProofInput) (checks []Check, proved bool, err error) {
	p.say("building all patches together with the project's own build")
	in.Repeats = 1
	pr, done, err := p.begin(ctx, b, "compile together under the project's own build",
		&Candidate{Built: &Built{Files: files}, Cures: cures}, cures, in)
	if err != nil || pr.failed {
		return pr.checks, false, err
	}
	defer done()
	err = pr.atOnce(ctx, (*prover).allMinimal, (*prover).failingOrders, (*prover).originalOrder)
	return pr.checks, err == nil && !pr.failed, err
}

// allMinimal: every failing order of every cured test passes.
func (pr *prover) allMinimal(ctx context.Context) error {
	orders := pr.in.confirmed()
	pr.say(fmt.Sprintf("proving all patches together: %d failing orders", len(orders)))
	check := Check{Name: "every failing order of every cured test passes", Orders: orders, Tests: pr.cures, Patched: true, Pass: true}
	return pr.everywhere(ctx, check, check.Orders, fmt.Sprintf("%d orders", len(orders)))
}
