package detection

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/engine/fix"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// diagnosed is the kind under which the ledger stores diagnoses. It contains the settings, so that
// a diagnosis with other settings is not used.
func (d *detection) diagnosed() string {
	return fmt.Sprintf("diagnosis, find-all %v, rerun %d, cleaners %v", d.s.Job.FindAll, d.s.Job.Rerun, !d.in.NoCleaners)
}

// diagnose finds the causes of the finds that have none yet.
func (d *detection) diagnose(ctx context.Context) error {
	many, others := cohortsOf(d.search.Result().Finds)
	others = d.unexplained(others)
	for _, of := range many {
		if len(d.unexplained(of)) == 0 {
			continue
		}
		left, err := d.diagnoseCohort(ctx, of)
		if err != nil {
			return err
		}
		others = append(others, left...)
		if err := d.repairs.soon(ctx); err != nil {
			return err
		}
	}
	others = slices.DeleteFunc(others, func(f detect.Find) bool { return d.remembered(ctx, f.Test) })
	if err := d.repairs.soon(ctx); err != nil { // what was remembered
		return err
	}
	return d.diagnoseThese(ctx, others, nil, d.repairs)
}

// diagnoseThese finds the cause of each find separately. It tries the given orders first. Each cause
// that is known is given to the repairs, which may be nil.
func (d *detection) diagnoseThese(ctx context.Context, finds []detect.Find, likely []suite.Seen, m *repairs) error {
	in := *d.in
	in.Failing, in.Seen = nil, likely
	given := map[string]bool{} // of this diagnosis
	for _, f := range finds {
		in.Failing = append(in.Failing, f.Test)
		for _, s := range []detect.Observation{f.Failing, f.Passing} {
			key := s.Whole.Key()
			if len(s.Whole) < 2 || given[key] {
				continue
			}
			given[key] = true
			seen := suite.Seen{Source: s.Source, Provenance: suite.Exact, Order: s.Whole}
			in.Seen = append(in.Seen, seen)
			if !d.seen[key] {
				d.seen[key] = true
				d.in.Seen = append(d.in.Seen, seen)
			}
		}
	}
	if len(in.Failing) == 0 {
		return nil
	}
	d.s.Enter(job.PhaseDiagnose)
	in.Rerun, in.Known = d.s.Rerun(len(in.Failing)), d.asker.of(in.Failing)
	if m != nil {
		in.Keep = diagnose.FinishShare // causes are repaired meanwhile
		in.Explained = func(ctx context.Context, sofar *diagnose.Result) error {
			d.take(ctx, sofar)
			return m.soon(ctx)
		}
	}
	got, err := diagnose.Diagnose(ctx, d.p.Asker(), in)
	if got != nil {
		d.take(ctx, got)
	}
	return err
}

// take adds what a diagnosis has found since it was taken last to the known results.
func (d *detection) take(ctx context.Context, got *diagnose.Result) {
	fresh := suite.Filter(got.Tests, func(t diagnose.TestResult) bool { return d.diagnosis(t.Test) == nil })
	d.in.Failing = append(d.in.Failing, testsOf(fresh)...)
	d.known.Tests = append(d.known.Tests, fresh...)
	for _, c := range fix.Cohorts(got.Shared) {
		same := func(x job.Cohort) bool {
			return slices.Equal(x.Failing, c.Failing) && slices.Equal(x.Passing, c.Passing)
		}
		d.shared = append(slices.DeleteFunc(d.shared, same), c)
	}
	d.known.Left = suite.AppendNew(d.known.Left, got.Left...)
	for _, n := range got.Notes {
		if !slices.Contains(d.r.Notes, n) {
			d.note("%s", n)
		}
	}
	for _, t := range fresh {
		if t.CleanersLater {
			d.clean[t.Test] = got.Clean
		}
	}
	if got.Sequential {
		d.p.AskSequentially()
	}
	for _, t := range fresh {
		d.keep(ctx, t)
	}
}

// keep stores a diagnosis for a run that continues this one.
func (d *detection) keep(ctx context.Context, t diagnose.TestResult) {
	if d.ledger == nil || t.Unfinished || withOthers(t) {
		return
	}
	if err := d.ledger.Keep(context.WithoutCancel(ctx), d.diagnosed(), string(t.Test), t); err != nil {
		d.s.Log.Error("keeping a diagnosis", zap.Error(err))
	}
}

