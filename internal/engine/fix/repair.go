package fix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/engine/restore"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// NewRepairing prepares the search for patches of causes and for their proofs.
func NewRepairing(s *session.Session, p *session.Module, pending *session.StartingEditor, in *diagnose.Input, r *job.Report) *Repairing {
	return &Repairing{s: s, p: p, in: in, r: r, search: restore.New(s, p), pending: pending, artifacts: s.Artifacts(p)}
}

// Repair looks for a patch for each cause of the tests, and proves it. open is how many failing
// tests are not explained yet; they may need part of the time that is left.
func (m *Repairing) Repair(ctx context.Context, results []diagnose.TestResult, open int) error {
	if err := ctx.Err(); err != nil {
		return err // the search ended early, so a cause without a patch may still have one
	}
	causes := withoutLong(causesOf(results), m.p.Took)
	if len(causes) == 0 {
		return nil
	}
	m.later(causes, results)
	causes, m.lent = lend(causes, m.lent)
	m.causes = append(m.causes, causes...)
	m.s.Enter(job.PhaseRepair)
	m.open = open
	m.show(ctx)
	editor, err := m.pending.Wait(ctx)
	if why := uneditable(err); why != "" {
		for _, c := range causes {
			m.note(c, job.NoSources, why)
		}
		return nil
	}
	if err != nil {
		return err
	}
	m.editor = editor
	return m.all(ctx, slices.Clone(causes))
}

// Finish proves patches for the causes that wait for a proof. It tries causes without a patch
// again, with the patches and helpers of later causes. It looks for polluters that a patch does
// not clean up after. Then it proves the patches of all causes together.
func (m *Repairing) Finish(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.open = 0
	m.show(ctx)
	err := m.all(ctx, nil)
	m.shown.now()
	if err != nil {
		return err
	}
	if err := m.secondPass(ctx); err != nil {
		return err
	}
	if err := m.further(ctx); err != nil {
		return err
	}
	if err := m.together(ctx); err != nil {
		return err
	}
	if err := m.alternative(ctx); err != nil {
		return err
	}
	if err := m.choices(ctx); err != nil {
		return err
	}
	m.showAll()
	return nil
}

// all fixes causes one after the other. It first tries patches that are already proved. A test of a
// later cause that an earlier patch fixes needs no patch of its own.
func (m *Repairing) all(ctx context.Context, causes []repair.Cause) error {
	causes, err := m.extend(ctx, causes)
	for i := range causes {
		for err == nil && len(causes[i].Cases) > 0 {
			var fixed []suite.TestID
			if fixed, err = m.cause(ctx, causes[i], causes[i+1:]); err != nil {
				break
			}
			if len(fixed) == 0 {
				m.notePlace(causes[i])
				causes[i].Later = nil
				m.unfixed = append(m.unfixed, causes[i])
				break
			}
			m.proved[len(m.proved)-1].try(causes[i:]...)
			for k := i; k < len(causes); k++ {
				causes[k] = causes[k].Without(slices.Concat(fixed, m.misattributed))
			}
		}
	}
	return err
}

// Repairing fixes causes one after the other.
type Repairing struct {
	// Clean searches the cleaners of a test that the diagnosis has left out (diagnose.Result.Clean).
	// Nil: it leaves out none.
	Clean func(ctx context.Context, t suite.TestID) (*diagnose.Result, error)
	// Explains makes it name the state of a cause before it looks for a patch. False: the caller has done so.
	Explains bool

	s             *session.Session
	p             *session.Module
	in            *diagnose.Input
	r             *job.Report
	search        *restore.Search
	pending       *session.StartingEditor
	editor        project.Editor
	shown         *reproduction // nil: not prepared
	artifacts     *session.Artifacts
	met           []suite.Order     // orders in which tests still failed with earlier candidates
	misattributed []suite.TestID    // tests that were withdrawn
	refused       string            // why the proof of the last candidate that was refused failed
	refusedWith   string            // that candidate's statements
	refusedFor    job.Unpatched     // the kind of check that did not hold
	refuted       bool              // the last candidate was refuted before it was built
	undrafted     bool              // proofs begin without a draft
	proving       *repair.Candidate // whose proof is not complete; nil: there is none
	open          int               // failing tests that are not explained yet
	proved        []*provedPatch
	causes        []repair.Cause // all so far
	unfixed       []repair.Cause // causes without a patch
	lent          []suite.Order  // helpers of causes, for causes that have none
	reasons       []string       // notes that say why there is no patch
	named         []suite.TestID // tests whose state was searched (Explains)
}

