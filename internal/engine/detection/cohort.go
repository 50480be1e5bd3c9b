package detection

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// cohortsOf separates the finds that were confirmed together, grouped by the run that changed their
// outcomes, from the other finds.
func cohortsOf(finds []detect.Find) (of [][]detect.Find, others []detect.Find) {
	at := map[string]int{}
	for _, f := range finds {
		i, ok := at[f.Cohort]
		switch {
		case f.Cohort == "":
			others = append(others, f)
			continue
		case !ok:
			i = len(of)
			at[f.Cohort] = i
			of = append(of, nil)
		}
		of[i] = append(of[i], f)
	}
	return of, others
}

// diagnoseCohort finds the causes that the tests of a cohort share. It first finds the tests that
// share a known cause. Then it finds the cause of one test; one order shows how many others share
// this cause. It repeats this for the tests that are left. It returns the tests that were not
// tried, if they are few.
func (d *detection) diagnoseCohort(ctx context.Context, of []detect.Find) ([]detect.Find, error) {
	for _, f := range of { // other runs may have found some causes meanwhile
		if err := d.share(ctx, f.Test, d.unexplained(of)); err != nil {
			return nil, err
		}
	}
	now := map[suite.TestID]bool{} // tried without success
	for vain := 0; ; {
		open := d.unexplained(of)
		if len(open) <= cohort.Sample {
			return open, nil
		}
		left := slices.DeleteFunc(slices.Clone(open), func(f detect.Find) bool { return now[f.Test] })
		if vain == cohort.Fruitless || len(left) == 0 {
			return nil, nil
		}
		first := d.first(ctx, left)
		if err := d.diagnoseFirst(ctx, first); err != nil {
			return nil, err
		}
		now[first.Test] = true
		if err := d.share(ctx, first.Test, d.unexplained(of)); err != nil {
			return nil, err
		}
		if vain++; len(open)-len(d.unexplained(of)) > cohort.Sample {
			vain = 0
		}
	}
}

// unexplained returns the finds without a diagnosis.
func (d *detection) unexplained(of []detect.Find) []detect.Find {
	return slices.DeleteFunc(slices.Clone(of), func(f detect.Find) bool { return d.diagnosis(f.Test) != nil })
}

// first returns the test whose cause is searched next. A test that an interrupted run diagnosed
// comes first. Otherwise it is, among the tests tried least often, the one with the fewest tests
// before it.
func (d *detection) first(ctx context.Context, of []detect.Find) detect.Find {
	for _, f := range of {
		if d.remembered(ctx, f.Test) {
			return f
		}
	}
	return slices.MinFunc(of, func(a, b detect.Find) int {
		return cmp.Or(cmp.Compare(d.tried[a.Test], d.tried[b.Test]), cmp.Compare(len(a.Failing.Order), len(b.Failing.Order)))
	})
}

// diagnoseFirst finds the cause of one test of a cohort within a part of the time, unless the cause
// is known. If that time is not enough, the test is tried again after the others if time remains.
func (d *detection) diagnoseFirst(ctx context.Context, f detect.Find) error {
	if d.diagnosis(f.Test) != nil {
		return nil
	}
	within := ctx
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, time.Until(end)/cohort.CauseShare)
		defer cancel()
	}
	err := d.diagnoseThese(within, []detect.Find{f}, likely(f), nil)
	if x := d.diagnosis(f.Test); x != nil && x.Unfinished && !explained(x) && ctx.Err() == nil {
		d.forget(f.Test)
		d.tried[f.Test]++
	}
	return err
}

// likely returns an order in which the test is likely to behave as in its long order: the test,
// with the tests that only the long order contains. nil: there is no such order.
func likely(f detect.Find) []suite.Seen {
	long, short := f.Failing, f.Passing
	if len(long.Whole) < len(short.Whole) {
		long, short = short, long
	}
	in := map[suite.TestID]bool{}
	for _, t := range short.Whole {
		in[t] = true
	}
	o := suite.Filter(long.Order, func(t suite.TestID) bool { return !in[t] || t == f.Test })
	if len(o) < 2 || o[len(o)-1] != f.Test || len(o) == len(long.Order) {
		return nil
	}
	return []suite.Seen{{Source: "the likely causes in " + long.Source, Provenance: suite.Exact, Order: o}}
}

// share checks for all other tests of a cohort at once whether they share the cause of the first
// test.
func (d *detection) share(ctx context.Context, first suite.TestID, open []detect.Find) error {
	x := d.diagnosis(first)
	if x == nil || withOthers(*x) || len(x.Polluters)+len(x.StateSetters) == 0 {
		return nil
	}
	in := diagnose.Cohort{Groups: d.p.Groups, Setters: len(x.StateSetters) > 0, Rerun: d.s.Rerun(1)}
	if in.Setters {
		in.Cause = x.StateSetters[0]
	} else {
		in.Cause = x.Polluters[0]
	}
	was := d.asked(in.Cause)
	in.Tests = d.after(in.Cause, first, slices.DeleteFunc(slices.Clone(open),
		func(f detect.Find) bool { return was[f.Test] || !fits(f.Kind, in.Setters) }))
	if len(in.Tests) == 0 {
		return nil
	}
	for _, t := range in.Tests {
		was[t] = true
	}
	got, err := d.together(ctx, first, in)
	if err != nil || len(got.Tests) == 0 {
		return err
	}
	d.known.Tests = append(d.known.Tests, got.Tests...)
	c := job.Cohort{Tests: testsOf(got.Tests), Cause: in.Cause, Repeats: got.Repeats, Failing: got.With, Passing: got.Without}
	if in.Setters {
		c.Failing, c.Passing = c.Passing, c.Failing
	}
	d.shared = append(d.shared, c)
	return nil
}

