package proof

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/odfix/odfix/internal/engine/restore"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Verify proves the patches of an earlier report again, from scratch. What the report says about
// its tests is the claim to prove, never evidence.
func Verify(ctx context.Context, s *session.Session, r *job.Report) error {
	old := s.Job.Report
	if old == nil || old.Alternative == nil && !slices.ContainsFunc(old.Tests, func(t job.TestReport) bool { return len(t.Patches) > 0 }) {
		return &job.Error{Code: "nothing-to-verify", Message: "the report holds no patch",
			Hint: "Give the report.json of a run that found one."}
	}
	var names []string
	for _, t := range old.Tests {
		names = append(names, string(t.Test))
	}
	p, err := s.Open(ctx, names, r)
	if err != nil {
		return err
	}
	if o := s.Job.Order; o != nil { // what the report says of CI's order is a claim, too
		claimed := *old
		seen, _ := p.Seen(o)
		claimed.Observed, old = &seen, &claimed
	}
	if err := knows(p, old); err != nil {
		return err
	}
	s.Enter(job.PhaseProve)
	plain := p.Plain()
	always, err := confirmEndings(ctx, plain, p.Original, old.LeftOut, endingOrders(old))
	if err != nil {
		return err
	}
	seen, err := seenOrder(ctx, plain, old, s.Job.Order != nil)
	if err != nil {
		return err
	}
	p.LeaveOut(always)
	r.LeftOut = old.LeftOut
	if len(always) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Left out of every order, as in the report, because they end their process, which they did "+
			"here, too: %s. No claim is made about them.", suite.FirstAndCount(always)))
	}
	if sometimes := suite.Without(old.LeftOut, always); len(sometimes) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Left out, as in the report, of every order but the suite's own, because in others they end "+
			"their process, which they did here, too: %s.", suite.FirstAndCount(sometimes)))
	}
	pending := p.StartEditor(ctx)
	defer pending.Close()
	v := &verifier{s: s, p: p, old: old, seen: seen, search: restore.New(s, p), pending: pending, artifacts: s.Artifacts(p),
		proofs: map[string]job.Proof{}, words: map[string]words{}, proposals: map[string][]patch.Made{}}
	err = v.all(ctx, r)
	return err
}

// apart returns the report without cohorts, so that each of their tests has failing orders of its own,
// and without the order in which the failure was seen, of which the verifier knows more.
func apart(r *job.Report) *job.Report {
	out := *r
	out.Cohorts, out.Observed = nil, nil
	if r.Detection != nil {
		detection := *r.Detection
		detection.Cohorts, out.Detection = nil, &detection
	}
	return &out
}

// proofInput returns what a patch for the tests is proved with. The orders of cohorts hold other tests,
// and who made the report has chosen them. So each test of a cohort also runs in orders of its own, and
// no two orders share a process.
func (v *verifier) proofInput(fixes []suite.TestID) repair.ProofInput {
	in := proofInput(v.p, apart(v.old), fixes)
	if len(v.seen) > 0 {
		in.Failing = append([]suite.Order{v.seen}, in.Failing...)
	}
	in.Shared, in.Repeats, in.Apart = sharedBy(v.old, fixes), v.s.Rerun(len(v.old.Tests)), true
	return in
}

// knows checks that the suite has every test that the report makes a claim about.
func knows(p *session.Module, r *job.Report) error {
	known := map[suite.TestID]bool{}
	for _, t := range p.Original {
		known[t] = true
	}
	var orders []suite.Order
	if r.Observed != nil {
		orders = append(orders, r.Observed.Order)
	}
	orders = append(orders, r.LeftOut)
	if len(r.LeftOut) > 0 {
		orders = append(orders, endingOrders(r)...)
	}
	for _, c := range r.SharedOrders() {
		orders = append(orders, c.Failing, c.Passing, c.Tests)
	}
	for _, t := range r.Tests {
		orders = append(append(orders, suite.Order{t.Test}), FailingOrders(t)...)
		if t.FailingOrder != nil {
			orders = append(orders, t.FailingOrder.Order)
		}
		for _, patch := range t.Patches {
			orders = append(orders, patch.WidenedFor...)
		}
	}
	for _, id := range suite.Join(orders...) {
		if !known[id] {
			err := &suite.UnknownTestError{Name: string(id), Nearest: p.Names.Nearest(string(id), 3)}
			return &job.Error{
				Code: "no-such-test", Message: "the report names a test that does not exist: " + err.Error(),
				Hint: "It was made for another state of the sources, or for another module (--module); run `odfix fix` again.",
			}
		}
	}
	return nil
}

