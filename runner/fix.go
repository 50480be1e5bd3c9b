package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// fix diagnoses the failing tests and mends what depends on order.
func (w *worker) fix(ctx context.Context, r *job.Report) error {
	names := w.failing()
	if len(names) == 0 {
		return &job.Error{Code: "no-failing-test", Message: "nobody said which test fails", Hint: "Name one with --test CLASS#METHOD."}
	}
	p, err := w.open(ctx, names, r)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := p.Close(); cerr != nil {
			w.log.Warn("closing the project", zap.Error(cerr))
		}
	}()
	w.asked = func() int { return questions(p) }
	in, err := w.input(p, names, r)
	if err != nil {
		return err
	}
	w.enter(job.PhaseDiagnose)
	// The workbench takes seconds to come up; it does so beside the first questions.
	bench := w.startEditor(ctx, p)
	defer bench.close()
	res, err := diagnose.Diagnose(ctx, asker{p.lab}, *in)
	if res != nil {
		r.Notes = append(r.Notes, res.Notes...)
		for _, t := range res.Tests {
			r.Tests = append(r.Tests, testReport(t))
		}
	}
	if err == nil {
		r.LeftOut = res.Left
		p.leaveOut(res.Left)
		if res.Sequential {
			p.askInTurn()
		}
		err = w.mend(ctx, p, bench, in, res, r)
	}
	stats := p.base.Stats()
	r.Cost.Questions, r.Cost.Tests = stats.Questions, stats.Tests
	return err
}

// failing are the tests in question, as they were named.
func (w *worker) failing() []string {
	if len(w.job.Tests) > 0 {
		return w.job.Tests
	}
	if w.job.Order != nil {
		return w.job.Order.Failed
	}
	return nil
}

func questions(p *project) int {
	n := 0
	for _, k := range p.base.Stats().Questions {
		n += k
	}
	return n
}

// input puts the job into the terms of the suite that was discovered.
func (w *worker) input(p *project, names []string, r *job.Report) (*diagnose.Input, error) {
	in := &diagnose.Input{
		Suite: p.suite, Original: p.original, Rerun: w.job.Rerun, FindAll: w.job.FindAll, Isolated: p.launch.ForkPerClass,
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
		if len(in.Failing) == 0 || len(w.job.Tests) > 0 {
			return nil, &job.Error{Code: "no-such-test", Message: unknown.Error(), Hint: fmt.Sprintf("Write it as CLASS#METHOD. Module %s has %d tests; another module is named with --module.", p.launch.Module, len(p.original))}
		}
		r.Notes = append(r.Notes, "Left out: "+unknown.Error())
	}
	in.Rerun = rerun(w.job.Rerun, len(in.Failing))
	if o := w.job.Order; o != nil && len(o.Tests) > 0 {
		tests, unknown := p.names.Expand(o.Tests)
		in.Seen = []diagnose.Seen{{Source: o.Source, Provenance: diagnose.Provenance(o.Provenance), Order: tests}}
		r.Notes = append(r.Notes, o.Notes...)
		if len(unknown) > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%d of the %d tests in %s are not in this module and were left out (%s …).", len(unknown), len(o.Tests), o.Source, unknown[0]))
			in.Seen[0].Provenance = in.Seen[0].Provenance.AtBest(diagnose.Partial)
		}
		r.Observed = seenOrder(&in.Seen[0])
	}
	return in, nil
}

// many is how many failing tests confirm each other when they share a cause:
// above it each conclusion is confirmed twice rather than three times.
const many = 8

// rerun is how often each conclusion is confirmed.
func rerun(asked, failing int) int {
	switch {
	case asked > 0:
		return asked
	case failing > many:
		return job.DefaultRerun - 1
	}
	return job.DefaultRerun
}

// mend looks for a patch for each cause and proves it.
func (w *worker) mend(ctx context.Context, p *project, bench *bench, in *diagnose.Input, res *diagnose.Result, r *job.Report) error {
	if err := ctx.Err(); err != nil {
		return err // the search was cut short: what it did not find proves nothing
	}
	causes := causesOf(res.Tests)
	if len(causes) == 0 {
		return nil
	}
	w.enter(job.PhaseRepair)
	editor, err := bench.wait(ctx)
	m := &mender{w: w, p: p, in: in, r: r, editor: editor, paper: newPaper(w.job, p.module()), cases: casesOf(causes)}
	if why := uneditable(err); why != "" {
		for _, c := range causes {
			m.note(c, why)
		}
		m.show(ctx, causes)
		return nil
	}
	if err != nil {
		return err
	}
	if err := m.all(ctx, slices.Clone(causes)); err != nil {
		return err
	}
	if err := m.together(ctx); err != nil {
		return err
	}
	m.show(ctx, causes)
	return nil
}

// all mends causes one after the other. What a patch cures beyond its own cause
// needs no other.
func (m *mender) all(ctx context.Context, causes []repair.Cause) error {
	for i := range causes {
		for len(causes[i].Cases) > 0 {
			cured, err := m.cause(ctx, causes[i], causes[i+1:])
			if err != nil {
				return err
			}
			if len(cured) == 0 {
				break
			}
			for k := i; k < len(causes); k++ {
				causes[k] = uncured(causes[k], cured)
			}
		}
	}
	return nil
}

// maxShown is how many causes are shown with plain Maven: each takes a build.
const maxShown = 3

