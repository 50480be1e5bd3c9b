package main

import (
	"context"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// verify proves the patches of an earlier report again, from scratch: what the
// report says of its tests is taken as the claim, never as the proof.
func (w *worker) verify(ctx context.Context, r *job.Report) error {
	old := w.job.Report
	if old == nil || !hasPatch(old) {
		return &job.Error{Code: "nothing-to-verify", Message: "the report holds no patch", Hint: "Give the report.json of a run that found one."}
	}
	var names []string
	for _, t := range old.Tests {
		names = append(names, string(t.Test))
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
	v := &verifier{w: w, p: p, proofs: map[string]job.Proof{}}
	w.enter(job.PhaseProve)
	for _, t := range old.Tests {
		again := t
		again.Patches = nil
		for _, patch := range t.Patches {
			if patch.Proof, err = v.patch(ctx, old, patch); err != nil {
				return err
			}
			again.Patches = append(again.Patches, patch)
		}
		r.Tests = append(r.Tests, again)
	}
	stats := p.base.Stats()
	r.Cost.Questions, r.Cost.Tests = stats.Questions, stats.Tests
	return nil
}

func hasPatch(r *job.Report) bool {
	for _, t := range r.Tests {
		if len(t.Patches) > 0 {
			return true
		}
	}
	return false
}

// verifier proves each patch once, however many tests share it.
type verifier struct {
	w      *worker
	p      *project
	proofs map[string]job.Proof // by diff
}

func (v *verifier) patch(ctx context.Context, old *job.Report, patch job.Patch) (job.Proof, error) {
	key := patch.RawDiff() + "\n" + suite.Order(patch.Cures).Key()
	if done, ok := v.proofs[key]; ok {
		return done, nil
	}
	for _, t := range patch.Cures {
		if !slices.ContainsFunc(old.Tests, func(r job.TestReport) bool { return r.Test == t && r.Verdict.OrderDependent() }) {
			return job.Proof{}, &job.Error{Code: "bad-report", Message: fmt.Sprintf("the patch claims to cure %s, of which the report says nothing that could be checked", t)}
		}
	}
	if len(patch.Cures) == 0 {
		return job.Proof{}, &job.Error{Code: "bad-report", Message: "a patch in the report cures no test, so there is nothing to prove"}
	}
	after, before, err := v.p.apply(patch.RawDiff())
	if err != nil {
		return job.Proof{}, err
	}
	in := repair.ProofInput{Repeats: max(v.w.job.Rerun, 1), Original: v.p.original, Plain: plain{v.p.lab}, TestCode: v.p.isTestCode}
	var steady []suite.TestID
	for _, t := range old.Tests {
		if slices.Contains(patch.Cures, t.Test) {
			if !t.NonIdempotent {
				steady = append(steady, t.Test)
			}
			in.Minimal = append(in.Minimal, failingOrders(t)...)
			if t.FailingOrder != nil {
				in.Failing = append(in.Failing, t.FailingOrder.Order)
			}
		}
	}
	v.p.surround(&in, steady, patch.Cures, v.w.job.FindAll)
	if in.Baseline, err = v.p.baseline(ctx); err != nil {
		return job.Proof{}, err
	}
	patcher := &repair.Patcher{Lab: v.p.lab, Log: v.w.log, Progress: func(s string) { v.w.say(job.Event{Message: s}) }}
	cand := &repair.Candidate{Built: &repair.Built{Files: after, Before: before}, Cures: patch.Cures}
	checks, proved, err := patcher.Prove(ctx, builder{v.p}, cand, in)
	if err != nil {
		return job.Proof{}, err
	}
	proof := proofOf(checks, proved)
	proof.Commands, err = newPaper(v.w.job, v.p.module()).commands(checks, patch.RawDiff())
	v.proofs[key] = proof
	return proof, err
}

// failingOrders are the orders that a report says fail for its test.
func failingOrders(t job.TestReport) []suite.Order {
	var setter suite.Order
	var out []suite.Order
	if t.Verdict != job.Victim {
		out = append(out, suite.Order{t.Test})
		if len(t.StateSetters) > 0 {
			setter = t.StateSetters[0]
		}
	}
	for _, p := range t.Polluters {
		out = append(out, suite.Join(setter, p, suite.Order{t.Test}))
	}
	return out
}
