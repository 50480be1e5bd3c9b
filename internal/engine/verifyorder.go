package engine

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// dependOnOrder checks without the patch that each of the tests depends on the order as the report says:
// it passes alone, or after each of its state-setters. A test of a cohort also fails after its polluter,
// or alone: other checks run it only together with others, in an order that the report chooses.
func (v *verifier) dependOnOrder(ctx context.Context, plain repair.Site, tests []suite.TestID) (checks []repair.Check, ok bool, err error) {
	passes := repair.Check{Name: "passes in an order without the patch", OK: true, Repeats: 1, Pass: true}
	fails := repair.Check{Name: "fails in an order of its own without the patch", OK: true, Repeats: 1}
	for _, t := range tests {
		r := v.reportOf(t)
		add(&passes, t, passingOrders(*r)...)
		if v.old.Joint(r) {
			add(&fails, t, failingOrders(*r)...)
		}
	}
	for _, check := range []*repair.Check{&passes, &fails} {
		if len(check.Orders) == 0 && check.OK {
			continue
		}
		if err := outcomes(ctx, plain, check); err != nil {
			return nil, false, err
		}
		checks = append(checks, *check)
		if !check.OK {
			return checks, false, nil
		}
	}
	return checks, true, nil
}

// add adds orders that end with the test to the check. Without any, it does not hold.
func add(check *repair.Check, t suite.TestID, orders ...suite.Order) {
	for _, o := range orders {
		check.Orders, check.Tests = append(check.Orders, o), append(check.Tests, t)
	}
	if len(orders) == 0 && check.OK {
		check.OK, check.Detail = false, fmt.Sprintf("%s: the report names no order in which it passes", t)
	}
}

// outcomes runs the orders of the check, in parallel, and checks the outcome of the last test of each.
// An order that has another one runs once more while no other does.
func outcomes(ctx context.Context, plain repair.Site, check *repair.Check) error {
	if !check.OK {
		return nil
	}
	want := suite.Fail
	if check.Pass {
		want = suite.Pass
	}
	got := make([]suite.Outcome, len(check.Orders))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, plain.Parallel()))
	for i, o := range check.Orders {
		g.Go(func() error {
			run, err := plain.Run(gctx, o)
			if err == nil && run.Last().Outcome != want {
				run, err = plain.Alone().Run(gctx, o)
			}
			if err == nil {
				got[i] = run.Last().Outcome
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if i := slices.IndexFunc(got, func(o suite.Outcome) bool { return o != want }); i >= 0 {
		check.OK, check.Detail = false, fmt.Sprintf("%s: %s", check.Tests[i], got[i])
	}
	return nil
}

// passingOrders returns the orders in which the test passes, according to a report.
func passingOrders(t job.TestReport) (out []suite.Order) {
	if t.Verdict == suite.Victim {
		return []suite.Order{{t.Test}}
	}
	for _, s := range t.StateSetters {
		out = append(out, suite.Join(s, suite.Order{t.Test}))
	}
	return out
}

// reportOf is what the report says of a test; nil: nothing. It says something of each test of a claim.
func (v *verifier) reportOf(t suite.TestID) *job.TestReport {
	i := slices.IndexFunc(v.old.Tests, func(r job.TestReport) bool { return r.Test == t })
	if i < 0 {
		return nil
	}
	return &v.old.Tests[i]
}
