package fix

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// TestProved says what became of candidates none of which is proved.
func TestProved(t *testing.T) {
	const victim = suite.TestID("a.A#victim")
	cause := repair.Cause{Cases: []repair.Case{{Test: victim}}}
	for name, tt := range map[string]struct {
		answers []bool // whether a candidate's proof holds; past the end, the time is over
		more    int    // candidates elsewhere
		tried   int
		note    string
	}{
		"the second holds":                         {[]bool{false, true}, 0, 2, ""},
		"none holds":                               {[]bool{false, false, false, false, false}, 0, maxProofs, "its proof failed"},
		"one elsewhere holds":                      {[]bool{false, false, false, false, true}, 1, maxProofs + 1, ""},
		"nor elsewhere":                            {[]bool{false, false, false, false, false}, 1, maxProofs + 1, "its proof failed"},
		"the time was over":                        {nil, 0, 1, "was not complete when the search ended"},
		"the time was over on":                     {[]bool{false}, 0, 2, "was not complete when the search ended"},
		"drafts were wrong":                        {[]bool{false, false, false, false, true}, 0, maxProofs + 1, ""},
		"drafts were right, and the time was over": {make([]bool, maxProofs), 0, maxProofs + 1, "its proof failed"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		report := &job.Report{Tests: []job.TestReport{{Test: victim}}}
		m, tried := &Repairing{r: report}, 0
		elsewhere := func(*repair.Candidate) ([]*repair.Candidate, error) { return make([]*repair.Candidate, tt.more), nil }
		var candidates []*repair.Candidate
		for range 5 {
			candidates = append(candidates, &repair.Candidate{})
		}
		fixed, err := m.firstProved(ctx, cause, candidates, elsewhere, func(c *repair.Candidate) ([]suite.TestID, error) {
			wrong := strings.HasPrefix(name, "drafts were")
			if m.undrafted != (wrong && tried == maxProofs) || m.undrafted && c != candidates[1] {
				t.Errorf("%s: attempt %d begins without a draft: %v", name, tried, m.undrafted)
			}
			m.refuted = wrong && c != candidates[0] // a real proof refused the first one
			if tried++; tried > len(tt.answers) {
				cancel()
				return nil, ctx.Err()
			}
			if tt.answers[tried-1] {
				return []suite.TestID{victim}, nil
			}
			return nil, nil
		})
		cancel()
		notes := strings.Join(report.Tests[0].Notes, " ")
		if tried != tt.tried || !strings.Contains(notes, tt.note) || (tt.note == "") != (notes == "") {
			t.Errorf("%s: %d tried, notes %q", name, tried, notes)
		}
		if (err != nil) != (tt.tried > len(tt.answers)) || (len(fixed) > 0) != (tt.note == "") {
			t.Errorf("%s: fixed %v, error %v", name, fixed, err)
		}
	}
}

// TestRefusalIsReported: whoever reads that a patch was refused reads why.
func TestRefusalIsReported(t *testing.T) {
	const victim, other = suite.TestID("a.A#victim"), suite.TestID("a.P#other")
	report := &job.Report{Tests: []job.TestReport{{Test: victim}}}
	m := &Repairing{r: report}
	m.refuse(&repair.Candidate{Built: &repair.Built{Statements: []string{"Settings.reset();", "Log.off();"}}}, []repair.Check{
		{Name: "passes alone with the patch", OK: true, Detail: "1 of 2 tests"},
		{Name: "no other test gets worse in the suite's own order", Detail: string(other) + ": pass before, fail with the patch"},
	})
	none := func(*repair.Candidate) ([]*repair.Candidate, error) { return nil, nil }
	refused := func(*repair.Candidate) ([]suite.TestID, error) { return nil, nil }
	if _, err := m.firstProved(t.Context(), repair.Cause{Cases: []repair.Case{{Test: victim}}}, make([]*repair.Candidate, 1), none,
		refused); err != nil {
		t.Fatal(err)
	}
	want := "A patch was found (“Settings.reset(); Log.off();”), and refused because its proof failed at “no other test gets worse in the suite's own order” (a.P#other: " +
		"pass before, fail with the patch); see the log."
	if notes := report.Tests[0].Notes; len(notes) != 1 || notes[0] != want {
		t.Errorf("%q", notes)
	}
}

// TestRefusalHasItsReason: the reason says which kind of check refused the last patch.
func TestRefusalHasItsReason(t *testing.T) {
	const victim = suite.TestID("a.A#victim")
	bad := []suite.Order{{"a.P#other", victim}}
	changed := suite.CheckOf(suite.CheckChanged, suite.Nouns{Group: "class", Groups: "classes"})
	for _, c := range []struct {
		refusedBy repair.Check
		want      job.Unpatched
	}{
		{repair.Check{Name: suite.CheckCompiles, Detail: "warnings found and -Werror specified"}, job.ProofBuild},
		{repair.Check{Name: suite.CheckOwnOrder, Detail: "a.P#other: pass before, fail with the patch"}, job.ProofWorse},
		{repair.Check{Name: changed, Detail: "a.P#other: pass before, fail with the patch"}, job.ProofWorse},
		{repair.Check{Name: suite.CheckSeen, Detail: "a.P: its setup or teardown fails with the patch"}, job.ProofWorse},
		{repair.Check{Name: suite.CheckSeen, Bad: bad}, job.ProofFailed},
		{repair.Check{Name: changed, Bad: bad}, job.ProofFailed},
		{repair.Check{Name: suite.CheckOwnOrder, Bad: bad}, job.ProofFailed},
		{repair.Check{Name: suite.CheckAlone, Detail: "a.A#victim: fail"}, job.ProofFailed},
		{repair.Check{Name: suite.CheckFails, Detail: "a.A#victim: pass"}, job.ProofCheck},
		{repair.Check{Name: suite.CheckMinimal, Detail: "it works without: 0.1"}, job.ProofCheck},
	} {
		report := &job.Report{Tests: []job.TestReport{{Test: victim}}}
		m := &Repairing{r: report}
		none := func(*repair.Candidate) ([]*repair.Candidate, error) { return nil, nil }
		refused := func(cand *repair.Candidate) ([]suite.TestID, error) {
			m.refuse(cand, []repair.Check{{Name: suite.CheckTestCode, OK: true}, c.refusedBy})
			return nil, nil
		}
		cause := repair.Cause{Cases: []repair.Case{{Test: victim}}}
		if _, err := m.firstProved(t.Context(), cause, make([]*repair.Candidate, 1), none, refused); err != nil {
			t.Fatal(err)
		}
		if got := report.Tests[0].Unpatched; got != c.want {
			t.Errorf("refused at %q with %d orders: %s, not %s", c.refusedBy.Name, len(c.refusedBy.Bad), got, c.want)
		}
	}
}

// A better patch is looked for until half of a cause's part of the time is over, and a first one
// for three quarters of it; each for two minutes where there are many causes.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		left         time.Duration
		causes       int
		want, giveUp time.Duration
	}{
		{10 * time.Minute, 1, 5 * time.Minute, 450 * time.Second},
		{20 * time.Minute, 4, 150 * time.Second, 225 * time.Second},
		{20 * time.Minute, 60, 2 * time.Minute, 2 * time.Minute},
		{4 * time.Minute, 60, time.Minute, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), c.left)
			defer cancel()
			if got := time.Until(settle(ctx, c.causes)); got != c.want {
				t.Errorf("%s for %d causes: %s, want %s", c.left, c.causes, got, c.want)
			}
			if got := time.Until(giveUp(ctx, c.causes)); got != c.giveUp {
				t.Errorf("%s for %d causes: gives up after %s, want %s", c.left, c.causes, got, c.giveUp)
			}
		})
	}
	if !settle(t.Context(), 3).IsZero() || !giveUp(t.Context(), 3).IsZero() {
		t.Error("without a budget there is an end")
	}
}

