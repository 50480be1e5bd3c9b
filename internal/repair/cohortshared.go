package repair

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/odfix/odfix/internal/suite"
)

// sharedOrders: in each order that tests share, every one of them passes with the patch and fails
// without it.
func (pr *prover) sharedOrders(ctx context.Context) error {
	for _, sh := range pr.in.Shared {
		pr.say(fmt.Sprintf("proving: an order in which %d tests fail, with and without the patch", len(sh.Tests)))
		for _, patched := range []bool{true, false} {
			check, err := pr.inShared(ctx, sh, patched)
			if err != nil {
				return err
			}
			if pr.add(check); pr.failed {
				return nil
			}
		}
	}
	return nil
}

// inShared asks it on one side, as often as any claim.
func (pr *prover) inShared(ctx context.Context, sh Shared, patched bool) (Check, error) {
	check := Check{Name: "order that many tests share: each of them fails without the patch", Tests: sh.Tests}
	site, want := pr.in.Plain, suite.Fail
	if patched {
		check.Name, check.Patched, check.Pass = "order that many tests share: each of them passes with the patch", true, true
		site, want = pr.patched, suite.Pass
	}
	check.Orders, check.Repeats = []suite.Order{sh.Order}, max(1, pr.in.Repeats)
	var mu sync.Mutex
	err := each(ctx, site.Parallel(), make([]int, check.Repeats), func(ctx context.Context, _ int) error {
		run, err := site.Run(ctx, sh.Order)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, t := range sh.Tests {
			at := slices.Index(sh.Order, t)
			if at < 0 {
				check.Detail = fmt.Sprintf("%s does not stand in it", t)
				continue
			}
			if got := run.At(at); got.Outcome != want {
				check.Detail = fmt.Sprintf("%s: %s", t, describe(got, run))
				check.Bad = append(check.Bad, sh.Order[:at+1:at+1])
			}
		}
		return nil
	})
	check.OK = check.Detail == ""
	if !patched {
		check.Bad = nil // these are orders in which tests fail with the patch
	}
	if check.OK {
		check.Detail = fmt.Sprintf("%d tests", len(sh.Tests))
	}
	check.Bad = check.Bad[:min(len(check.Bad), 1)]
	return check, err
}

// joint reports whether a test was only seen with others.
func (in *ProofInput) joint(t suite.TestID) bool {
	return slices.ContainsFunc(in.Shared, func(sh Shared) bool { return slices.Contains(sh.Tests, t) })
}

// confirmed are all orders in which cured tests are said to fail.
func (in *ProofInput) confirmed() []suite.Order {
	out := slices.Clone(in.Minimal)
	for _, sh := range in.Shared {
		out = append(out, sh.Order)
	}
	return out
}
