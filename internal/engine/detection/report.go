package detection

import (
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/engine/fix"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// update writes what is known now into the report. It keeps patches that are there.
func (d *detection) update(res detect.Result) {
	o := d.out
	o.Exhausted, o.Sequential = res.Exhausted, res.Sequential
	o.Orders, o.OrdersAll, o.Executions = res.Spent.Orders, res.Of, res.Spent.Executions
	o.Pairs, o.PairsAll, o.Seconds = res.Pairs.Covered, res.Pairs.Of, res.Spent.Time.Seconds()
	o.Missing, o.Undecided, o.LeftOut = res.Missing, unsure(res.Undecided), unsure(res.Left)
	if d.ledger != nil {
		_, o.Remembered = d.ledger.Old()
	}
	d.verdicts(res)
	dependent := map[suite.TestID]bool{}
	for _, t := range d.r.Tests {
		dependent[t.Test] = t.Verdict.OrderDependent()
	}
	o.Finds = nil
	for _, f := range res.Finds {
		if dependent[f.Test] { // a diagnosis may have another result
			o.Finds = append(o.Finds, job.Found{Test: f.Test, Orders: f.After.Orders, Executions: f.After.Executions,
				Shown: f.Shown.Executions, Seconds: f.After.Time.Seconds()})
		}
	}
	o.Causes = d.causes(d.r.Tests)
	o.Cohorts = d.seenTogether(res.Finds)
	d.noted.Lock()
	defer d.noted.Unlock()
	for _, n := range slices.Concat(res.Notes, d.laterNotes) {
		if n != "" && !slices.Contains(d.r.Notes, n) {
			d.note("%s", n)
		}
	}
}

// explained reports whether a diagnosis reached a verdict.
func explained(x *diagnose.TestResult) bool { return x != nil && x.Verdict != suite.Undecided }

// verdicts writes the tests that do not simply pass into the report, finds first.
func (d *detection) verdicts(res detect.Result) {
	old := d.r.Tests
	d.r.Tests = nil
	for _, f := range res.Finds {
		switch x := d.diagnosis(f.Test); {
		case !d.explains(x, f) && f.Cohort != "":
			d.r.Tests = append(d.r.Tests, cohortReport(f))
		case !explained(x):
			d.r.Tests = append(d.r.Tests, foundReport(f))
		case x.Verdict == suite.NotReproduced:
			why := fmt.Sprintf("failed in %s (%d times), but in the search for its cause it %s",
				f.Failing.Source, f.Failing.Repeats, x.Reason)
			d.out.Undecided = append(d.out.Undecided, job.Unsure{Test: f.Test, Why: why, Order: f.Failing.Order})
		default:
			d.r.Tests = append(d.r.Tests, fix.TestReport(d.withCleaners(*x)))
		}
	}
	for _, x := range res.Flaky {
		d.r.Tests = append(d.r.Tests, otherReport(x, suite.FlakyOther))
	}
	for _, x := range res.Genuine {
		d.r.Tests = append(d.r.Tests, otherReport(x, suite.Genuine))
	}
	fix.NoteFixedOrders(d.tests, d.r.Tests)
	for i := range d.r.Tests {
		t := &d.r.Tests[i]
		for _, was := range old {
			if was.Test != t.Test || d.diagnosis(t.Test) == nil {
				continue
			}
			if was.Verdict == suite.Undecided { // withdrawn when a patch was proved
				*t = was
			} else {
				t.Patches, t.Reproduce, t.Unpatched = was.Patches, was.Reproduce, was.Unpatched
				t.State, t.StateMatters, t.OtherLoader, t.Changes = was.State, was.StateMatters, was.OtherLoader, was.Changes
				t.NoReset, t.NoResetOfTests, t.Reflectable, t.ResetBodies = was.NoReset, was.NoResetOfTests, was.Reflectable, was.ResetBodies
				t.Notes = mergedNotes(was.Notes, t.Notes)
			}
		}
	}
	d.s.Log.Debug("verdicts", zap.Int("tests", len(d.r.Tests)))
}

// withCleaners adds the cleaners that were found after the diagnosis.
func (d *detection) withCleaners(x diagnose.TestResult) diagnose.TestResult {
	if later, ok := d.cleaned[x.Test]; ok {
		x.Cleaners, x.Evidence, x.NonIdempotent, x.Cost = later.Cleaners, later.Evidence, later.NonIdempotent, later.Cost
	}
	return x
}

// mergedNotes returns the notes of both lists, without notYet if it is no longer true.
func mergedNotes(a, b []string) []string {
	a = suite.AppendNew(a, b...)
	return slices.DeleteFunc(a, func(n string) bool { return n == notYet && !slices.Contains(b, n) })
}

// notYet is the note on a find without a diagnosis.
const notYet = "Its cause is not known yet, and the order is not minimal."

// foundReport returns the report of a find whose cause is not known.
func foundReport(f detect.Find) job.TestReport {
	r := job.TestReport{Test: f.Test, Verdict: suite.Victim, Failure: f.Failure, FailingOrder: observedOrder(f.Failing),
		PassingOrder: observedOrder(f.Passing)}
	last := f.Failing
	switch f.Kind {
	case detect.Victim:
		r.Reason = fmt.Sprintf("passes alone (%d of %d), fails in %s (%d of %d)", f.Passing.Repeats,
			f.Passing.Repeats, f.Failing.Source, f.Failing.Repeats, f.Failing.Repeats)
	case detect.Brittle:
		r.Verdict, last = suite.Brittle, f.Passing
		r.Reason = fmt.Sprintf("fails alone (%d of %d), passes in %s (%d of %d)", f.Failing.Repeats,
			f.Failing.Repeats, f.Passing.Source, f.Passing.Repeats, f.Passing.Repeats)
	default:
		r.Reason = fmt.Sprintf("gives no result alone, fails in %s and passes in %s", f.Failing.Source, f.Passing.Source)
	}
	r.Evidence = []suite.Answer{
		{Order: f.Failing.Order, Outcome: suite.Fail, Repeats: f.Failing.Repeats, Why: f.Failing.Source},
		{Order: f.Passing.Order, Outcome: suite.Pass, Repeats: f.Passing.Repeats, Why: f.Passing.Source},
	}
	r.MinimalOrder = last.Order
	r.Notes = []string{notYet}
	return r
}

func observedOrder(s detect.Observation) *suite.Seen {
	return &suite.Seen{Source: s.Source, Provenance: suite.Exact, Order: s.Order}
}

func otherReport(x detect.Other, v suite.Verdict) job.TestReport {
	r := job.TestReport{Test: x.Test, Verdict: v, Failure: x.Failure,
		Reason: fmt.Sprintf("%s (%d of %d runs failed)", x.Why, x.Failed, x.Passed+x.Failed)}
	if len(x.Order) > 0 {
		r.FailingOrder = &suite.Seen{Source: x.Source, Provenance: suite.Exact, Order: x.Order}
	}
	return r
}

// maxUnsureOrders limits the number of tests in the orders of all tests without a conclusion.
// Hundreds of tests with the same long order would fill the report.
const maxUnsureOrders = 1 << 14

func unsure(of []detect.Other) []job.Unsure {
	var out []job.Unsure
	held := 0
	for _, x := range of {
		u := job.Unsure{Test: x.Test, Why: x.Why}
		if n := len(x.Order); held+n <= maxUnsureOrders {
			u.Order, held = x.Order, held+n
		}
		out = append(out, u)
	}
	return out
}

// causes groups the order-dependent tests by their cause.
func (d *detection) causes(tests []job.TestReport) []job.Cause {
	var all []detect.Diagnosed
	for _, t := range tests {
		if !t.Verdict.OrderDependent() {
			continue
		}
		x := detect.Diagnosed{Test: t.Test, Causes: t.Polluters}
		if t.Verdict != suite.Victim {
			x.Causes, x.Setters = t.StateSetters, true
		}
		x.Locations = d.locations(t.Test, x.Causes)
		all = append(all, x)
	}
	var out []job.Cause
	for _, c := range detect.Group(all) {
		role := job.Polluter
		switch {
		case len(c.Causes) == 0:
			role = job.NotKnown
		case c.Setters:
			role = job.StateSetter
		}
		by := c.Locations[:min(len(c.Locations), maxLocations)]
		if slices.ContainsFunc(c.Tests, func(t suite.TestID) bool { return d.refuted[t] }) {
			by = nil
		}
		out = append(out, job.Cause{Role: role, Tests: c.Tests, By: c.Causes, Location: strings.Join(by, ", ")})
	}
	return out
}

// maxLocations is how many pieces of state are named for one cause.
const maxLocations = 3