// asked returns the tests that already ran after a cause.
func (d *detection) asked(cause suite.Order) map[suite.TestID]bool {
	key := cause.Key()
	if d.askedAfter[key] == nil {
		d.askedAfter[key] = map[suite.TestID]bool{}
	}
	return d.askedAfter[key]
}

// fits reports whether the outcome of a test alone, if known, is compatible with a state-setter
// (setter) or a polluter as its cause.
func fits(k detect.Kind, setter bool) bool {
	return k == detect.Dependent || setter == (k == detect.Brittle)
}

// explains reports whether a diagnosis of the find is complete and does not contradict later
// results.
func (d *detection) explains(x *diagnose.TestResult, f detect.Find) bool {
	return explained(x) && (!withOthers(*x) || fits(f.Kind, len(x.StateSetters) > 0))
}

// withOthers reports whether a diagnosis was made for many tests together.
func withOthers(t diagnose.TestResult) bool {
	return t.Verdict.OrderDependent() && len(t.MinimalOrder) == 0
}

// seenTogether returns the orders of two sorts of cohorts: tests with a known cause, and tests that
// are only confirmed.
func (d *detection) seenTogether(finds []detect.Find) []job.Cohort {
	of := map[suite.TestID]detect.Find{}
	for _, f := range finds {
		of[f.Test] = f
	}
	var out []job.Cohort
	for _, c := range d.shared { // without tests whose diagnosis was withdrawn meanwhile
		c.Tests = slices.DeleteFunc(slices.Clone(c.Tests), func(t suite.TestID) bool {
			f, found := of[t]
			return !found || !d.explains(d.diagnosis(t), f)
		})
		if len(c.Tests) > 0 {
			out = append(out, c)
		}
	}
	at := map[[2]string]int{}
	for _, f := range finds {
		if f.Cohort == "" || d.explains(d.diagnosis(f.Test), f) {
			continue
		}
		key := [2]string{f.Failing.Whole.Key(), f.Passing.Whole.Key()}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, job.Cohort{Failing: f.Failing.Whole, Passing: f.Passing.Whole,
				Repeats: min(f.Failing.Repeats, f.Passing.Repeats)})
		}
		out[i].Tests = append(out[i].Tests, f.Test)
	}
	return out
}

// cohortReport returns the report of a find of a cohort without a known cause. The orders of the
// cohort are reported once for all of its tests.
func cohortReport(f detect.Find) job.TestReport {
	r := job.TestReport{Test: f.Test, Verdict: suite.Victim, Failure: f.Failure, Notes: []string{notYet}}
	r.Reason = fmt.Sprintf("fails in %s (%d of %d) and passes in %s (%d of %d), as others do", f.Failing.Source,
		f.Failing.Repeats, f.Failing.Repeats, f.Passing.Source, f.Passing.Repeats, f.Passing.Repeats)
	switch f.Kind {
	case detect.Victim:
		r.Reason += "; alone it passes"
	case detect.Brittle:
		r.Verdict = suite.Brittle
		r.Reason += "; alone it fails"
	default: // the longer of the two orders contains the possible cause
		if len(f.Passing.Whole) > len(f.Failing.Whole) {
			r.Verdict = suite.Brittle
		}
		r.Reason += "; it was not run alone"
	}
	return r
}

// after returns the tests of a cohort that can run after the cause in one order, without the test
// but. Tests of the class of the cause's last test come first, then the others in the suite's own
// order.
func (d *detection) after(cause suite.Order, but suite.TestID, open []detect.Find) suite.Order {
	can := map[suite.TestID]bool{}
	for _, f := range open {
		can[f.Test] = f.Test != but && d.diagnosis(f.Test) == nil
	}
	return cohort.After(d.p.Groups, d.tests.Order(), cause, func(t suite.TestID) bool { return can[t] })
}

// together checks the cause for all these tests at once, or returns the result of an interrupted
// run.
func (d *detection) together(ctx context.Context, first suite.TestID, in diagnose.Cohort) (*diagnose.Shared, error) {
	var known diagnose.Shared
	name, key := d.diagnosed()+", shared", sharedKey(in)
	if d.ledger != nil && d.opts.Resume {
		ok, err := d.ledger.Kept(ctx, name, key, &known)
		if err != nil {
			d.s.Log.Warn("reading a diagnosis", zap.Error(err))
		} else if ok {
			return &known, nil
		}
	}
	d.s.Say(job.Event{Test: first, Message: fmt.Sprintf("running %d more that may have the same cause", len(in.Tests))})
	got, err := diagnose.Together(ctx, d.p.Asker(), in)
	if err == nil && d.ledger != nil {
		if err := d.ledger.Keep(context.WithoutCancel(ctx), name, key, got); err != nil {
			d.s.Log.Error("keeping a diagnosis", zap.Error(err))
		}
	}
	return got, err
}

// sharedKey returns a key that differs for different cohorts and causes.
func sharedKey(in diagnose.Cohort) string {
	all := fmt.Sprintf("%v\n%d\n%s\n\n%s", in.Setters, in.Rerun, in.Cause.Key(), in.Tests.Key())
	return fmt.Sprintf("%x", sha256.Sum256([]byte(all)))
}
