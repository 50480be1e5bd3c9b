package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// maxTogether is how often a combination of patches is proved.
const maxTogether = 3

// together combines the best patches of all tests into one, if there are several, and proves it. It
// reports the patches that it left out in any case.
func (m *repairing) together(ctx context.Context) error {
	chosen := m.r.Chosen()
	if len(chosen) < 2 {
		return nil
	}
	m.w.enter(job.PhaseProve)
	j := joiner{read: m.p.base.Source, prove: func(ctx context.Context, taken merged) ([]repair.Check, bool, error) {
		checks, proved, err := m.p.proveTogether(ctx, m.w, taken, m.r, m.p.proofInput(m.r, taken.fixes()))
		if err == nil && !proved {
			m.w.Log.Info("the patches do not hold together", zap.Any("checks", checks))
		}
		return checks, proved, err
	}}
	c, checks, leftOut, err := j.join(ctx, chosen)
	if c == nil {
		m.r.Notes = append(m.r.Notes, leftOut...)
		return err
	}
	c.Proof.Commands, err = m.artifacts.commands(checks, c.RawDiff())
	m.r.Combined = c
	return err
}

// joiner finds as many patches as possible that work together.
type joiner struct {
	read  func(path string) (string, error) // reads a source of the checkout
	prove func(ctx context.Context, m merged) ([]repair.Check, bool, error)
}

// join returns one proved patch made of the chosen ones, and the checks of its proof. If they do
// not work together, it leaves out the last one. The patch is nil if no two work together. leftOut
// says which patches are not in it, and why.
func (j joiner) join(ctx context.Context, chosen []*job.Patch) (c *job.Combined, checks []repair.Check, leftOut []string, err error) {
	var dropped []string
	for range maxTogether {
		m := treeOf(j.read, chosen)
		leftOut = slices.Concat(dropped, m.leftOut)
		if len(m.taken) < 2 {
			return nil, nil, leftOut, nil
		}
		c := m.combined()
		c.LeftOut = leftOut
		checks, proved, err := j.prove(ctx, m)
		if err != nil {
			return nil, nil, leftOut, err
		}
		if c.Proof = proofOf(checks, proved); proved {
			return c, checks, leftOut, nil
		}
		last := m.taken[len(m.taken)-1]
		dropped = append(dropped, notTaken(last)+"; together they failed: "+brokenBy(checks)+".")
		leftOut = slices.Concat(dropped, m.leftOut)
		chosen = slices.DeleteFunc(slices.Clone(chosen), func(p *job.Patch) bool { return p == last })
	}
	return nil, nil, leftOut, nil
}

// notTaken returns the beginning of the sentence that says why a patch is not part of a combined
// one. Verification uses it to find the patches that were left out.
func notTaken(p *job.Patch) string {
	return fmt.Sprintf("The patch for %s is left out", suite.FirstAndCount(p.Fixes))
}

// merged is several patches in one tree.
type merged struct {
	tree    *patch.Tree
	taken   []*job.Patch // the patches in the tree
	leftOut []string     // why the others are not in it, one sentence each
}

// treeOf applies the patches to one tree, except those that conflict.
func treeOf(read func(path string) (string, error), patches []*job.Patch) merged {
	m := merged{tree: &patch.Tree{Read: read, Proves: true}}
	for _, p := range patches {
		if err := m.tree.Add(p.RawDiff()); err != nil {
			m.leftOut = append(m.leftOut, fmt.Sprintf("%s: %v.", notTaken(p), err))
			continue
		}
		m.taken = append(m.taken, p)
	}
	return m
}

// combined returns the tree as one patch, which is not proved yet.
func (m merged) combined() *job.Combined {
	c := &job.Combined{Files: sortedKeys(m.tree.Files()), Fixes: m.fixes()}
	c.SetDiff(m.tree.Diff())
	return c
}

// fixes returns the tests that the patches in the tree fix.
func (m merged) fixes() (out []suite.TestID) {
	for _, p := range m.taken {
		out = append(out, suite.Without(p.Fixes, out)...)
	}
	return out
}

