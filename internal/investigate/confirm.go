package investigate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/accept"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
)

// A report with proved patches is a draft until a second runner has proved them again. The second
// runner is a job of its own. It gets the commit and the patches, in a new folder and a new sandbox,
// and nothing that the first runner wrote. The draft is in the database, so that a restart neither
// repeats the first job nor loses its result.

// notConfirmed is the note on a test whose patch only the first runner has proved.
const notConfirmed = "A change was found. A second runner, which began anew, did not prove it. So it is not shown."

// draft is the stored draft of an investigation; nil: there is none.
func (s *Service) draft(ctx context.Context, id string) (*store.Draft, error) {
	d, err := store.Read(ctx, s.store, func(tx *store.Tx) (store.Draft, error) { return tx.Draft(id) })
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &d, err
}

// unconfirmed reports whether a report has patches, or a setting, that a second runner has to prove.
func unconfirmed(r *job.Report) bool {
	return len(r.Chosen()) > 0 || r.Alternative != nil && r.Alternative.Proof.Proved
}

// asked are the patches that the second runner has to prove: those to show, with one alternative each.
func asked(r *job.Report) []*job.Patch {
	chosen := r.Chosen()
	for _, p := range slices.Clone(chosen) {
		if other := r.Second(p); other != nil {
			chosen = append(chosen, other)
		}
	}
	return chosen
}

// claim is the second runner's job: the patches, the setting, and for which tests. It holds no text
// of the first runner that is not needed for that.
func claim(r *job.Report) *job.Report {
	chosen := asked(r)
	out := &job.Report{Version: job.Version, Project: job.Project{Language: r.Project.Language}, Observed: r.Observed, Cohorts: r.Cohorts,
		LeftOut: r.LeftOut, Crashes: r.Crashes, Combined: r.Combined, Alternative: r.Alternative}
	fixed := map[suite.TestID]bool{}
	for _, p := range chosen {
		for _, t := range p.Fixes {
			fixed[t] = true
		}
	}
	if r.Alternative != nil {
		for _, t := range r.Alternative.Fixes {
			fixed[t] = true
		}
	}
	for _, t := range r.Tests {
		one := job.TestReport{Test: t.Test, Verdict: t.Verdict, Polluters: t.Polluters, StateSetters: t.StateSetters,
			MinimalOrder: t.MinimalOrder}
		for i := range t.Patches {
			if slices.Contains(chosen, &t.Patches[i]) {
				one.Patches = append(one.Patches, t.Patches[i])
			}
		}
		if fixed[t.Test] || len(one.Patches) > 0 {
			out.Tests = append(out.Tests, one)
		}
	}
	out.Tidy()
	return out
}

// verification is the second runner's job. CI's order is the server's, not the first report's.
func (r *running) verification(j job.Job) job.Job {
	j.Kind, j.Key, j.Report, j.Techniques = job.KindVerify, r.key("verify"), claim(r.draft.Report), nil
	j.Place = ""
	j.Budget = min(time.Duration(r.cfg.Budgets.ProofMinutes)*time.Minute, max(r.i.Deadline.Sub(r.s.now())-time.Minute, time.Minute))
	return j
}

// confirmed is the draft with the patches that the second runner's report proves, too, in the words
// of that report. It was accepted for the same scope. Other patches are withdrawn, also those about
// which the second runner was not asked because another one has the same diff.
func confirmed(draft, second *job.Report) *job.Report {
	type key struct {
		test        suite.TestID
		diff, fixes string
	}
	of := func(t suite.TestID, p *job.Patch) key { return key{t, p.RawDiff(), suite.Order(p.Fixes).Key()} }
	again := map[key]*job.Patch{}
	if second.Error == nil {
		for _, t := range second.Tests {
			for i := range t.Patches {
				if p := &t.Patches[i]; p.Proof.Proved {
					again[of(t.Test, p)] = p
				}
			}
		}
	}
	sent, lost := asked(draft), map[suite.TestID]bool{}
	for _, p := range draft.Chosen() {
		for _, t := range p.Fixes {
			lost[t] = true
		}
	}
	for i := range draft.Tests {
		t := &draft.Tests[i]
		for k := range t.Patches {
			p := &t.Patches[k]
			proved := again[of(t.Test, p)]
			if proved == nil || !p.Proof.Proved || !slices.Contains(sent, p) {
				*p = accept.Withdrawn(*p)
				continue
			}
			p.Proof = inBoth(p.Proof, proved.Proof)
			p.Kind, p.Statements, p.Why, p.Helper = proved.Kind, proved.Statements, proved.Why, proved.Helper
			for _, f := range p.Fixes {
				lost[f] = false
			}
		}
	}
	for i := range draft.Tests {
		if t := &draft.Tests[i]; lost[t.Test] {
			t.Notes = append(t.Notes, notConfirmed)
		}
	}
	if c, again := draft.Combined, second.Combined; c != nil {
		if second.Error == nil && again != nil && again.Proof.Proved && again.RawDiff() == c.RawDiff() && slices.Equal(again.Fixes, c.Fixes) {
			c.Proof = inBoth(c.Proof, again.Proof)
		} else {
			draft.Combined = nil
		}
	}
	if a, again := draft.Alternative, second.Alternative; a != nil {
		if second.Error == nil && again != nil && again.Proof.Proved && again.Setting == a.Setting && slices.Equal(again.Fixes, a.Fixes) {
			a.Proof = inBoth(a.Proof, again.Proof)
		} else {
			draft.Alternative = nil
		}
	}
	if n := len(second.LeftOut); n > 0 {
		draft.Notes = slices.Insert(draft.Notes, 0, fmt.Sprintf("Left out of orders, because they end their process: %d of the tests.", n))
	}
	addCost(&draft.Cost, second.Cost)
	return draft
}

// inBoth is the second proof, with the checks that both runners made. The second one also checks what
// only matters for a claim.
func inBoth(first, second job.Proof) job.Proof {
	second.Checks = suite.Filter(second.Checks, func(c job.Check) bool {
		return slices.ContainsFunc(first.Checks, func(o job.Check) bool { return o.Name == c.Name })
	})
	return second
}

// addCost adds what the second runner took.
func addCost(c *job.Cost, more job.Cost) {
	for p, n := range more.Questions {
		c.Questions[p] += n
	}
	c.Tests += more.Tests
	c.Seconds[job.PhaseProve] += more.Total
	c.Total += more.Total
}

// confirm asks the second runner. If it fails, the diagnosis is reported without patches.
func (r *running) confirm(ctx context.Context) error {
	var second *job.Report
	err := error(nil)
	if r.i.Attempt-r.draft.Attempt > mostAttempts { // each of them has died
		err = errors.New("the second runner died each time it was tried")
	} else {
		second, err = r.ask(ctx)
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	switch {
	case errors.Is(err, store.ErrLeaseLost):
		return r.lost(after)
	case ctx.Err() != nil, paused(err):
		return r.giveBack(after, err)
	case errors.Is(err, errForeign):
		return r.s.failed(after, r.i, r.holder, err)
	case err != nil && r.i.Attempt-r.draft.Attempt < mostAttempts && retriable(err, r.s.now()):
		return errors.Join(err, r.giveBack(after, err))
	case err != nil:
		r.s.log.Warn("the second runner has no result", zap.String("investigation", r.i.ID), zap.Error(err))
	}
	final := confirmed(r.draft.Report, cmp.Or(second, &job.Report{Error: &job.Error{}}))
	r.s.log.Info("second report", zap.String("investigation", r.i.ID), zap.Int("changes", len(final.Chosen())))
	return r.save(after, final)
}
