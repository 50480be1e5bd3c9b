package repair

import (
	"context"
	"errors"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// minimality checks that the patch fails without any one of its statements. If its statements are
// at several tests, it also fails without those at any one test. A patch of one statement needs no
// run, because other checks show that the orders fail without it.
func (pr *prover) minimality(ctx context.Context) error {
	keep := pr.c.Edit.Keep
	if len(keep) == 0 {
		return nil // only the text is known, not its statements, so this check is left out
	}
	check := Check{Name: suite.CheckMinimal, OK: true, Repeats: 1, Patched: true}
	orders := slices.Concat(pr.in.confirmed(), pr.untilFixed(pr.in.Failing))
	for i := range keep {
		if len(keep) < 2 || !check.OK {
			break
		}
		if err := pr.needed(ctx, &check, pr.c.Edit.withoutStatement(i), orders, keep[i]); err != nil {
			return err
		}
	}
	spots := pr.c.Edit.spots()
	for i := range spots {
		if len(spots) < 2 || !check.OK {
			break
		}
		near := pr.nearFirst(spots[i], slices.Concat(pr.directly(spots[i]), orders))
		if err := pr.needed(ctx, &check, pr.c.Edit.withoutSpot(i), near, "its statements at "+string(spots[i])); err != nil {
			return err
		}
	}
	pr.add(check)
	return nil
}

// untilFixed returns the orders up to the last fixed test in each, shortest first. What runs later
// does not change its outcome.
func (pr *prover) untilFixed(orders []suite.Order) []suite.Order {
	var out []suite.Order
	for _, o := range orders {
		end := len(o)
		for end > 0 && !pr.fixed(o[end-1]) {
			end--
		}
		out = append(out, o[:end:end])
	}
	out = maximal(out)
	slices.SortStableFunc(out, func(a, b suite.Order) int { return len(a) - len(b) })
	return out
}

// nearFirst sorts the orders. Orders in which the statements at the spot run come first, because
// only in such an order can a test fail without these statements.
func (pr *prover) nearFirst(spot suite.TestID, orders []suite.Order) []suite.Order {
	var near, far []suite.Order
	for _, o := range orders {
		if slices.ContainsFunc(o, func(t suite.TestID) bool { return sameSpot(pr.in.Groups, pr.c.Edit.Location, t, spot) }) {
			near = append(near, o)
		} else {
			far = append(far, o)
		}
	}
	return append(near, far...)
}

// maxDirectly is how many tests at a location run directly after their cause.
const maxDirectly = 2

// directly returns orders in which tests at the location run directly after their cause, for tests
// that have no failing order of their own. In an order that they share with others, the statements
// at the other tests may restore the state for them.
func (pr *prover) directly(spot suite.TestID) []suite.Order {
	var out []suite.Order
	for _, sh := range pr.in.Shared {
		for _, t := range sh.Tests {
			o := suite.Join(sh.Cause, suite.Order{t})
			if len(sh.Cause) > 0 && len(out) < maxDirectly && sameSpot(pr.in.Groups, pr.c.Edit.Location, t, spot) && !contains(out, o) {
				out = append(out, o)
			}
		}
	}
	return out
}

// needed checks that the smaller edit does not work: it does not compile, or a test fails with it
// in one of the orders. Otherwise the check fails.
func (pr *prover) needed(ctx context.Context, check *Check, less Edit, orders []suite.Order, what string) error {
	out, err := pr.helps(ctx, less, orders)
	switch {
	case err != nil:
		return err
	case out == suite.Pass:
		check.OK, check.Detail = false, "it works without: "+what
	case out != suite.Fail:
		check.OK, check.Detail = false, "whether it works without is not known, since processes ended, disagreed or took too long: "+what
	}
	return nil
}

// helps returns the outcome of the fixed tests with an edit. It is Fail if one of them fails, and
// fails again while no other process runs. It is Pass if all pass in all orders, else Unresolved.
func (pr *prover) helps(ctx context.Context, e Edit, orders []suite.Order) (suite.Outcome, error) {
	built, err := pr.p.Editor.Build(ctx, e)
	if unfit, ok := errors.AsType[*UnfitError](err); ok {
		if unfit.Unknown {
			return suite.Unresolved, nil
		}
		return suite.Fail, nil // it does not compile
	}
	if err != nil {
		return "", err
	}
	known := suite.Pass
	for _, o := range orders {
		out, err := pr.worst(ctx, o, Trial{Price: suite.Fresh, Overlay: built.Overlay})
		if err == nil && out == suite.Fail {
			out, err = pr.worst(ctx, o, Trial{Price: suite.Fresh, Overlay: built.Overlay, Alone: true})
			if out == suite.Pass {
				out = suite.Unresolved // the test has both outcomes
			}
		}
		switch {
		case err != nil:
			return "", err
		case out == suite.Fail:
			return suite.Fail, nil
		case out != suite.Pass:
			known = suite.Unresolved
		}
	}
	return known, nil
}

// worst returns Fail if a fixed test fails in the order, Pass if all of them pass, else Unresolved.
func (pr *prover) worst(ctx context.Context, o suite.Order, t Trial) (suite.Outcome, error) {
	run, err := pr.p.Runner.Run(ctx, o, t)
	if err != nil {
		return "", err
	}
	out := suite.Pass
	for i, id := range o {
		switch got := run.At(i).Outcome; {
		case !pr.fixed(id) || got == suite.Pass:
		case got == suite.Fail:
			return suite.Fail, nil
		default:
			out = suite.Unresolved
		}
	}
	return out, nil
}
