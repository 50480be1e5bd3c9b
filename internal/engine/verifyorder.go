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

// dependsOnOrder checks without the patch that the tests are no genuine failures: each passes
// alone, or after its state-setter. Of tests that failed together in one order, it runs a sample so,
// and the others in the order of which the report says that they pass in it.
func (v *verifier) dependsOnOrder(ctx context.Context, plain repair.Site, tests []suite.TestID) (repair.Check, error) {
	check := repair.Check{Name: "passes in an order without the patch", OK: true, Repeats: 1, Pass: true}
	var own, rest []suite.TestID
	joint := 0
	for _, t := range tests {
		if v.old.Joint(v.reportOf(t)) {
			if joint++; joint > cohort.Sample {
				rest = append(rest, t)
				continue
			}
		}
		own = append(own, t)
	}
	for _, c := range v.old.SharedOrders() {
		in := suite.Filter(rest, func(t suite.TestID) bool { return slices.Contains(c.Passing, t) })
		if len(in) == 0 {
			continue
		}
		rest = slices.DeleteFunc(rest, func(t suite.TestID) bool { return slices.Contains(in, t) })
		if err := passIn(ctx, plain, c.Passing, in, &check); err != nil || !check.OK {
			return check, err
		}
	}
	for _, t := range slices.Concat(own, rest) {
		o := suite.Order{t}
		if r := v.reportOf(t); r.Verdict != suite.Victim {
			if len(r.StateSetters) == 0 {
				check.OK, check.Detail = false, fmt.Sprintf("%s: the report names no order in which it passes", t)
				return check, nil
			}
			o = suite.Join(r.StateSetters[0], o)
		}
		if err := passIn(ctx, plain, o, []suite.TestID{t}, &check); err != nil || !check.OK {
			return check, err
		}
	}
	return check, nil
}

// passIn runs the order, and adds to the check whether these tests pass in it.
func passIn(ctx context.Context, plain repair.Site, o suite.Order, tests []suite.TestID, check *repair.Check) error {
	run, err := plain.Run(ctx, o)
	if err != nil {
		return err
	}
	check.Orders = append(check.Orders, o)
	for _, t := range tests {
		check.Tests = append(check.Tests, t)
		if got := run.At(o.Index(t)); got.Outcome != suite.Pass {
			check.OK, check.Detail = false, fmt.Sprintf("%s: %s", t, got.Outcome)
			return nil
		}
	}
	return nil
}

// failAfterPolluters checks without the patch that each polluter makes a test fail by itself. The
// orders in which other checks run tests that failed together have further tests in them, so
// that another one of these may be the polluter.
func (v *verifier) failAfterPolluters(ctx context.Context, plain repair.Site, tests []suite.TestID) (repair.Check, error) {
	check := repair.Check{Name: "each polluter makes a test fail without the patch", OK: true, Repeats: 1}
	shown, tried := map[string]bool{}, map[string]int{}
	for _, t := range tests {
		if r := v.reportOf(t); !v.old.Joint(r) {
			for _, p := range r.Polluters {
				shown[p.Key()] = true // the proof runs that order
			}
		}
	}
	for _, t := range tests {
		for _, p := range v.reportOf(t).Polluters {
			key := p.Key()
			if shown[key] || tried[key] == cohort.Sample {
				continue
			}
			tried[key]++
			o := afterPolluter(*v.reportOf(t), p)
			run, err := plain.Run(ctx, o)
			if err != nil {
				return check, err
			}
			if shown[key] = run.Last().Outcome == suite.Fail; shown[key] {
				check.Orders, check.Tests = append(check.Orders, o), append(check.Tests, t)
			}
		}
	}
	for _, t := range tests {
		for _, p := range v.reportOf(t).Polluters {
			if !shown[p.Key()] && check.OK {
				check.OK, check.Detail = false, fmt.Sprintf("%s passes directly after %s", t, p[len(p)-1])
			}
		}
	}
	return check, nil
}

// reportOf is what the report says of a test. Claims were checked before, so there is such a test.
func (v *verifier) reportOf(t suite.TestID) *job.TestReport {
	return &v.old.Tests[slices.IndexFunc(v.old.Tests, func(r job.TestReport) bool { return r.Test == t })]
}
