package fix

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/engine/proof"
	"github.com/odfix/odfix/internal/engine/restore"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// prove tries to prove a candidate. If the proof holds, it writes the patch into the report; if a
// narrower patch is given, the new one replaces it. Otherwise bad holds orders in which tests that
// the candidate should fix still fail.
func (m *Repairing) prove(ctx context.Context, patcher *repair.Patcher, c repair.Cause, cand *repair.Candidate,
	instead *provedPatch) (done bool, bad []suite.Order, err error) {
	m.refuted = false
	if instead == nil && !m.undrafted {
		checks, err := patcher.StillFails(ctx, cand, m.met)
		if err == nil && len(checks) == 0 {
			checks, err = patcher.Draft(ctx, cand, m.proofInput(cand))
			m.refuted = len(checks) > 0
		}
		if err != nil {
			return false, nil, err
		}
		if len(checks) > 0 {
			m.s.Log.Info("candidate refuted before it was built", zap.String("place", string(cand.Edit.Location)), zap.Any("checks", checks))
			return false, m.refuse(cand, checks), nil
		}
	}
	m.proving = cand
	patch, checks, err := m.tryProof(ctx, patcher, c, cand)
	if err != nil {
		return false, nil, err
	}
	if patch == nil {
		bad = m.refuse(cand, checks)
		m.withdraw(c.Misled(bad))
		return false, bad, nil
	}
	if instead == nil {
		instead = &provedPatch{patcher: patcher, cause: c}
		m.proved = append(m.proved, instead)
		m.shown.now()
		m.r.Cost.FirstPatch = cmp.Or(m.r.Cost.FirstPatch, m.s.TimeUsed().Seconds())
	} else {
		m.each(instead.cand.Fixes, func(t *job.TestReport) { t.Patches = slices.DeleteFunc(t.Patches, instead.is) })
	}
	instead.cand, instead.diff = cand, patch.RawDiff()
	m.each(cand.Fixes, func(t *job.TestReport) {
		t.Notes = slices.DeleteFunc(t.Notes, func(n string) bool { return slices.Contains(m.reasons, n) })
		restore.ForgetNoReset(t)
	})
	m.each(reportsWithPatch(m.r, cand.Fixes), func(t *job.TestReport) { t.Patches = append(t.Patches, *patch) })
	m.s.Say(job.Event{Test: c.Cases[0].Test, Message: "a patch is proved", Best: "a patch is proved for " + suite.FirstAndCount(cand.Fixes)})
	return true, nil, nil
}

// refuse records why a candidate is not proved. It returns the orders in which tests that the
// candidate should fix still fail.
func (m *Repairing) refuse(cand *repair.Candidate, checks []repair.Check) (bad []suite.Order) {
	for _, c := range checks {
		bad = append(bad, c.Bad...)
	}
	m.met, m.proving = suite.Union(m.met, bad), nil
	m.refused, m.refusedWith, m.refusedFor = refusal(checks), with(cand), refusedFor(checks)
	return bad
}

// mostOfStatements is how much of a candidate's statements a note shows, in characters.
const mostOfStatements = 120

// with names a candidate by its statements, as a part of a sentence.
func with(cand *repair.Candidate) string {
	if cand == nil || cand.Built == nil || len(cand.Built.Statements) == 0 {
		return ""
	}
	text := []rune(strings.Join(strings.Fields(strings.Join(cand.Built.Statements, " ")), " "))
	if len(text) > mostOfStatements {
		text = append(text[:mostOfStatements], '…')
	}
	return " (“" + string(text) + "”)"
}

// tryProof tries to prove a candidate, and returns its patch; nil if a check does not hold.
func (m *Repairing) tryProof(ctx context.Context, patcher *repair.Patcher, c repair.Cause, cand *repair.Candidate) (
	*job.Patch, []repair.Check, error) {
	checks, proved, err := patcher.Prove(ctx, m.p.Builder(), cand, m.proofInput(cand))
	if err != nil {
		return nil, nil, err
	}
	if !proved {
		m.s.Log.Info("candidate refused", zap.String("place", string(cand.Edit.Location)), zap.Any("checks", checks))
		return nil, checks, nil
	}
	patch := m.patchOf(c, cand)
	patch.Proof = proof.Of(checks, proved)
	diff := unified(cand.Built)
	patch.SetDiff(diff)
	patch.Proof.Commands, err = m.artifacts.Commands(checks, diff)
	return &patch, checks, err
}

