package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// dependOnOrder checks without the patch that the tests depend on the order, as the report says.
func (v *verifier) dependOnOrder(ctx context.Context, plain repair.Site, tests []suite.TestID) (checks []repair.Check, ok bool, err error) {
	for _, ask := range []func(context.Context, repair.Site, []suite.TestID) (repair.Check, error){v.passInAnOrder, v.failAlone} {
		check, err := ask(ctx, plain, tests)
		if err != nil {
			return nil, false, err
		}
		if len(check.Orders) > 0 || !check.OK {
			checks = append(checks, check)
		}
		if !check.OK {
			return checks, false, nil
		}
	}
	return checks, true, nil
}

// passInAnOrder checks that the tests are no genuine failures: each passes alone, or after each of its
// state-setters. Tests without a failing order of their own pass in the order of their cohort.
func (v *verifier) passInAnOrder(ctx context.Context, plain repair.Site, tests []suite.TestID) (repair.Check, error) {
	check := repair.Check{Name: "passes in an order without the patch", OK: true, Repeats: 1, Pass: true}
	runs := map[string]*suite.Run{} // by order: a cohort has one
	for _, t := range tests {
		r := v.reportOf(t)
		orders := []suite.Order{{t}}
		switch {
		case v.old.Joint(r):
			orders[0] = cohortOf(v.old, *r).Passing
		case r.Verdict != suite.Victim:
			orders = nil
			for _, s := range r.StateSetters {
				orders = append(orders, suite.Join(s, suite.Order{t}))
			}
		}
		if len(orders) == 0 {
			check.OK, check.Detail = false, fmt.Sprintf("%s: the report names no order in which it passes", t)
		}
		for _, o := range orders {
			run := runs[o.Key()]
			if run == nil && check.OK {
				var err error
				if run, err = plain.Run(ctx, o); err != nil {
					return check, err
				}
				runs[o.Key()], check.Orders = run, append(check.Orders, o)
			}
			for i, x := range o {
				if check.OK && x == t && run.At(i).Outcome != suite.Pass {
					check.OK, check.Detail = false, fmt.Sprintf("%s: %s", t, run.At(i).Outcome)
				}
			}
		}
		check.Tests = append(check.Tests, t)
	}
	return check, nil
}

// failAlone checks that brittle tests without an order of their own fail alone; of many, a sample.
func (v *verifier) failAlone(ctx context.Context, plain repair.Site, tests []suite.TestID) (repair.Check, error) {
	check := repair.Check{Name: "fails alone without the patch", OK: true, Repeats: 1}
	for _, t := range tests {
		r := v.reportOf(t)
		if !v.old.Joint(r) || r.Verdict == suite.Victim || len(check.Orders) == cohort.Sample {
			continue
		}
		run, err := plain.Run(ctx, suite.Order{t})
		if err != nil {
			return check, err
		}
		check.Orders, check.Tests = append(check.Orders, suite.Order{t}), append(check.Tests, t)
		if got := run.Last(); got.Outcome != suite.Fail {
			check.OK, check.Detail = false, fmt.Sprintf("%s: %s", t, got.Outcome)
			break
		}
	}
	return check, nil
}

// cohortOf returns the cohort that shows the cause which the report names for a test without an order of
// its own; nil if there is none. Its two orders differ only in the cause, which is before the test.
func cohortOf(r *job.Report, t job.TestReport) *job.Cohort {
	for _, c := range r.SharedOrders() {
		named, others, long, short := t.Polluters, t.StateSetters, c.Failing, c.Passing
		if t.Verdict == suite.Brittle {
			named, others, long, short = t.StateSetters, t.Polluters, c.Passing, c.Failing
		}
		at := long.Index(t.Test)
		shown := slices.Contains(c.Tests, t.Test) && t.Verdict != suite.VictimBrittle && len(others) == 0 &&
			len(named) == 1 && slices.Equal(named[0], c.Cause) && !slices.Contains(c.Cause, t.Test)
		if shown && at >= 0 && slices.Equal(without(long, c.Cause), short) && len(without(c.Cause, long[:at])) == 0 {
			return &c
		}
	}
	return nil
}

// reportOf is what the report says of a test; nil: nothing. It says something of each test of a claim.
func (v *verifier) reportOf(t suite.TestID) *job.TestReport {
	i := slices.IndexFunc(v.old.Tests, func(r job.TestReport) bool { return r.Test == t })
	if i < 0 {
		return nil
	}
	return &v.old.Tests[i]
}