// TestWithdrawnTestsAreCuredByNoPatch: neither a patch in a report nor one that may be extended
// claims a test that turned out to fail by itself.
func TestWithdrawnTestsAreCuredByNoPatch(t *testing.T) {
	const victim, wrong, alike = suite.TestID("a.A#victim"), suite.TestID("a.A#wrong"), suite.TestID("a.A#alike")
	of := func(fixes ...suite.TestID) *provedPatch {
		cause := repair.Cause{}
		for _, c := range fixes {
			cause.Cases = append(cause.Cases, repair.Case{Test: c, Joint: true})
		}
		return &provedPatch{cause: cause, cand: &repair.Candidate{Fixes: fixes}}
	}
	patch := job.Patch{Fixes: []suite.TestID{victim, wrong, alike}}
	m := &Repairing{
		r: &job.Report{Tests: []job.TestReport{{Test: victim, Patches: []job.Patch{patch}},
			{Test: wrong, Verdict: suite.Victim, Polluters: []suite.Order{{"p.P#p"}}, Patches: []job.Patch{patch}}}},
		proved: []*provedPatch{of(victim, wrong, alike), of(wrong)},
	}
	m.withdraw([]suite.TestID{wrong})
	want := []suite.TestID{victim, alike}
	if len(m.proved) != 1 || !slices.Equal(m.proved[0].cand.Fixes, want) || !slices.Equal(m.proved[0].cause.Tests(), want) {
		t.Errorf("still claimed: %+v", m.proved)
	}
	if p := m.r.Tests[0].Patches; len(p) != 1 || !slices.Equal(p[0].Fixes, want) {
		t.Errorf("the report still claims %+v", p)
	}
	if got := m.r.Tests[1]; got.Verdict != suite.Undecided || len(got.Patches)+len(got.Polluters) > 0 {
		t.Errorf("withdrawn: %+v", got)
	}
	if !slices.Contains(patch.Fixes, wrong) {
		t.Error("a list that others share was changed")
	}
}

