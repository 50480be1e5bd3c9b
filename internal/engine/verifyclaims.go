package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// proofKey is equal for patches that one proof proves.
func proofKey(p *job.Patch) string {
	return p.RawDiff() + "\n" + suite.Order(p.Fixes).Key()
}

// combined proves the combined patch, provided that it is made of the report's single patches: only
// those were proved with and without each statement, and for tests that fail without them.
func (v *verifier) combined(ctx context.Context) (*job.Combined, error) {
	c := *v.old.Combined
	if err := v.plausible(c.Fixes, c.RawDiff()); err != nil {
		return nil, err
	}
	m, err := madeOf(v.p.base.Source, v.old)
	if err != nil {
		return nil, err
	}
	c.Files = sortedKeys(m.tree.Files())
	if check := m.unproved(v.proofs); check != nil {
		c.Proof = proofOf([]repair.Check{*check}, false)
		return &c, nil
	}
	checks, proved, err := v.p.proveTogether(ctx, v.w, v.old, &c, m.tree)
	if err != nil {
		return nil, err
	}
	c.Proof = proofOf(checks, proved)
	c.Proof.Commands, err = v.artifacts.commands(checks, c.RawDiff())
	return &c, err
}

// unproved is the check that does not hold where a patch in the tree was not proved (proofs are by
// proofKey); nil where all were.
func (m merged) unproved(proofs map[string]job.Proof) *repair.Check {
	for _, p := range m.taken {
		if !proofs[proofKey(p)].Proved {
			return &repair.Check{Name: "is made of proved patches only", Repeats: 1, Patched: true,
				Detail: "the patch for " + firstAndCount(p.Fixes) + " is not proved any more"}
		}
	}
	return nil
}

// madeOf makes the report's combined patch again, of the single patches that the report calls the
// best, but for those it says were left out. It refuses a combined patch that changes anything
// else, or claims to fix other tests.
func madeOf(read func(path string) (string, error), r *job.Report) (merged, error) {
	c := r.Combined
	chosen := slices.DeleteFunc(r.Chosen(), func(p *job.Patch) bool {
		return slices.ContainsFunc(c.LeftOut, func(why string) bool { return strings.HasPrefix(why, notTaken(p)) })
	})
	m := treeOf(read, chosen)
	again := m.combined()
	switch other := missingFrom(again.Fixes, c.Fixes); {
	case len(m.leftOut) > 0:
		return m, badReport("the combined patch cannot be made again of the report's single patches. %s", m.leftOut[0])
	case again.RawDiff() != c.RawDiff():
		return m, badReport("the combined patch is not what the report's proved single patches make together")
	case len(other) > 0:
		return m, badReport("the combined patch claims to fix %s, which none of the single patches it is made of is proved for",
			firstAndCount(other))
	}
	return m, nil
}

// runner runs orders fresh, without a patch.
type runner interface {
	Run(ctx context.Context, o suite.Order) (*suite.Run, error)
}

// confirmEndings runs each of the tests that a report leaves out of every order, and refuses one
// that does not end its process: alone, in the suite's own order after everything that stands
// before it there and was not left out, or at the end of one of the orders in which the report saw
// it. Without that, a report could leave out whatever its patches break. The result are those that
// do so alone or in the suite's own order; the others need not be left out of that.
func confirmEndings(ctx context.Context, r runner, original suite.Order, leftOut []suite.TestID,
	seen []suite.Order) ([]suite.TestID, error) {
	var always, done []suite.TestID
	for _, t := range original {
		if !slices.Contains(leftOut, t) || slices.Contains(done, t) {
			continue
		}
		done = append(done, t)
		own, err := firstEnding(ctx, r, t, []suite.Order{{t}, append(without(original.Before(t), always), t)})
		if err != nil {
			return nil, err
		}
		if own {
			always = append(always, t)
			continue
		}
		others := without(leftOut, []suite.TestID{t})
		elsewhere, err := firstEnding(ctx, r, t, endingWith(t, seen, others))
		if err != nil {
			return nil, err
		}
		if !elsewhere {
			return nil, badReport("the report leaves out %s because it ends its process, and here it does not, neither alone nor in the "+
				"suite's own order nor in any that the report names", t)
		}
	}
	return always, nil
}

// firstEnding reports whether the test ends its process in one of the orders.
func firstEnding(ctx context.Context, r runner, t suite.TestID, orders []suite.Order) (bool, error) {
	for _, o := range orders {
		run, err := r.Run(ctx, o)
		if err != nil || endedBy(run, t) {
			return err == nil, err
		}
	}
	return false, nil
}

// endingWith are the orders that hold t, cut after it, without the other tests that are left out.
func endingWith(t suite.TestID, orders []suite.Order, others []suite.TestID) []suite.Order {
	var out []suite.Order
	for _, o := range orders {
		if o.Index(t) >= 0 {
			out = append(out, append(without(o.Before(t), others), t))
		}
	}
	return out
}

// endingOrders are the orders in which a report saw processes end, and that in which the failure
// was seen.
func endingOrders(r *job.Report) []suite.Order {
	var out []suite.Order
	for _, x := range r.Crashes {
		if len(out) < maxEndings && (x.Crash.During == "" || slices.Contains(r.LeftOut, x.Crash.During)) {
			out = append(out, x.Order)
		}
	}
	if r.Observed != nil {
		out = append(out, r.Observed.Order)
	}
	return out
}

// endedBy reports whether a run ended early, and in this test: where the process did not say in
// which, it is the first without a result.
func endedBy(run *suite.Run, t suite.TestID) bool {
	if run.Crash == nil {
		return false
	}
	if run.Order.Index(run.Crash.During) >= 0 {
		return run.Crash.During == t
	}
	i := slices.IndexFunc(run.Results, func(r suite.Result) bool { return r.Outcome == suite.Unresolved })
	return i >= 0 && run.Results[i].Test == t
}