// leastSearch is the minimum time for the search for a better patch, even if there are many causes.
// A patch that is found for the first cause may fix others, too.
const leastSearch = 2 * time.Minute

// Refuted reports whether restoring the state that the cause of a test was seen to change did not help.
func (m *Repairing) Refuted(t suite.TestID) bool { return m.search.Refuted(t) }

// explain names the state through which a cause affects its tests, once for each test. The search takes
// at most a quarter of the limit that it gets. The limit is twice the time for candidates, so naming the
// state takes at most half of that time.
func (m *Repairing) explain(ctx context.Context, c repair.Cause, others int) {
	var reports []job.TestReport
	for _, t := range m.r.Tests {
		if m.Explains && slices.Contains(c.Tests(), t.Test) && !slices.Contains(m.named, t.Test) {
			reports = append(reports, t)
		}
	}
	if len(reports) == 0 {
		return
	}
	m.s.Enter(job.PhaseDiagnose)
	limited := ctx
	if at := settle(ctx, 1+others); !at.IsZero() {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, 2*time.Until(at))
		defer cancel()
	}
	m.search.Explain(limited, reports, 0)
	for _, named := range reports {
		m.each([]suite.TestID{named.Test}, func(t *job.TestReport) { *t = named })
		m.named = append(m.named, named.Test)
	}
}

// settle returns the time at which the search for candidates of a cause ends. Each cause has an
// equal part of the time that is left; the second half of this part is for the proof. If there are
// many causes, one may take more than its part, but at most a quarter of all.
func settle(ctx context.Context, causes int) time.Time {
	end, ok := ctx.Deadline()
	if !ok {
		return time.Time{}
	}
	left := time.Until(end)
	return time.Now().Add(max(left/time.Duration(2*causes), min(leastSearch, left/4)))
}

// giveUp returns the time at which the search for a first patch of a cause ends: after three
// quarters of its part of the time, or at settle, whichever is later.
func giveUp(ctx context.Context, causes int) time.Time {
	end, ok := ctx.Deadline()
	if !ok {
		return time.Time{}
	}
	own := time.Now().Add(time.Until(end) * 3 / time.Duration(4*causes))
	if at := settle(ctx, causes); at.After(own) {
		return at
	}
	return own
}

// maxProofs is how many candidates of one cause are proved at most.
const maxProofs = 4

// noHelper is the note if there is no patch because only helpers could have given one.
const noHelper = "No existing test restores the state, so there is no helper to make a patch from."

// whyNone returns why there is no candidate for a cause.
func (m *Repairing) whyNone(c repair.Cause, err error) string {
	why, _, _ := strings.Cut(err.Error(), "\n")
	var unfit *repair.UnfitError
	switch {
	case errors.Is(err, repair.ErrResetTime):
		return "No patch was found in time: not all statements that may restore the state could be tried. If this machine was busy, run " +
			"odfix again when it is not."
	case len(c.Helpers) > 0:
		return "No patch could be made from the helpers: " + why
	case !m.s.Job.Wants(job.FromHelper):
		return "No patch could be made without helpers: " + why
	case errors.As(err, &unfit) && !unfit.Unknown:
		return "No patch: " + unfit.Reason
	}
	return m.nothing(c)
}

// nothing returns the note for a cause of which nothing is known that could give a patch.
func (m *Repairing) nothing(c repair.Cause) string {
	return cmp.Or(m.search.Unseen(c.Cases[0].Test), noHelper)
}

// missing returns the reason in whyNone as one of the fixed list.
func (m *Repairing) missing(c repair.Cause, err error) job.Unpatched {
	known := len(m.search.Ways(c.Cases[0].Test)) > 0
	switch {
	case errors.Is(err, repair.ErrResetTime):
		return job.NoTimeForSearch
	case errors.Is(err, repair.ErrNoReset) && known:
		return job.NothingRestores
	case len(c.Helpers) > 0:
		return job.HelperUnusable
	case !c.Brittle() && !slices.ContainsFunc(c.Cases, func(cs repair.Case) bool { return !m.search.Initialisation(cs.Test) }):
		return job.ClassInitialiser
	case known:
		return job.NothingRestores
	}
	return job.StateUnknown
}

// notePlace says of a cause without a patch that the job allows one place only.
func (m *Repairing) notePlace(c repair.Cause) {
	if place := m.s.Job.Place; place != "" {
		m.note(c, "", fmt.Sprintf("Only %s was tried as the place of a patch, because the settings ask for it (--place, or repair.place in "+
			".odfix.yml). Other places were not tried.", place))
	}
}