// patchOf converts a candidate for a cause to the report's type, without its proof.
func (m *Repairing) patchOf(c repair.Cause, cand *repair.Candidate) job.Patch {
	p := job.Patch{
		Kind: job.FromHelper, Location: cand.Edit.Location, Helper: cand.Helper, Statements: cand.Built.Statements,
		At: cand.Edit.At, Also: cand.Edit.Also, Except: cand.Edit.Except, WidenedFor: m.metBy(cand.Fixes),
		Style: cand.Edit.Style, StatementIDs: cand.Edit.Keep,
		Files: sortedKeys(cand.Built.Files), Fixes: cand.Fixes, Why: proof.Why(cand, c, m.p.Groups.Nouns()),
	}
	p.Kind, p.Made = proof.Kind(cand.Edit.Made), cand.Edit.Made
	return p
}

// refusal returns the first check that does not hold, and the test that fails it, as a part of a
// sentence.
func refusal(checks []repair.Check) string {
	i := slices.IndexFunc(checks, func(c repair.Check) bool { return !c.OK })
	if i < 0 {
		return ""
	}
	said := fmt.Sprintf(" at “%s”", checks[i].Name)
	if d := checks[i].Detail; d != "" {
		said += " (" + d + ")"
	}
	return said
}

// refusedFor returns the first check that does not hold as a reason of the fixed list.
func refusedFor(checks []repair.Check) job.Unpatched {
	i := slices.IndexFunc(checks, func(c repair.Check) bool { return !c.OK })
	if i < 0 {
		return ""
	}
	switch c := checks[i]; {
	case c.Name == suite.CheckCompiles:
		return job.ProofBuild
	case len(c.Bad) > 0, c.Name == suite.CheckAlone:
		return job.ProofFailed
	case c.Name == suite.CheckSeen, c.Name == suite.CheckOwnOrder, strings.HasPrefix(c.Name, suite.CheckChanged):
		return job.ProofWorse // than in the same order without the patch
	}
	return job.ProofCheck
}

// reportsWithPatch returns the tests whose reports contain the patch. Of a cohort, which may have
// hundreds of tests, these are the tests with orders of their own.
func reportsWithPatch(r *job.Report, fixes []suite.TestID) []suite.TestID {
	var out []suite.TestID
	for i := range r.Tests {
		if t := &r.Tests[i]; slices.Contains(fixes, t.Test) && !r.Joint(t) {
			out = append(out, t.Test)
		}
	}
	if len(out) == 0 {
		return fixes[:1]
	}
	return out
}

// metBy returns the orders in met that contain one of the tests.
func (m *Repairing) metBy(tests []suite.TestID) []suite.Order {
	return suite.Filter(m.met, func(o suite.Order) bool {
		return slices.ContainsFunc(tests, func(t suite.TestID) bool { return o.Index(t) >= 0 })
	})
}

// proofInput returns the orders that a candidate is proved with.
func (m *Repairing) proofInput(cand *repair.Candidate) repair.ProofInput {
	return m.inputFor(cand.Fixes, m.metBy(cand.Fixes))
}

// inputFor returns the orders that anything that fixes the tests is proved with: those of the report,
// then further ones, and those that were seen at first.
func (m *Repairing) inputFor(fixes []suite.TestID, further []suite.Order) repair.ProofInput {
	in := proof.Input(m.p, m.r, fixes, m.in.FindAll)
	in.Repeats = m.in.Rerun
	in.Failing = append(in.Failing, further...)
	for _, seen := range m.in.Seen {
		in.Failing = append(in.Failing, suite.Without(seen.Order, m.r.LeftOut))
	}
	return in
}
