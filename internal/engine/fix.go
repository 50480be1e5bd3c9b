package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// fix diagnoses the failing tests and fixes what depends on order.
func fix(ctx context.Context, w *worker, r *job.Report) error {
	names := failing(w.job)
	if len(names) == 0 {
		return &job.Error{Code: "no-failing-test", Message: "no failing test is given", Hint: "Name one with --test."}
	}
	p, err := w.open(ctx, names, r)
	if err != nil {
		return err
	}
	in, err := input(w, p, names, r)
	if err != nil {
		return err
	}
	before, err := olderCode(ctx, w, p)
	if err != nil {
		return err
	}
	defer before.close()
	w.beginDiagnosis(p)
	// The workbench takes seconds to start. It starts in parallel with the first runs.
	pending := p.startEditor(ctx)
	defer pending.close()
	pending.warmUp(ctx, in.Failing[0])
	in.ProcessWriters = pending.processWriters(w.Log)
	f := &fixing{w: w, p: p, in: in, r: r, before: before, repairing: newRepairing(w, p, pending, in, r)}
	defer f.repairing.close()
	in.Explained, in.Located = f.explained, f.located
	res, err := diagnose.Diagnose(ctx, asker{p.lab}, *in)
	f.early.stop() // if nobody asked for what it finds: it writes what the repair reads
	if res != nil {
		f.conclude(res)
	}
	if err == nil {
		err = f.repairing.finish(ctx)
	}
	return cmp.Or(err, f.failed)
}

// fixing is one running fix: each cause is explained, repaired and proved before the diagnosis
// continues with the next.
type fixing struct {
	w         *worker
	p         *module
	in        *diagnose.Input
	r         *job.Report
	repairing *repairing
	early     *earlyState // the search for state that has begun before its test is explained; nil: none
	before    *before     // the code before the job's change; nil: no production code changed, as far as is known
	failed    error       // why no further test can be repaired
}

// explained adds the causes that are explained since the last call, and repairs them.
func (f *fixing) explained(ctx context.Context, sofar *diagnose.Result) error {
	f.take(sofar)
	f.repairing.clean = sofar.Clean
	begin := len(f.r.Tests)
	var fresh []diagnose.TestResult
	for _, t := range sofar.Tests {
		if !f.reported(t.Test) {
			fresh = append(fresh, t)
			f.r.Tests = append(f.r.Tests, testReport(t))
		}
	}
	noteFixedOrders(f.p.suite, f.r.Tests[begin:])
	explainFailures(f.p.base, f.r.Tests[begin:])
	defer f.w.enter(job.PhaseDiagnose)
	if f.failed != nil {
		return nil
	}
	fresh = f.regressions(ctx, fresh, f.r.Tests[begin:])
	f.state(ctx, sofar, f.r.Tests[begin:])
	err := f.repairing.repair(ctx, fresh, sofar.Open)
	if err != nil && ctx.Err() == nil {
		f.failed = err // the other tests still get their verdicts
		return nil
	}
	return err
}

// conclude completes the report with the tests that were not repaired.
func (f *fixing) conclude(res *diagnose.Result) {
	f.take(res)
	f.r.Notes = append(f.r.Notes, res.Notes...)
	f.w.short = res.Unfinished
	begin := len(f.r.Tests)
	for _, t := range res.Tests {
		if !f.reported(t.Test) {
			f.r.Tests = append(f.r.Tests, testReport(t))
		}
	}
	noteFixedOrders(f.p.suite, f.r.Tests[begin:])
	explainFailures(f.p.base, f.r.Tests[begin:])
	if len(f.w.job.Tests) > 0 {
		f.passing()
	}
	place := func(t suite.TestID) int {
		return slices.IndexFunc(res.Tests, func(x diagnose.TestResult) bool { return x.Test == t })
	}
	slices.SortStableFunc(f.r.Tests, func(a, b job.TestReport) int { return cmp.Compare(place(a.Test), place(b.Test)) })
}

// explainFailures adds what the language knows about genuine failures.
func explainFailures(p project.Project, tests []job.TestReport) {
	knows, ok := p.(project.FailureExplainer)
	if !ok {
		return
	}
	for i := range tests {
		t := &tests[i]
		if note := knows.ExplainFailure(t.Failure); t.Verdict == suite.Genuine && note != "" {
			t.Notes = append(t.Notes, note)
		}
	}
}

// passing marks the named tests that pass. A test that failed elsewhere is not one of them.
func (f *fixing) passing() {
	failed := map[suite.TestID]bool{}
	if o := f.w.job.Order; o != nil {
		for _, name := range o.Failed {
			found, _ := f.p.names.Resolve(name) // a name that is unknown here is that of another module's test
			for _, t := range found {
				failed[t] = true
			}
		}
	}
	for i := range f.r.Tests {
		t := &f.r.Tests[i]
		t.Passes = t.Verdict == suite.NotReproduced && !failed[t.Test]
	}
}

// take adds the findings about the suite to the report.
func (f *fixing) take(res *diagnose.Result) {
	f.r.Cohorts, f.r.LeftOut = sharedCohorts(res.Shared), res.Left
	f.p.leaveOut(res.Left)
	if res.Sequential {
		f.p.askSequentially()
	}
}

// reported reports whether the report contains the test.
func (f *fixing) reported(t suite.TestID) bool {
	return slices.ContainsFunc(f.r.Tests, func(x job.TestReport) bool { return x.Test == t })
}

// failing returns the names of the failing tests as the job gives them.
func failing(j job.Job) []string {
	if len(j.Tests) > 0 {
		return j.Tests
	}
	if j.Order != nil {
		return j.Order.Failed
	}
	return nil
}

// input converts the job to an input for the diagnosis of the suite.
func input(w *worker, p *module, names []string, r *job.Report) (*diagnose.Input, error) {
	in := &diagnose.Input{
		Groups: p.groups,
		Suite:  p.suite, Original: p.original, Rerun: w.job.Rerun, FindAll: w.job.FindAll, Keep: diagnose.FinishShare,
		NoCleaners: !w.job.Wants(job.FromHelper), CleanersLater: w.job.WantsResets(), Once: p.about.Once, Isolated: p.about.Isolated,
		Progress: func(e diagnose.Event) { w.say(job.Event{Test: e.Test, Message: e.Message, Best: e.Best}) },
	}
	var unknown error
	for _, n := range names {
		found, err := p.names.Resolve(n)
		if err != nil {
			unknown = errors.Join(unknown, err)
			continue
		}
		in.Failing = append(in.Failing, found...)
	}
	if unknown != nil {
		if len(in.Failing) == 0 {
			return nil, &job.Error{Code: "no-such-test", Message: unknown.Error(),
				Hint: fmt.Sprintf("Write it as %s. Module %s has %d tests; another module is named with --module.",
					p.groups.Nouns().Test, p.about.Name, len(p.original))}
		}
		left := "Left out: " + strings.ReplaceAll(unknown.Error(), "\n", "; ")
		w.say(job.Event{Message: "starting", Note: left})
		r.Notes = append(r.Notes, left)
	}
	in.Rerun = w.rerun(len(in.Failing))
	if o := w.job.Order; o != nil && len(o.Tests) > 0 {
		seen, unknown := p.seen(o)
		r.Notes = append(r.Notes, o.Notes...)
		if len(unknown) > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%d of the %d tests in %s are not in this module and were left out (%s …).", len(unknown),
				len(o.Tests), o.Source, unknown[0]))
		}
		in.Seen, r.Observed = []suite.Seen{seen}, &seen
	}
	return in, nil
}