// attempt tries to prove a candidate, and returns the tests that it fixes.
type attempt func(*repair.Candidate) ([]suite.TestID, error)

// firstProved tries to prove the first candidates, one after the other, and then candidates with
// the first one's statements in other locations. A candidate that the draft of a proof refutes is
// not proved, unless no other can be: then the first of these is. If no proof holds, firstProved
// notes the reasons.
func (m *Repairing) firstProved(ctx context.Context, c repair.Cause, candidates []*repair.Candidate,
	elsewhere func(*repair.Candidate) ([]*repair.Candidate, error), try attempt) ([]suite.TestID, error) {
	fixed, refuted, err := m.first(ctx, c, candidates[:min(maxProofs, len(candidates))], try)
	if err != nil || len(fixed) > 0 {
		return fixed, err
	}
	more, err := elsewhere(candidates[0])
	if err == nil {
		var too []*repair.Candidate
		fixed, too, err = m.first(ctx, c, more, try)
		refuted = append(refuted, too...)
	}
	if err == nil && len(fixed) == 0 && len(refuted) > 0 { // warm processes may have been wrong
		m.undrafted = true
		fixed, _, err = m.first(ctx, c, refuted[:1], try)
		m.undrafted = false
	}
	if err == nil && len(fixed) == 0 {
		m.noteRefused(c, "A", cmp.Or(m.refusedFor, job.ProofFailed))
	}
	return fixed, err
}

// noteRefused says that the last candidate was refused, and why.
func (m *Repairing) noteRefused(c repair.Cause, article string, why job.Unpatched) {
	m.note(c, why, article+" patch was found"+m.refusedWith+", and refused because its proof failed"+m.refused+"; see the log.")
}

// first returns the tests fixed by the first candidate whose proof holds, and the candidates before
// it that were refuted before they were built.
func (m *Repairing) first(ctx context.Context, c repair.Cause, candidates []*repair.Candidate, try attempt) (
	fixed []suite.TestID, refuted []*repair.Candidate, err error) {
	for _, cand := range candidates {
		m.refuted, m.proving = false, nil
		fixed, err := try(cand)
		switch {
		case err == nil || ctx.Err() == nil:
		case m.undrafted: // what refuted it stands
			m.noteRefused(c, "A", cmp.Or(m.refusedFor, job.ProofFailed))
		default:
			if m.proving != nil {
				cand = m.proving
			}
			m.note(c, job.NoTimeForProof, "A patch was found"+with(cand)+", but its proof was not complete when the search ended; "+
				"with more time it may be."+m.unproved())
			if m.refused != "" {
				m.noteRefused(c, "Another", job.NoTimeForProof)
			}
		}
		if err != nil || len(fixed) > 0 {
			return fixed, refuted, err
		}
		if m.refuted {
			refuted = append(refuted, cand)
		}
	}
	return nil, refuted, nil
}

// unproved writes the patch whose proof is not complete to the output folder, and says where it is. It
// returns "" if there is no such folder, or no such patch.
func (m *Repairing) unproved() string {
	if m.proving == nil || m.artifacts.Out == "" {
		return ""
	}
	file, err := m.artifacts.Patch(unified(m.proving.Built))
	if err != nil {
		m.s.Log.Warn("a patch without a proof is not kept", zap.Error(err))
		return ""
	}
	return fmt.Sprintf(" The patch without a proof is in the output folder: patches/%s.", filepath.Base(file))
}

// note adds a sentence to the reports of a cause's tests, and the reason why they have no patch, if
// the sentence says one.
func (m *Repairing) note(c repair.Cause, why job.Unpatched, text string) {
	m.reasons = append(m.reasons, text)
	m.each(c.Tests(), func(t *job.TestReport) {
		if !slices.Contains(t.Notes, text) {
			t.Notes = append(t.Notes, text)
		}
		t.Unpatched = cmp.Or(why, t.Unpatched)
	})
}

func (m *Repairing) each(tests []suite.TestID, f func(*job.TestReport)) {
	for _, t := range tests {
		for i := range m.r.Tests {
			if m.r.Tests[i].Test == t {
				f(&m.r.Tests[i])
			}
		}
	}
}

// uneditable says why there can be no patch, if the project has no sources that can be edited.
func uneditable(err error) string {
	var e *project.Error
	if !errors.As(err, &e) || e.Code != project.CodeNoEditor {
		return ""
	}
	text := "No patch: " + e.Message + "."
	if e.Hint != "" {
		text += " " + e.Hint
	}
	return text
}
