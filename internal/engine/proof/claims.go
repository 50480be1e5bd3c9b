package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// proofKey returns a key that is equal for patches that the same proof proves, and of which the report
// says the same.
func proofKey(p *job.Patch) string {
	made, _ := json.Marshal(p.Made) // it has only texts
	return fmt.Sprintf("%s\n%q\n%s %q %q %q %s %q %s %q %q", p.RawDiff(), p.Fixes, p.Location, p.At, p.Also, p.Except, p.Style, p.StatementIDs,
		made, p.Helper, p.WidenedFor)
}

// combined proves the combined patch. It must be made of the report's single patches, because only
// those were proved with and without each statement, and for tests that fail without them.
func (v *verifier) combined(ctx context.Context) (*job.Combined, error) {
	c := *v.old.Combined
	if err := v.plausible(c.Fixes, c.RawDiff()); err != nil {
		return nil, err
	}
	m, err := madeOf(v.p.Base.Source, v.old)
	if err != nil {
		return nil, err
	}
	c.Files = slices.Sorted(maps.Keys(m.tree.Files()))
	if check := m.unproved(v.proofs); check != nil {
		c.Proof = Of([]repair.Check{*check}, false)
		return &c, nil
	}
	checks, proved, err := proveTogether(ctx, v.s, v.p, m, v.old, v.proofInput(m.fixes()))
	if err != nil {
		return nil, err
	}
	c.Proof = Of(checks, proved)
	c.Proof.Commands, err = v.artifacts.Commands(checks, c.RawDiff())
	return &c, err
}

// unproved returns a failed check if a patch in the tree was not proved, and nil if all were. The
// keys of proofs are those of proofKey.
func (m merged) unproved(proofs map[string]job.Proof) *repair.Check {
	for _, p := range m.taken {
		if !proofs[proofKey(p)].Proved {
			return &repair.Check{Name: suite.CheckProved, Repeats: 1, Patched: true,
				Detail: "the patch for " + suite.FirstAndCount(p.Fixes) + " is not proved any more"}
		}
	}
	return nil
}

// madeOf makes the report's combined patch again from the single patches that are the best for
// their tests, without those that the report says were left out. It refuses a combined patch that
// changes anything else, or claims to fix other tests.
func madeOf(read func(path string) (string, error), r *job.Report) (merged, error) {
	c := r.Combined
	chosen := slices.DeleteFunc(r.Chosen(), func(p *job.Patch) bool {
		return slices.ContainsFunc(c.LeftOut, func(why string) bool { return strings.HasPrefix(why, notTaken(p)) })
	})
	m := treeOf(read, chosen)
	again := m.combined()
	switch other := suite.Without(c.Fixes, again.Fixes); {
	case len(m.leftOut) > 0:
		return m, badReport("the combined patch cannot be made again of the report's single patches. %s", m.leftOut[0])
	case again.RawDiff() != c.RawDiff():
		return m, badReport("the combined patch is not what the report's proved single patches make together")
	case len(m.taken) < 2:
		return m, badReport("the combined patch is made of fewer than two of the report's single patches")
	case len(other) > 0:
		return m, badReport("the combined patch claims to fix %s, which none of the single patches it is made of is proved for",
			suite.FirstAndCount(other))
	}
	return m, nil
}

// runner runs orders in fresh processes, without a patch.
type runner interface {
	Run(ctx context.Context, o suite.Order) (*suite.Run, error)
}

// confirmEndings checks each test that a report leaves out of every order: it must end its process
// here, too. Otherwise a report could leave out tests that its patches break. The test must end its
// process in the suite's own order, alone, or in one of the orders in which the report saw this. The result are the tests that do so in the suite's
// own order. The other tests need not be left out of it.
func confirmEndings(ctx context.Context, r runner, original suite.Order, leftOut []suite.TestID,
	seen []suite.Order) ([]suite.TestID, error) {
	var always, done []suite.TestID
	for _, t := range original {
		if !slices.Contains(leftOut, t) || slices.Contains(done, t) {
			continue
		}
		done = append(done, t)
		own, err := firstEnding(ctx, r, t, []suite.Order{suite.Without(original, always)})
		if err != nil {
			return nil, err
		}
		if own {
			always = append(always, t)
			continue
		}
		others := suite.Without(leftOut, []suite.TestID{t})
		elsewhere, err := firstEnding(ctx, r, t, append([]suite.Order{{t}}, holding(t, seen, others)...))
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

// seenOrder is the order in which the failure was seen, without the tests that the report leaves out. Of
// an order that the server knows, they are left out only where they end the process in it.
func seenOrder(ctx context.Context, r runner, old *job.Report, ofServer bool) (suite.Order, error) {
	if old.Observed == nil {
		return nil, nil
	}
	o := old.Observed.Order
	if !ofServer {
		return suite.Without(o, old.LeftOut), nil
	}
	for _, t := range suite.Filter(o, func(t suite.TestID) bool { return slices.Contains(old.LeftOut, t) }) {
		ends, err := firstEnding(ctx, r, t, []suite.Order{o})
		if err != nil {
			return nil, err
		}
		if ends {
			o = suite.Without(o, suite.Order{t})
		}
	}
	return o, nil
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

// holding returns the orders that contain t, without the other tests that are left out.
func holding(t suite.TestID, orders []suite.Order, others []suite.TestID) []suite.Order {
	var out []suite.Order
	for _, o := range orders {
		if o.Index(t) >= 0 {
			out = append(out, suite.Without(o, others))
		}
	}
	return out
}

// endingOrders returns the orders in which processes ended according to a report, and the order in
// which the failure was seen.
func endingOrders(r *job.Report) []suite.Order {
	var out []suite.Order
	for _, x := range r.Crashes {
		if len(out) < session.MaxEndings && (x.Crash.During == "" || slices.Contains(r.LeftOut, x.Crash.During)) {
			out = append(out, x.Order)
		}
	}
	if r.Observed != nil {
		out = append(out, r.Observed.Order)
	}
	return out
}

// endedBy reports whether a run ended early in this test. If the process did not say in which test
// it ended, this is the first test without a result.
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
