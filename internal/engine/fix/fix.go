// Package fix diagnoses failing tests, and repairs each cause up to a proved patch.
//
// One cause is explained, patched and proved before the diagnosis continues with the next. A proved
// patch is tried on later causes, too. At the end, the patches of all causes are proved together.
package fix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// Run diagnoses the failing tests and fixes what depends on order.
func Run(ctx context.Context, s *session.Session, r *job.Report) error {
	names := failing(s.Job)
	if len(names) == 0 {
		return &job.Error{Code: "no-failing-test", Message: "no failing test is given", Hint: "Name one with --test."}
	}
	p, err := s.Open(ctx, names, r)
	if err != nil {
		return err
	}
	in, err := input(s, p, names, r)
	if err != nil {
		return err
	}
	before, err := olderCode(ctx, s, p)
	if err != nil {
		return err
	}
	defer before.close()
	s.BeginDiagnosis(p)
	// The workbench takes seconds to start. It starts in parallel with the first runs.
	pending := p.StartEditor(ctx)
	defer pending.Close()
	pending.WarmUp(ctx, in.Failing[0])
	in.ProcessWriters = pending.ProcessWriters(s.Log)
	f := &fixing{s: s, p: p, in: in, r: r, before: before, repairing: NewRepairing(s, p, pending, in, r)}
	defer f.repairing.Close()
	in.Explained, in.Located = f.explained, f.located
	res, err := diagnose.Diagnose(ctx, p.Asker(), *in)
	f.early.stop() // if nobody asked for what it finds: it writes what the repair reads
	if res != nil {
		f.conclude(res)
	}
	if err == nil {
		err = f.repairing.Finish(ctx)
	}
	return cmp.Or(err, f.failed)
}

// fixing is one running fix: each cause is explained, repaired and proved before the diagnosis
// continues with the next.
type fixing struct {
	s         *session.Session
	p         *session.Module
	in        *diagnose.Input
	r         *job.Report
	repairing *Repairing
	early     *earlyState // the search for state that has begun before its test is explained; nil: none
	before    *before     // the code before the job's change; nil: no production code changed, as far as is known
	failed    error       // why no further test can be repaired
}

// explained adds the causes that are explained since the last call, and repairs them.
func (f *fixing) explained(ctx context.Context, sofar *diagnose.Result) error {
	f.take(sofar)
	f.repairing.Clean = sofar.Clean
	begin := len(f.r.Tests)
	var fresh []diagnose.TestResult
	for _, t := range sofar.Tests {
		if !f.reported(t.Test) {
			fresh = append(fresh, t)
			f.r.Tests = append(f.r.Tests, TestReport(t))
		}
	}
	NoteFixedOrders(f.p.Suite, f.r.Tests[begin:])
	explainFailures(f.p.Base, f.r.Tests[begin:])
	defer f.s.Enter(job.PhaseDiagnose)
	if f.failed != nil {
		return nil
	}
	fresh = f.regressions(ctx, fresh, f.r.Tests[begin:])
	f.state(ctx, sofar, f.r.Tests[begin:])
	err := f.repairing.Repair(ctx, fresh, sofar.Open)
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
	f.s.Short = res.Unfinished
	begin := len(f.r.Tests)
	for _, t := range res.Tests {
		if !f.reported(t.Test) {
			f.r.Tests = append(f.r.Tests, TestReport(t))
		}
	}
	NoteFixedOrders(f.p.Suite, f.r.Tests[begin:])
	explainFailures(f.p.Base, f.r.Tests[begin:])
	if len(f.s.Job.Tests) > 0 {
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
	if o := f.s.Job.Order; o != nil {
		for _, name := range o.Failed {
			found, _ := f.p.Names.Resolve(name) // a name that is unknown here is that of another module's test
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
	f.r.Cohorts, f.r.LeftOut = Cohorts(res.Shared), res.Left
	f.p.LeaveOut(res.Left)
	if res.Sequential {
		f.p.AskSequentially()
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
func input(s *session.Session, p *session.Module, names []string, r *job.Report) (*diagnose.Input, error) {
	in := &diagnose.Input{
		Groups: p.Groups,
		Suite:  p.Suite, Original: p.Original, Rerun: s.Job.Rerun, FindAll: s.Job.FindAll, Keep: diagnose.FinishShare,
		NoCleaners: !s.Job.Wants(job.FromHelper), CleanersLater: s.Job.WantsResets(), Once: p.About.Once, Isolated: p.About.Isolated,
		Progress: func(e diagnose.Event) { s.Say(job.Event{Test: e.Test, Message: e.Message, Best: e.Best}) },
	}
	var unknown error
	for _, n := range names {
		found, err := p.Names.Resolve(n)
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
					p.Groups.Nouns().Test, p.About.Name, len(p.Original))}
		}
		left := "Left out: " + strings.ReplaceAll(unknown.Error(), "\n", "; ")
		s.Say(job.Event{Message: "starting", Note: left})
		r.Notes = append(r.Notes, left)
	}
	in.Rerun = s.Rerun(len(in.Failing))
	if o := s.Job.Order; o != nil && len(o.Tests) > 0 {
		seen, unknown := p.Seen(o)
		r.Notes = append(r.Notes, o.Notes...)
		if len(unknown) > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%d of the %d tests in %s are not in this module and were left out (%s …).", len(unknown),
				len(o.Tests), o.Source, unknown[0]))
		}
		in.Seen, r.Observed = []suite.Seen{seen}, &seen
	}
	return in, nil
}
