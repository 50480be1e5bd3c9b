package repair

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/odfix/odfix/internal/suite"
)

// minimalOrders checks that each failing order passes with the patch and fails without it.
func (pr *prover) minimalOrders(ctx context.Context) error {
	pr.say("proving: failing orders with and without the patch")
	var claims []claim
	for i, o := range pr.in.Minimal {
		claims = append(claims, claim{Shared{Order: o, Tests: o[len(o)-1:]}, pr.repeats(i), suite.CheckPasses, suite.CheckFails, false})
	}
	return each(ctx, pr.patched.Parallel(), claims, pr.bothSides)
}

// sharedOrders checks the orders that tests share: every one of these tests passes with the patch
// and fails without it.
func (pr *prover) sharedOrders(ctx context.Context) error {
	for _, sh := range pr.in.Shared {
		pr.say(fmt.Sprintf("proving: an order in which %d tests fail, with and without the patch", len(sh.Tests)))
		c := claim{sh, max(1, pr.in.Repeats), suite.CheckAllPass, suite.CheckAllFail, true}
		if err := pr.bothSides(ctx, c); err != nil || pr.failed {
			return err
		}
	}
	return nil
}

// claim is an order in which tests should pass with the patch and fail without it.
type claim struct {
	Shared
	repeats       int
	passes, fails string // the names of its checks
	many          bool   // the tests share the order
}

// bothSides runs a claim's order with the patch. If that holds, it runs the order without the
// patch. If a run has another result than the claim says, another process may have disturbed it.
// Then the order runs again while no other process runs, and only these results count.
func (pr *prover) bothSides(ctx context.Context, c claim) error {
	for _, side := range []struct {
		name string
		site Site
		want suite.Outcome
	}{{c.passes, pr.patched, suite.Pass}, {c.fails, pr.in.Plain, suite.Fail}} {
		patched := side.want == suite.Pass
		check := Check{Name: side.name, Repeats: c.repeats, Orders: []suite.Order{c.Order}, Tests: c.Tests, Patched: patched, Pass: patched}
		wrong, at, err := c.repeatedly(ctx, side.site, side.want)
		if err == nil && wrong != "" && side.site.Parallel() > 1 {
			wrong, at, err = c.repeatedly(ctx, side.site.Alone(), side.want)
		}
		if err != nil {
			return err
		}
		check.OK, check.Detail = wrong == "", wrong
		if !check.OK && c.many && patched && at >= 0 {
			check.Bad = []suite.Order{c.Order[: at+1 : at+1]}
		}
		if check.OK && c.many {
			check.Detail = fmt.Sprintf("%d tests", len(c.Tests))
		}
		if pr.add(check); !check.OK {
			return nil
		}
	}
	return nil
}

// errOtherResult ends the repeats of an order, since one has another result than is claimed.
var errOtherResult = errors.New("another result")

// repeatedly runs the claim's order at a site as often as the claim says. It returns a test without
// the wanted outcome, with its outcome in words, and its position; "" if there is none.
func (c *claim) repeatedly(ctx context.Context, at Site, want suite.Outcome) (wrong string, position int, err error) {
	var mu sync.Mutex
	err = each(ctx, at.Parallel(), make([]int, c.repeats), func(ctx context.Context, _ int) error {
		run, err := at.Run(ctx, c.Order)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, t := range c.Tests {
			i := lastIndex(c.Order, t)
			if got := run.At(max(0, i)); i < 0 {
				wrong, position = fmt.Sprintf("%s is not in this order", t), i
			} else if got.Outcome != want && wrong == "" {
				wrong, position = fmt.Sprintf("%s: %s", t, describe(got, run)), i
			}
		}
		if wrong != "" {
			return errOtherResult
		}
		return nil
	})
	if wrong != "" {
		err = nil // it ended the other repeats
	}
	return wrong, position, err
}