// show finds out how a person sees the causes with plain Maven. One test of
// each is enough: the others fail in the same way. Finding no way is no error.
func (m *mender) show(ctx context.Context, causes []repair.Cause) {
	m.w.enter(job.PhaseReproduce)
	for _, c := range causes[:min(maxShown, len(causes))] {
		first := c.Cases[0]
		cmd, err := m.reproduce(ctx, first.Failing[0])
		if err != nil {
			m.w.log.Info("no plain command shows the failure", zap.Error(err))
		}
		if cmd != nil {
			m.each([]suite.TestID{first.Test}, func(t *job.TestReport) { t.Reproduce = append(t.Reproduce, *cmd) })
		}
	}
}

// mender mends causes one after the other.
type mender struct {
	w      *worker
	p      *project
	in     *diagnose.Input
	r      *job.Report
	editor *editor
	paper  *paper
	cases  map[suite.TestID]repair.Case
}

// maxProofs is how many candidates of one cause are put to the proof.
const maxProofs = 4

// cause finds and proves one patch, writes it into the report and returns the
// tests it cures, those of the other causes among them; none where there is no
// patch.
func (m *mender) cause(ctx context.Context, c repair.Cause, others []repair.Cause) ([]suite.TestID, error) {
	m.w.enter(job.PhaseRepair)
	// What the proof compares with can be had meanwhile.
	go func() { _, _ = m.p.baseline(ctx) }()
	if len(c.Helpers) == 0 {
		m.note(c, "No existing test puts the state right, so there is no helper to make a patch from.")
		return nil, nil
	}
	patcher := &repair.Patcher{Editor: m.editor, Lab: m.p.lab, Log: m.w.log, Progress: func(s string) {
		m.w.say(job.Event{Test: c.Cases[0].Test, Message: s})
	}}
	candidates, err := patcher.Candidates(ctx, c)
	if len(candidates) == 0 {
		if err != nil && ctx.Err() == nil {
			m.note(c, "No patch could be made from the helpers: "+err.Error())
			err = nil
		}
		return nil, err
	}
	m.w.enter(job.PhaseProve)
	for i, cand := range candidates {
		if i == maxProofs {
			break
		}
		own := slices.Clone(cand.Cures)
		if err := patcher.Extend(ctx, cand, others); err != nil {
			return nil, err
		}
		done, err := m.prove(ctx, patcher, c, cand)
		if err == nil && !done && len(cand.Cures) > len(own) {
			cand.Cures = own // what it does for tests of other causes may not hold
			done, err = m.prove(ctx, patcher, c, cand)
		}
		if err != nil {
			return nil, err
		}
		if done {
			return cand.Cures, nil
		}
	}
	m.note(c, "A patch was found, and refused because its proof failed; see the log.")
	return nil, nil
}

// prove puts a candidate to the proof and, where it holds, into the report.
func (m *mender) prove(ctx context.Context, patcher *repair.Patcher, c repair.Cause, cand *repair.Candidate) (bool, error) {
	in, err := m.proofInput(ctx, cand)
	if err != nil {
		return false, err
	}
	checks, proved, err := patcher.Prove(ctx, builder{m.p}, cand, in)
	if err != nil {
		return false, err
	}
	if !proved {
		m.w.log.Info("candidate refused", zap.String("place", string(cand.Edit.Place)), zap.Any("checks", checks))
		return false, nil
	}
	diff := unified(cand.Built)
	patch := job.Patch{
		Kind: "helper", Place: job.Place(cand.Edit.Place), Helper: cand.Helper, Statements: cand.Built.Statements,
		At: cand.Edit.At, Also: cand.Edit.Also, Style: job.Style(cand.Edit.Style), StatementIDs: cand.Edit.Keep,
		Files: sortedKeys(cand.Built.Files), Cures: cand.Cures, Why: whyOf(cand, len(c.Cases)), Proof: proofOf(checks, proved),
	}
	patch.SetDiff(diff)
	if patch.Proof.Commands, err = m.paper.commands(checks, diff); err != nil {
		return false, err
	}
	m.each(cand.Cures, func(t *job.TestReport) { t.Patches = append(t.Patches, patch) })
	return true, nil
}

func (m *mender) proofInput(ctx context.Context, cand *repair.Candidate) (repair.ProofInput, error) {
	in := repair.ProofInput{Repeats: m.in.Rerun, Original: m.p.original, Left: m.r.LeftOut, Plain: plain{l: m.p.lab}, TestCode: m.p.isTestCode}
	m.p.surround(&in, m.steady(cand.Cures), cand.Cures, m.in.FindAll)
	for _, t := range cand.Cures {
		in.Minimal = append(in.Minimal, m.cases[t].Failing...)
	}
	for _, seen := range m.in.Seen {
		in.Failing = append(in.Failing, without(seen.Order, m.r.LeftOut))
	}
	m.each(cand.Cures, func(t *job.TestReport) {
		if t.FailingOrder != nil {
			in.Failing = append(in.Failing, t.FailingOrder.Order)
		}
	})
	var err error
	in.Baseline, err = m.p.baseline(ctx)
	return in, err
}

// steady are the tests whose repeated runs in one process mean something.
func (m *mender) steady(tests []suite.TestID) []suite.TestID {
	var out []suite.TestID
	m.each(tests, func(t *job.TestReport) {
		if !t.NonIdempotent {
			out = append(out, t.Test)
		}
	})
	return out
}

// note adds a sentence to the reports of a cause's tests.
func (m *mender) note(c repair.Cause, text string) {
	var tests []suite.TestID
	for _, cs := range c.Cases {
		tests = append(tests, cs.Test)
	}
	m.each(tests, func(t *job.TestReport) { t.Notes = append(t.Notes, text) })
}

func (m *mender) each(tests []suite.TestID, f func(*job.TestReport)) {
	for _, t := range tests {
		for i := range m.r.Tests {
			if m.r.Tests[i].Test == t {
				f(&m.r.Tests[i])
			}
		}
	}
}