// verifier proves each patch once, even if many tests share it.
type verifier struct {
	s         *session.Session
	p         *session.Module
	old       *job.Report
	seen      suite.Order // in which the failure was seen
	search    *restore.Search
	pending   *session.StartingEditor
	artifacts *session.Artifacts
	proofs    map[string]job.Proof    // by proofKey
	words     map[string]words        // the same
	proposals map[string][]patch.Made // by cause and states
}

// all proves every patch, then the combined one.
func (v *verifier) all(ctx context.Context, r *job.Report) (err error) {
	r.Observed, r.Cohorts = v.old.Observed, v.old.SharedOrders()
	for _, t := range v.old.Tests {
		again := t
		again.Patches = nil
		for _, patch := range t.Patches {
			if err = v.patch(ctx, &patch); err != nil {
				return err
			}
			again.Patches = append(again.Patches, patch)
		}
		r.Tests = append(r.Tests, again)
	}
	if v.old.Combined != nil {
		if r.Combined, err = v.combined(ctx); err != nil {
			return err
		}
	}
	if v.old.Alternative != nil {
		r.Alternative, err = v.alternative(ctx)
	}
	return err
}

// words are what a report says about a patch. The verifier takes them from the patch that it has
// made again.
type words struct {
	kind, why  string
	helper     suite.Order
	statements []string
	made       *patch.Made
}

// patch proves a patch again. Its proof and what is said about it are new.
func (v *verifier) patch(ctx context.Context, patch *job.Patch) error {
	key := proofKey(patch)
	if _, done := v.proofs[key]; !done {
		if err := v.prove(ctx, key, *patch); err != nil {
			return err
		}
	}
	patch.Proof = v.proofs[key]
	if w, made := v.words[key]; made {
		patch.Kind, patch.Why, patch.Statements, patch.Helper, patch.Made = w.kind, w.why, w.statements, w.helper, w.made
	}
	return nil
}

func (v *verifier) prove(ctx context.Context, key string, patch job.Patch) error {
	if err := v.plausible(patch.Fixes, patch.RawDiff()); err != nil {
		return err
	}
	near := func(t suite.TestID) bool { return v.p.Groups.Unit(t) == v.p.Groups.Unit(patch.At) }
	if patch.Location.AtVictim() && patch.At != "" && !slices.ContainsFunc(patch.Fixes, near) {
		return badReport("the report says that a patch is at a test that it fixes, and %s is none", patch.At)
	}
	after, before, err := apply(v.p, patch.RawDiff())
	if err != nil {
		return err
	}
	in := v.proofInput(patch.Fixes)
	in.Failing = append(in.Failing, patch.WidenedFor...)
	surround(v.p, &in, steady(v.old, patch.Fixes), patch.Fixes, v.s.Job.FindAll)
	cand := &repair.Candidate{Built: &repair.Built{Files: after, Before: before}, Fixes: patch.Fixes}
	patcher := v.p.Patcher(v.s, "")
	made, err := v.madeAgain(ctx, patch, cand, patcher)
	if err != nil {
		return err
	}
	checks, proved, err := patcher.Prove(ctx, v.p.Base, cand, in)
	if err != nil {
		return err
	}
	checks = append(checks, made...)
	again := !slices.ContainsFunc(made, func(c repair.Check) bool { return !c.OK })
	if proved = proved && again; proved {
		passes, err := v.passInAnOrder(ctx, in.Plain, patch.Fixes)
		if err != nil {
			return err
		}
		checks, proved = append(checks, passes), passes.OK
	}
	proof := Of(checks, proved)
	proof.Commands, err = v.artifacts.Commands(checks, patch.RawDiff())
	v.proofs[key] = proof
	if again {
		// One test: the claim does not say which other tests the cause has.
		of := repair.Cause{Polluter: v.polluter(patch.Fixes), Cases: []repair.Case{{Test: patch.Fixes[0]}}}
		v.words[key] = words{Kind(cand.Edit.Made), Why(cand, of, v.p.Groups.Nouns()), cand.Helper, cand.Built.Statements, cand.Edit.Made}
	}
	return err
}

// polluter is that of the first of the tests; empty if it needs state that no test has set.
func (v *verifier) polluter(tests []suite.TestID) suite.Order {
	i := slices.IndexFunc(v.old.Tests, func(r job.TestReport) bool { return r.Test == tests[0] })
	if i < 0 || len(v.old.Tests[i].Polluters) == 0 {
		return nil
	}
	return v.old.Tests[i].Polluters[0]
}

