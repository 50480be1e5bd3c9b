package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// diagnosed is under what kind diagnoses stand in the ledger.
const diagnosed = "diagnosis"

// diagnose finds the causes of the finds that have none yet.
func (d *detection) diagnose(ctx context.Context) error {
	res := d.search.Result()
	in := *d.in
	in.Failing, in.Seen = nil, nil
	for _, f := range res.Finds {
		if d.diagnosis(f.Test) != nil || d.remembered(ctx, f.Test) {
			continue
		}
		in.Failing = append(in.Failing, f.Test)
		for _, s := range []detect.Sight{f.Failing, f.Passing} {
			if key := s.Whole.Key(); len(s.Whole) > 1 && !d.seen[key] {
				d.seen[key] = true
				seen := diagnose.Seen{Source: s.Source, Provenance: diagnose.Exact, Order: s.Whole}
				in.Seen, d.in.Seen = append(in.Seen, seen), append(d.in.Seen, seen)
			}
		}
	}
	if len(in.Failing) == 0 {
		return nil
	}
	d.w.enter(job.PhaseDiagnose)
	in.Rerun, in.Heard = rerun(d.w.job.Rerun, len(in.Failing)), d.asker.of(in.Failing)
	got, err := diagnose.Diagnose(ctx, asker{d.p.lab}, in)
	if got != nil {
		d.take(ctx, got)
	}
	return err
}

// take adds a diagnosis to what is known.
func (d *detection) take(ctx context.Context, got *diagnose.Result) {
	d.in.Failing = append(d.in.Failing, testsOf(got.Tests)...)
	d.known.Tests = append(d.known.Tests, got.Tests...)
	for _, t := range got.Left {
		if !slices.Contains(d.known.Left, t) {
			d.known.Left = append(d.known.Left, t)
		}
	}
	for _, n := range got.Notes {
		if !slices.Contains(d.r.Notes, n) {
			d.note("%s", n)
		}
	}
	if got.Sequential {
		d.p.askInTurn()
	}
	if d.ledger == nil {
		return
	}
	for _, t := range got.Tests {
		if t.Unfinished {
			continue
		}
		if err := d.ledger.Keep(context.WithoutCancel(ctx), diagnosed, string(t.Test), t); err != nil {
			d.w.log.Error("keeping a diagnosis", zap.Error(err))
		}
	}
}

// remembered takes a diagnosis from an interrupted run.
func (d *detection) remembered(ctx context.Context, t suite.TestID) bool {
	if d.ledger == nil || !d.opts.Resume {
		return false
	}
	var known diagnose.TestResult
	ok, err := d.ledger.Kept(ctx, diagnosed, string(t), &known)
	if err != nil {
		d.w.log.Warn("reading a diagnosis", zap.Error(err))
	}
	if ok = ok && err == nil && known.Test == t; ok {
		d.known.Tests = append(d.known.Tests, known)
		d.in.Failing = append(d.in.Failing, t)
	}
	return ok
}

func testsOf(results []diagnose.TestResult) []suite.TestID {
	var out []suite.TestID
	for _, t := range results {
		out = append(out, t.Test)
	}
	return out
}

func (d *detection) diagnosis(t suite.TestID) *diagnose.TestResult {
	for i := range d.known.Tests {
		if d.known.Tests[i].Test == t {
			return &d.known.Tests[i]
		}
	}
	return nil
}

// fix mends what was diagnosed, as a KindFix does.
func (d *detection) fix(ctx context.Context) error {
	if len(d.known.Tests) == 0 {
		return nil
	}
	d.tell(d.search.Result()) // patches are written into the report
	d.in.Rerun = rerun(d.w.job.Rerun, len(d.known.Tests))
	d.r.LeftOut = d.known.Left
	d.p.leaveOut(d.known.Left)
	return d.w.mend(ctx, d.p, d.bench, d.in, &d.known, d.r)
}

// tell fills in the report from what is known now. Patches that are there stay.
func (d *detection) tell(res detect.Result) {
	o := d.out
	o.Exhausted, o.Sequential = res.Exhausted, res.Sequential
	o.Orders, o.OrdersAll, o.Executions = res.Spent.Orders, res.Of, res.Spent.Executions
	o.Pairs, o.PairsAll, o.Seconds = res.Pairs.Covered, res.Pairs.Of, res.Spent.Time.Seconds()
	o.Missing, o.Undecided, o.LeftOut = res.Missing, unsure(res.Undecided), unsure(res.Left)
	if d.ledger != nil {
		_, o.Remembered = d.ledger.Old()
	}
	o.Finds = nil
	for _, f := range res.Finds {
		o.Finds = append(o.Finds, job.Found{Test: f.Test, Orders: f.After.Orders, Executions: f.After.Executions, Seconds: f.After.Time.Seconds()})
	}
	d.verdicts(res)
	o.Causes = d.causes(d.r.Tests)
	d.noted.Lock()
	defer d.noted.Unlock()
	for _, n := range slices.Concat(res.Notes, d.told) {
		if n != "" && !slices.Contains(d.r.Notes, n) {
			d.note("%s", n)
		}
	}
}