// cleanLater searches the cleaners of a test whose diagnosis has left them out.
func (d *detection) cleanLater(ctx context.Context, t suite.TestID) (*diagnose.Result, error) {
	known := d.diagnosis(t)
	if known == nil {
		return nil, nil
	}
	if d.clean[t] == nil { // the diagnosis is that of an interrupted run
		clean, later, err := d.renew(ctx, *known)
		if clean == nil {
			as := *known
			as.CleanersLater = later
			if !later {
				as.Notes = append(slices.Clone(as.Notes), "No cleaners were searched: its cause did not show again when the job continued.")
			}
			return &diagnose.Result{Tests: []diagnose.TestResult{as}}, err
		}
		d.clean[t] = clean
	}
	got, err := d.clean[t](ctx, t)
	if got != nil && len(got.Tests) == 1 {
		d.cleaned[t] = got.Tests[0]
		if err == nil && !got.Tests[0].CleanersLater {
			d.keep(ctx, got.Tests[0])
		}
	}
	return got, err
}

// renewTime is how long a diagnosis may take that is made again. It runs few and short orders, unless
// the cause does not show again.
const renewTime = 2 * time.Minute

// renew diagnoses a test again in its shortest order, since the search for its cleaners needs more than
// a stored diagnosis has. It returns no search if the cause does not show again (later is false), or if
// that is not known because the time ended (later is true).
func (d *detection) renew(ctx context.Context, known diagnose.TestResult) (clean cleanSearch, later bool, err error) {
	in := *d.in
	in.Failing, in.Known = []suite.TestID{known.Test}, d.asker.of([]suite.TestID{known.Test})
	in.Seen = []suite.Seen{{Source: "the shortest failing order", Provenance: suite.Exact, Order: known.MinimalOrder}}
	limited, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	got, err := diagnose.Diagnose(limited, d.p.Asker(), in)
	if got != nil && got.Sequential {
		d.p.AskSequentially()
	}
	if err != nil || len(got.Tests) != 1 || got.Clean == nil || !sameCause(got.Tests[0], known) {
		return nil, err != nil || limited.Err() != nil, err
	}
	return func(ctx context.Context, t suite.TestID) (*diagnose.Result, error) {
		more, err := got.Clean(ctx, t)
		if more != nil && len(more.Tests) == 1 {
			more.Tests[0] = continued(known, more.Tests[0])
		}
		return more, err
	}, false, nil
}

// sameCause reports whether two diagnoses of a test name the same polluter first.
func sameCause(a, b diagnose.TestResult) bool {
	return a.Verdict == b.Verdict && len(a.Polluters) > 0 && len(b.Polluters) > 0 && slices.Equal(a.Polluters[0], b.Polluters[0])
}

// continued returns the known diagnosis with what a later one of the same cause adds.
func continued(known, later diagnose.TestResult) diagnose.TestResult {
	known.Cleaners, known.Likely, known.CleanersLater = later.Cleaners, later.Likely, later.CleanersLater
	known.NonIdempotent = known.NonIdempotent || later.NonIdempotent
	known.Cost = known.Cost.Plus(later.Cost)
	known.Notes = suite.AppendNew(slices.Clone(known.Notes), later.Notes...)
	known.Evidence = slices.Clone(known.Evidence)
	for _, a := range later.Evidence {
		if !slices.ContainsFunc(known.Evidence, func(b suite.Answer) bool { return slices.Equal(a.Order, b.Order) }) {
			known.Evidence = append(known.Evidence, a)
		}
	}
	return known
}

// remembered uses the diagnosis of an interrupted run, if there is one.
func (d *detection) remembered(ctx context.Context, t suite.TestID) bool {
	if d.ledger == nil || !d.opts.Resume {
		return false
	}
	var known diagnose.TestResult
	ok, err := d.ledger.Kept(ctx, d.diagnosed(), string(t), &known)
	if err != nil {
		d.s.Log.Warn("reading a diagnosis", zap.Error(err))
	}
	// Without --fix, nothing searches the cleaners that a diagnosis has left out.
	if ok = ok && err == nil && known.Test == t && (d.in.CleanersLater || !known.CleanersLater); ok {
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

// forget removes a diagnosis from the known results.
func (d *detection) forget(t suite.TestID) {
	d.known.Tests = slices.DeleteFunc(d.known.Tests, func(x diagnose.TestResult) bool { return x.Test == t })
	d.in.Failing = slices.DeleteFunc(d.in.Failing, func(x suite.TestID) bool { return x == t })
}

func (d *detection) diagnosis(t suite.TestID) *diagnose.TestResult {
	for i := range d.known.Tests {
		if d.known.Tests[i].Test == t {
			return &d.known.Tests[i]
		}
	}
	return nil
}