// plausible refuses claims that no run could disprove. It refuses patches of anything but test code
// before they are built, because a build executes its pom.
func (v *verifier) plausible(fixes []suite.TestID, diff string) error {
	if err := v.claims(fixes); err != nil {
		return err
	}
	files, err := patch.Sections(diff)
	if err != nil {
		return badPatch(err)
	}
	for _, f := range files {
		if !v.p.Base.IsTestSource(f.Path) {
			return badReport("the patch changes %s, which is not a test source of this module; odfix neither makes "+
				"nor builds such patches", f.Path)
		}
	}
	if patch.Render(files...) != diff {
		return badReport("a patch in the report is not in the form that odfix writes; git could read other text in it as further changes")
	}
	return nil
}

// claims refuses tests for which nothing can be proved.
func (v *verifier) claims(fixes []suite.TestID) error {
	if len(fixes) == 0 {
		return badReport("a patch in the report fixes no test, so there is nothing to prove")
	}
	for _, t := range fixes {
		i := slices.IndexFunc(v.old.Tests, func(r job.TestReport) bool { return r.Test == t })
		if i < 0 || !v.old.Tests[i].Verdict.OrderDependent() || len(FailingOrders(v.old.Tests[i])) == 0 {
			return badReport("the patch claims to fix %s, and the report names no order in which that test fails", t)
		}
		if r := v.old.Tests[i]; r.Verdict == suite.VictimBrittle && len(r.Polluters) == 0 {
			return badReport("the report says that %s also fails after other tests, and names none of them", t)
		}
		if withItself(v.old.Tests[i]) {
			return badReport("the report names %s among the tests that it depends on itself", t)
		}
		if slices.Contains(v.old.LeftOut, t) {
			return badReport("the patch claims to fix %s, which the report leaves out of every order", t)
		}
	}
	return nil
}

// withItself reports whether a test is in a group of tests that it depends on. It may be its only polluter.
func withItself(t job.TestReport) bool {
	return slices.ContainsFunc(slices.Concat(t.Polluters, t.StateSetters), func(o suite.Order) bool {
		return len(o) > 1 && slices.Contains(o, t.Test)
	}) || slices.ContainsFunc(t.StateSetters, func(o suite.Order) bool { return slices.Contains(o, t.Test) })
}

// badReport is the error of a report with claims that cannot be true.
func badReport(format string, args ...any) error {
	return &job.Error{Code: "bad-report", Message: fmt.Sprintf(format, args...),
		Hint: "Give a report.json that odfix fix has written; run `odfix fix` again for a new one."}
}

// madeAgain makes the patch again from the statements that the report names, if odfix finds these here,
// too. If that gives the same files, the candidate gets these statements, and its proof can leave out
// one of them at a time.
func (v *verifier) madeAgain(ctx context.Context, patch job.Patch, cand *repair.Candidate, patcher *repair.Patcher) ([]repair.Check, error) {
	check := repair.Check{Name: suite.CheckNamed, Repeats: 1, Patched: true}
	if len(patch.StatementIDs) == 0 || patch.At == "" {
		check.Detail = "the report does not say which statements of which helper the patch is made of (statementIds, at)"
		return []repair.Check{check}, nil
	}
	editor, err := v.pending.Wait(ctx)
	if err != nil {
		return nil, err
	}
	edit := repair.Edit{
		Helper: patch.Helper, Keep: patch.StatementIDs, Location: patch.Location, At: patch.At, Also: patch.Also, Except: patch.Except,
		Style: patch.Style,
	}
	var checks []repair.Check
	if patch.Made != nil {
		made, proposed, err := v.proposed(ctx, patch, editor)
		if checks = append(checks, proposed); err != nil || !proposed.OK {
			return checks, err
		}
		edit.Helper, edit.Made = nil, made
	}
	built, err := editor.Build(ctx, edit)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil:
		check.Detail = "it cannot be made again: " + err.Error()
	case !maps.Equal(built.Files, cand.Built.Files):
		check.Detail = "made again, it is different: the sources have changed since, another version of odfix made it, or it was edited"
	default:
		check.OK = true
		patcher.Editor, cand.Edit, cand.Helper = editor, edit, edit.Helper
		cand.Built.Statements = built.Statements
	}
	return append(checks, check), nil
}