// verdicts writes the tests that are unwell into the report: finds first.
func (d *detection) verdicts(res detect.Result) {
	old := d.r.Tests
	d.r.Tests = nil
	for _, f := range res.Finds {
		if x := d.diagnosis(f.Test); x != nil && x.Verdict != diagnose.Undecided && x.Verdict != diagnose.NotReproduced {
			d.r.Tests = append(d.r.Tests, testReport(*x))
			continue
		}
		d.r.Tests = append(d.r.Tests, foundReport(f))
	}
	for _, x := range res.Flaky {
		d.r.Tests = append(d.r.Tests, otherReport(x, job.FlakyOther))
	}
	for _, x := range res.Genuine {
		d.r.Tests = append(d.r.Tests, otherReport(x, job.Genuine))
	}
	for i := range d.r.Tests {
		t := &d.r.Tests[i]
		for _, was := range old {
			if was.Test == t.Test && d.diagnosis(t.Test) != nil {
				t.Patches, t.Reproduce = was.Patches, was.Reproduce
				t.Notes = mergedNotes(was.Notes, t.Notes)
			}
		}
	}
	d.w.log.Debug("verdicts", zap.Int("tests", len(d.r.Tests)))
}

// mergedNotes are the notes of both, but for what is not true any more.
func mergedNotes(a, b []string) []string {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return slices.DeleteFunc(a, func(n string) bool { return n == notYet && !slices.Contains(b, n) })
}

// notYet is the note on a find without a diagnosis.
const notYet = "What causes it was not found out yet, and the order is not minimal."

// foundReport is a find of which the cause is not known.
func foundReport(f detect.Find) job.TestReport {
	r := job.TestReport{Test: f.Test, Verdict: job.Victim, Failure: f.Failure, FailingOrder: sighted(f.Failing), PassingOrder: sighted(f.Passing)}
	last := f.Failing
	switch f.Kind {
	case detect.Victim:
		r.Reason = fmt.Sprintf("passes alone (%d of %d), fails in %s (%d of %d)", f.Passing.Repeats, f.Passing.Repeats, f.Failing.Source, f.Failing.Repeats, f.Failing.Repeats)
	case detect.Brittle:
		r.Verdict, last = job.Brittle, f.Passing
		r.Reason = fmt.Sprintf("fails alone (%d of %d), passes in %s (%d of %d)", f.Failing.Repeats, f.Failing.Repeats, f.Passing.Source, f.Passing.Repeats, f.Passing.Repeats)
	default:
		r.Reason = fmt.Sprintf("gives no result alone, fails in %s and passes in %s", f.Failing.Source, f.Passing.Source)
	}
	for _, s := range []detect.Sight{f.Failing, f.Passing} {
		outcome := suite.Fail
		if s.Source == f.Passing.Source {
			outcome = suite.Pass
		}
		r.Evidence = append(r.Evidence, job.Answer{Order: s.Order, Outcome: outcome, Repeats: s.Repeats, Why: s.Source})
	}
	r.MinimalOrder = last.Order
	r.Notes = []string{notYet}
	return r
}

func sighted(s detect.Sight) *job.SeenOrder {
	return &job.SeenOrder{Source: s.Source, Provenance: job.Exact, Order: s.Order}
}

func otherReport(x detect.Other, v job.Verdict) job.TestReport {
	r := job.TestReport{Test: x.Test, Verdict: v, Failure: x.Failure, Reason: fmt.Sprintf("%s (%d of %d runs failed)", x.Why, x.Failed, x.Passed+x.Failed)}
	if len(x.Order) > 0 {
		r.FailingOrder = &job.SeenOrder{Source: x.Source, Provenance: job.Exact, Order: x.Order}
	}
	return r
}

func unsure(of []detect.Other) []job.Unsure {
	var out []job.Unsure
	for _, x := range of {
		out = append(out, job.Unsure{Test: x.Test, Why: x.Why, Order: x.Order})
	}
	return out
}

// causes groups the order-dependent tests by what they suffer from.
func (d *detection) causes(tests []job.TestReport) []job.Cause {
	var all []detect.Diagnosed
	for _, t := range tests {
		if !t.Verdict.OrderDependent() {
			continue
		}
		x := detect.Diagnosed{Test: t.Test, Causes: t.Polluters}
		if t.Verdict != job.Victim {
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
		out = append(out, job.Cause{Role: role, Tests: c.Tests, By: c.Causes, Location: strings.Join(c.Locations[:min(len(c.Locations), maxLocations)], ", ")})
	}
	return out
}

// maxLocations is how many pieces of state are named for one cause.
const maxLocations = 3