// proveTogether proves the patches in the tree with the orders of the input, and with all others in
// which one of the patches is proved.
func (p *module) proveTogether(ctx context.Context, w *worker, m merged, r *job.Report, in repair.ProofInput) ([]repair.Check, bool, error) {
	whole := repair.ProofInput{Left: in.Left}
	p.surround(&whole, steady(r, m.fixes()), m.fixes(), w.job.FindAll)
	in.RowsOf, in.NeighboursOf, in.All = whole.RowsOf, whole.NeighboursOf, true
	for _, t := range m.taken {
		in.Failing = append(in.Failing, t.WidenedFor...)
		own := repair.ProofInput{Left: in.Left}
		p.surround(&own, steady(r, t.Fixes), t.Fixes, w.job.FindAll)
		in.Rows, in.Neighbours = append(in.Rows, own.Rows...), suite.Union(in.Neighbours, own.Neighbours)
		in.All = in.All && len(t.Fixes) <= cohort.Sample // of many, it has not run each alone either
	}
	in.Rows = longest(in.Rows)
	for _, o := range in.Neighbours {
		in.NeighboursAsked += len(o) / 2 // each pair is a test and one directly before it
	}
	patcher := &repair.Patcher{Groups: p.groups, Runner: p.lab, Log: w.Log, Progress: func(s string) { w.say(job.Event{Message: s}) }}
	return patcher.ProveTogether(ctx, keeping{p.lab}, m.tree.Files(), m.fixes(), in)
}

// longest leaves out rows that another row begins with.
func longest(byClass [][]suite.Order) (out [][]suite.Order) {
	begins := map[string]bool{}
	for _, rows := range byClass {
		for _, row := range rows {
			for n := 1; n < len(row); n++ {
				begins[row[:n].Key()] = true
			}
		}
	}
	for _, rows := range byClass {
		var kept []suite.Order
		for _, row := range rows {
			if !begins[row.Key()] {
				kept, begins[row.Key()] = append(kept, row), true
			}
		}
		if len(kept) > 0 {
			out = append(out, kept)
		}
	}
	return out
}

// sharedBy returns the orders in which those of the tests fail that have no order of their own.
func sharedBy(r *job.Report, tests []suite.TestID) []repair.Shared {
	joint := map[suite.TestID]bool{}
	for i := range r.Tests {
		if t := &r.Tests[i]; slices.Contains(tests, t.Test) && r.Joint(t) {
			joint[t.Test] = true
		}
	}
	var out []repair.Shared
	for _, c := range r.SharedOrders() {
		members := slices.DeleteFunc(slices.Clone(c.Tests), func(t suite.TestID) bool { return !joint[t] })
		if len(members) > 0 {
			out = append(out, repair.Shared{Order: c.Failing, Tests: members})
		}
	}
	return out
}

// proofInput returns the orders that a patch for the tests is proved with: the orders in which the
// tests fail according to the report, in full and minimal, and the suite's own order.
func (p *module) proofInput(r *job.Report, fixes []suite.TestID) repair.ProofInput {
	in := repair.ProofInput{
		Groups: p.groups, Original: p.original, Baseline: p.baseline, Left: r.LeftOut, Plain: newPlain(p.lab),
		TestCode: p.base.IsTestSource, Shared: sharedBy(r, fixes),
	}
	if r.Observed != nil {
		in.Failing = append(in.Failing, suite.Without(r.Observed.Order, r.LeftOut))
	}
	for _, t := range r.Tests {
		if !slices.Contains(fixes, t.Test) {
			continue
		}
		if !r.Joint(&t) {
			in.Minimal = append(in.Minimal, failingOrders(t)...)
		}
		if t.FailingOrder != nil {
			in.Failing = append(in.Failing, t.FailingOrder.Order)
		}
	}
	return in
}

// steady returns the tests that do not fail merely because they run twice in one process.
func steady(r *job.Report, tests []suite.TestID) []suite.TestID {
	return slices.DeleteFunc(slices.Clone(tests), func(t suite.TestID) bool {
		return slices.ContainsFunc(r.Tests, func(x job.TestReport) bool { return x.Test == t && x.NonIdempotent })
	})
}

// brokenBy names the checks that failed.
func brokenBy(checks []repair.Check) string {
	var out []string
	for _, c := range checks {
		if !c.OK {
			first, _, _ := strings.Cut(c.Detail, "\n")
			out = append(out, strings.TrimSpace(c.Name+": "+first))
		}
	}
	return strings.Join(out, "; ")
}
