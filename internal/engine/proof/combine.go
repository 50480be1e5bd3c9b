package proof

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// maxTogether is how often a combination of patches is proved.
const maxTogether = 3

// Combine returns one proved patch made of the chosen ones of a report, and the checks of its proof.
// The patch is nil if no two work together. leftOut says which patches are not in it, and why.
func Combine(ctx context.Context, s *session.Session, p *session.Module, r *job.Report, chosen []*job.Patch) (
	c *job.Combined, checks []repair.Check, leftOut []string, err error) {
	j := joiner{read: p.Base.Source, prove: func(ctx context.Context, taken merged) ([]repair.Check, bool, error) {
		checks, proved, err := proveTogether(ctx, s, p, taken, r, proofInput(p, r, taken.fixes()))
		if err == nil && !proved {
			s.Log.Info("the patches do not hold together", zap.Any("checks", checks))
		}
		return checks, proved, err
	}}
	return j.join(ctx, chosen)
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
		if c.Proof = Of(checks, proved); proved {
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
	c := &job.Combined{Files: slices.Sorted(maps.Keys(m.tree.Files())), Fixes: m.fixes()}
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
func proveTogether(ctx context.Context, s *session.Session, p *session.Module, m merged, r *job.Report, in repair.ProofInput) ([]repair.Check, bool, error) {
	whole := repair.ProofInput{Left: in.Left}
	surround(p, &whole, steady(r, m.fixes()), m.fixes(), s.Job.FindAll)
	in.RowsOf, in.NeighboursOf, in.All = whole.RowsOf, whole.NeighboursOf, true
	for _, t := range m.taken {
		in.Failing = append(in.Failing, t.WidenedFor...)
		own := repair.ProofInput{Left: in.Left}
		surround(p, &own, steady(r, t.Fixes), t.Fixes, s.Job.FindAll)
		in.Rows, in.Neighbours = append(in.Rows, own.Rows...), suite.Union(in.Neighbours, own.Neighbours)
		in.All = in.All && len(t.Fixes) <= cohort.Sample // of many, it has not run each alone either
	}
	in.Rows = longest(in.Rows)
	for _, o := range in.Neighbours {
		in.NeighboursAsked += len(o) / 2 // each pair is a test and one directly before it
	}
	patcher := p.Patcher(s, "")
	return patcher.ProveTogether(ctx, p.Builder(), m.tree.Files(), m.fixes(), in)
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