// TestDue: a patch is proved for further causes after one, two more, four more, and at the end.
func TestDue(t *testing.T) {
	for _, c := range []struct {
		waiting, widened, open int
		want                   bool
	}{
		{0, 0, 0, false}, {0, 0, 5, false}, {1, 0, 5, true}, {1, 1, 5, false}, {2, 1, 5, true}, {3, 2, 5, false}, {4, 2, 5,
			true}, {1, 5, 0, true},
	} {
		p := &provedPatch{waiting: make([]repair.Cause, c.waiting), widened: c.widened}
		if p.due(c.open) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

// TestRefusalIsReportedAtTheEnd: if the time ends with a later candidate, the report names both.
func TestRefusalIsReportedAtTheEnd(t *testing.T) {
	const victim = suite.TestID("a.A#victim")
	report := &job.Report{Tests: []job.TestReport{{Test: victim}}}
	m := &Repairing{r: report, artifacts: &session.Artifacts{Out: t.TempDir()}}
	made := func(s string) *repair.Candidate {
		return &repair.Candidate{Built: &repair.Built{Statements: []string{s}, Files: map[string]string{"A.java": s + "\n"}, Before: map[string]string{"A.java": "\n"}}}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := m.first(ctx, repair.Cause{Cases: []repair.Case{{Test: victim}}}, []*repair.Candidate{made("A.reset();"), made("B.reset();")},
		func(c *repair.Candidate) ([]suite.TestID, error) {
			if m.proving = c; c.Built.Statements[0] == "B.reset();" {
				cancel()
				return nil, ctx.Err()
			}
			m.refuse(c, []repair.Check{{Name: "passes alone with the patch", Detail: "a.A#victim: fail"}})
			return nil, nil
		})
	kept, _ := filepath.Glob(filepath.Join(m.artifacts.Out, "patches", "*.patch"))
	if len(kept) != 1 {
		t.Fatalf("kept: %q", kept)
	}
	if text, err := os.ReadFile(kept[0]); !strings.Contains(string(text), "+B.reset();") {
		t.Errorf("%s, %v", text, err)
	}
	if err == nil || !slices.Equal(report.Tests[0].Notes, []string{
		"A patch was found (“B.reset();”), but its proof was not complete when the search ended; with more time it may be. " +
			"The patch without a proof is in the output folder: patches/" + filepath.Base(kept[0]) + ".",
		"Another patch was found (“A.reset();”), and refused because its proof failed at “passes alone with the patch” (a.A#victim: fail); see the log.",
	}) {
		t.Errorf("%v, %q", err, report.Tests[0].Notes)
	}
}
