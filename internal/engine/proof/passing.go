package proof

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// passInAnOrder checks without the patch that the tests are no genuine failures: each passes alone, or
// after each of its state-setters. An order in which one does not runs once more while no other does.
func (v *verifier) passInAnOrder(ctx context.Context, plain repair.Site, tests []suite.TestID) (repair.Check, error) {
	check := repair.Check{Name: suite.CheckPlain, OK: true, Repeats: 1, Pass: true}
	for _, t := range tests {
		orders := passingOrders(*v.reportOf(t))
		if len(orders) == 0 {
			check.OK, check.Detail = false, fmt.Sprintf("%s: the report names no order in which it passes", t)
			return check, nil
		}
		for _, o := range orders {
			check.Orders, check.Tests = append(check.Orders, o), append(check.Tests, t)
		}
	}
	got := make([]suite.Outcome, len(check.Orders))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, plain.Parallel()))
	for i, o := range check.Orders {
		g.Go(func() error {
			run, err := plain.Run(gctx, o)
			if err == nil && run.Last().Outcome != suite.Pass {
				run, err = plain.Alone().Run(gctx, o)
			}
			if err == nil {
				got[i] = run.Last().Outcome
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return check, err
	}
	if i := slices.IndexFunc(got, func(o suite.Outcome) bool { return o != suite.Pass }); i >= 0 {
		check.OK, check.Detail = false, fmt.Sprintf("%s: %s", check.Tests[i], got[i])
	}
	return check, nil
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
