package main

import (
	"context"
	"fmt"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suggest"
	"github.com/odfix/odfix/internal/suite"
)

// maxTogether is how often a choice of patches is put to the proof as a whole.
const maxTogether = 3

// together makes one patch of the best patches of all tests, where there are
// several, and proves it as a whole. Where they do not hold together, those
// found last are left out.
func (m *mender) together(ctx context.Context) error {
	chosen := m.r.Chosen()
	if len(chosen) < 2 {
		return nil
	}
	m.w.enter(job.PhaseProve)
	var leftOut []string
	for try := 0; try < maxTogether && len(chosen) > 1; try++ {
		c, tree := m.merge(chosen)
		c.LeftOut = append(leftOut, c.LeftOut...)
		if tree == nil {
			return nil
		}
		checks, proved, err := m.p.proveTogether(ctx, m.w, m.r, c, tree)
		if err != nil {
			return err
		}
		c.Proof = proofOf(checks, proved)
		if proved {
			c.Proof.Commands, err = m.paper.commands(checks, c.RawDiff())
			m.r.Combined = c
			return err
		}
		last := chosen[len(chosen)-1]
		m.w.log.Info("the patches do not hold together", zap.Any("checks", checks))
		leftOut = append(leftOut, fmt.Sprintf("The patch for %s is left out: it does not hold together with the others (%s).", namely(last.Cures), brokenBy(checks)))
		chosen = chosen[:len(chosen)-1]
	}
	m.r.Notes = append(m.r.Notes, leftOut...)
	return nil
}

// merge makes one patch of several; nil where only one of them is left.
func (m *mender) merge(chosen []*job.Patch) (*job.Combined, *suggest.Tree) {
	c := &job.Combined{}
	tree := &suggest.Tree{Read: m.p.source}
	taken := 0
	for _, p := range chosen {
		if err := tree.Add(p.RawDiff()); err != nil {
			c.LeftOut = append(c.LeftOut, fmt.Sprintf("The patch for %s is left out: %v.", namely(p.Cures), err))
			continue
		}
		taken++
		c.Cures = append(c.Cures, unlisted(c.Cures, p.Cures)...)
	}
	if taken < 2 {
		m.r.Notes = append(m.r.Notes, c.LeftOut...)
		return c, nil
	}
	c.Files = sortedKeys(tree.Files())
	c.SetDiff(tree.Diff())
	return c, tree
}

// proveTogether asks what a report says of the tests that a combined patch cures.
func (p *project) proveTogether(ctx context.Context, w *worker, r *job.Report, c *job.Combined, tree *suggest.Tree) ([]repair.Check, bool, error) {
	in := repair.ProofInput{Original: p.original, Left: r.LeftOut, Plain: plain{l: p.lab}, TestCode: p.isTestCode}
	p.claims(&in, r, c.Cures)
	var err error
	if in.Baseline, err = p.baseline(ctx); err != nil {
		return nil, false, err
	}
	patcher := &repair.Patcher{Lab: p.lab, Log: w.log, Progress: func(s string) { w.say(job.Event{Message: s}) }}
	return patcher.ProveTogether(ctx, builder{p}, tree.Files(), c.Cures, in)
}

// claims puts into a proof's input what a report says of the tests: in which
// orders they fail, in full and minimal.
func (p *project) claims(in *repair.ProofInput, r *job.Report, tests []suite.TestID) {
	if r.Observed != nil {
		in.Failing = append(in.Failing, without(r.Observed.Order, r.LeftOut))
	}
	for _, t := range r.Tests {
		if len(unlisted(tests, []suite.TestID{t.Test})) > 0 {
			continue
		}
		in.Minimal = append(in.Minimal, failingOrders(t)...)
		if t.FailingOrder != nil {
			in.Failing = append(in.Failing, t.FailingOrder.Order)
		}
	}
}

// unlisted are those of the tests that are not in the list.
func unlisted(list, tests []suite.TestID) []suite.TestID {
	var out []suite.TestID
	for _, t := range tests {
		if suite.Order(list).Index(t) < 0 {
			out = append(out, t)
		}
	}
	return out
}

// namely is the first of the tests, and how many more there are.
func namely(tests []suite.TestID) string {
	if len(tests) == 1 {
		return string(tests[0])
	}
	return fmt.Sprintf("%s and %d more", tests[0], len(tests)-1)
}

// brokenBy says which check did not hold.
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
