package repair

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/suite"
)

// ProveTogether asks whether several patches, each proved by itself, hold
// together: the files are those of all of them. One build; every failing order
// (in.Minimal) of every cured test passes, so do the whole orders in which the
// failures were seen, and the suite's own order gets no worse. What each patch
// was proved for by itself (that the failures are there without it, that no
// statement can go) is not asked again.
func (p *Patcher) ProveTogether(ctx context.Context, b Builder, files map[string]string, cures []suite.TestID, in ProofInput) (checks []Check, proved bool, err error) {
	p.say("building all patches together with the project's own build")
	site, err := b.Build(ctx, files)
	var unfit *UnfitError
	switch {
	case errors.As(err, &unfit):
		return []Check{{Name: "compile together under the project's own build", Detail: unfit.Reason, Patched: true}}, false, nil
	case err != nil:
		return nil, false, err
	}
	defer func() {
		if cerr := site.Close(); cerr != nil {
			p.log().Warn("closing the patched copy", zap.Error(cerr))
		}
	}()
	in.Repeats = 1
	pr := &prover{p: p, c: &Candidate{Built: &Built{Files: files}, Cures: cures}, in: in, patched: site, cures: cures, say: p.say}
	pr.add(Check{Name: "compile together under the project's own build", OK: true, Repeats: 1, Patched: true})
	if pr.testCode(); pr.failed {
		return pr.checks, false, nil
	}
	err = pr.atOnce(ctx, (*prover).allMinimal, (*prover).failingOrders, (*prover).originalOrder)
	return pr.checks, err == nil && !pr.failed, err
}

// allMinimal: every failing order of every cured test passes.
func (pr *prover) allMinimal(ctx context.Context) error {
	pr.say(fmt.Sprintf("proving all patches together: %d failing orders", len(pr.in.Minimal)))
	check := Check{Name: "every failing order of every cured test passes", Orders: pr.in.Minimal, Tests: pr.cures, Patched: true, Pass: true}
	return pr.everywhere(ctx, check, check.Orders, fmt.Sprintf("%d orders", len(pr.in.Minimal)))
}
