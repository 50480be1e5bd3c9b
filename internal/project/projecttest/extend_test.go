package projecttest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/engine"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// fixed runs a fix of the failing tests that were seen in that order. It returns the report and the
// number of proofs that began.
func fixed(t *testing.T, files map[string]string, order []string, failing ...string) (*job.Report, int) {
	t.Helper()
	var mu sync.Mutex
	proofs := 0
	tell := func(e job.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Message == "building the patch with the project's own build" {
			proofs++
		}
	}
	j := job.Job{Version: job.Version, Kind: job.KindFix, Dir: t.TempDir(), Tests: failing,
		Order: &job.ObservedOrder{Source: "ci", Provenance: "exact", Tests: order}}
	r := engine.Run(t.Context(), j, engine.Options{Languages: []project.Language{Shell{Files: files}},
		Version: "test", Log: zap.NewNop(), Progress: tell})
	if r.Error != nil || len(r.Tests) != len(failing) {
		t.Fatalf("%+v, %+v", r.Error, r.Tests)
	}
	return r, proofs
}

// onePatch checks that all tests have the same single proved patch.
func onePatch(t *testing.T, r *job.Report) job.Patch {
	t.Helper()
	for _, got := range r.Tests {
		if len(got.Patches) != 1 || !got.Patches[0].Proof.Proved || got.Patches[0].RawDiff() != r.Tests[0].Patches[0].RawDiff() {
			t.Fatalf("%s (%s): patches %+v, notes %q", got.Test, got.Reason, got.Patches, got.Notes)
		}
		if len(got.Notes) > 0 {
			t.Errorf("%s has a patch and notes %q", got.Test, got.Notes)
		}
	}
	return r.Tests[0].Patches[0]
}

// painters has n polluters of one variable, each with one victim, and a cleaner of all.
func painters(n int) (files map[string]string, order, failing []string) {
	files = map[string]string{}
	for i := range n {
		c := string(rune('a' + i))
		files[c+"1.sh"], files[c+"2.sh"] = fmt.Sprintf("test paints\nadd colour=%d\n", i), fmt.Sprintf("test isBare\nrefuse colour=%d\n", i)
		order, failing = append(order, c+"1.sh paints", c+"2.sh isBare"), append(failing, c+"2.sh isBare")
	}
	files["z.sh"] = "test washes\nunset colour\n"
	return files, append(order, "z.sh washes"), failing
}

// TestOnePatchOfSeveralCauses checks that a proved patch is extended to later causes, and is not
// proved again for each of them.
func TestOnePatchOfSeveralCauses(t *testing.T) {
	for n, most := range map[int]int{2: 2, 4: 3, 8: 4} {
		files, order, failing := painters(n)
		r, proofs := fixed(t, files, order, failing...)
		p := onePatch(t, r)
		if len(p.Fixes) != n || len(p.Also) != n-1 || !slices.Equal(p.Statements, []string{"unset colour"}) {
			t.Errorf("%d causes: %+v", n, p)
		}
		if proofs > most {
			t.Errorf("%d proofs for %d causes, want at most %d", proofs, n, most)
		}
		if r.Combined != nil {
			t.Errorf("one patch was combined with itself: %+v", r.Combined)
		}
	}
}

// TestACauseThatNoPatchExtendsTo has a second cause that needs what the first patch breaks. It gets
// its own patch.
func TestACauseThatNoPatchExtendsTo(t *testing.T) {
	r, _ := fixed(t, map[string]string{
		"a.sh": "test paints\nadd colour=red\n", "b.sh": "test isNotRed\nrefuse colour=red\n",
		"c.sh": "test boils\nset water=hot\n", "d.sh": "test isCold\nrefuse water=hot\n",
		"e.sh": "test washes\nunset colour\n", "f.sh": "test cools\nunset water\n",
	}, []string{"a.sh paints", "b.sh isNotRed", "c.sh boils", "d.sh isCold", "e.sh washes", "f.sh cools"}, "b.sh isNotRed", "d.sh isCold")
	for i, want := range []string{"unset colour", "unset water"} {
		p := r.Tests[i].Patches
		if len(p) != 1 || !p[0].Proof.Proved || !slices.Equal(p[0].Statements, []string{want}) ||
			!slices.Equal(p[0].Fixes, []suite.TestID{r.Tests[i].Test}) {
			t.Errorf("%s: %+v, notes %q", r.Tests[i].Test, p, r.Tests[i].Notes)
		}
	}
	if r.Combined == nil || !r.Combined.Proof.Proved {
		t.Errorf("combined: %+v", r.Combined)
	}
}

// TestSecondPassExtends has a first victim whose polluter is a brittle test. Nothing cleans between
// the two, because the only cleaner leaves the water hot. The patch of a later cause fixes the
// victim. The cleaner is a further polluter, of other state.
func TestSecondPassExtends(t *testing.T) {
	r, _ := fixed(t, map[string]string{
		"a.sh": "test fills\nset tub=full\n", "b.sh": "test paints\nwant tub=full\nadd colour=red\n",
		"c.sh": "test isPlain\nrefuse colour=red\nrefuse water=hot\n",
		"d.sh": "test dyes\nadd colour=blue\n", "e.sh": "test isNotBlue\nrefuse colour=blue\n",
		"f.sh": "test washes\nunset colour\nset water=hot\n",
	}, []string{"a.sh fills", "b.sh paints", "c.sh isPlain", "d.sh dyes", "e.sh isNotBlue", "f.sh washes"},
		"c.sh isPlain", "e.sh isNotBlue")
	if got := r.Tests[0].Polluters; len(got) != 1 || !slices.Equal(got[0], suite.Order{"a.sh fills", "b.sh paints"}) {
		t.Fatalf("polluters %v", got)
	}
	further := "This test still failed once directly after f.sh washes, with the patch. f.sh washes may be a further polluter."
	if n := r.Tests[0].Notes; !slices.Equal(n, []string{further}) {
		t.Errorf("notes %q", n)
	}
	r.Tests[0].Notes = nil
	p := onePatch(t, r)
	if !slices.Equal(p.Statements, []string{"unset colour"}) || !slices.Contains(append(p.Also, p.At), "b.sh paints") {
		t.Errorf("%+v", p)
	}
}

// TestSecondPassLendsHelpers has a later cause whose patch has two statements, and is therefore not
// added after other polluters. Its helper, which fails unless the cloth is wet, gives the first
// cause its own patch.
func TestSecondPassLendsHelpers(t *testing.T) {
	r, _ := fixed(t, map[string]string{
		"a.sh": "test paints\nadd colour=red\n", "b.sh": "test isPlain\nrefuse colour=red\nrefuse floor=dirty\n",
		"c.sh": "test dyes\nadd colour=blue\nset cloth=wet\nset floor=dirty\n",
		"d.sh": "test isDry\nrefuse colour=blue\nrefuse cloth=wet\n",
		"0.sh": "test washes\nwant cloth=wet\nunset colour\nunset cloth\n",
	}, []string{"0.sh washes", "a.sh paints", "b.sh isPlain", "c.sh dyes", "d.sh isDry"}, "b.sh isPlain", "d.sh isDry")
	for i, want := range []string{"unset colour", "unset colour unset cloth"} {
		p := r.Tests[i].Patches
		if len(p) != 1 || !p[0].Proof.Proved || strings.Join(p[0].Statements, " ") != want {
			t.Errorf("%s: %+v, notes %q", r.Tests[i].Test, p, r.Tests[i].Notes)
		}
		for _, note := range r.Tests[i].Notes {
			if strings.Contains(note, "no helper") {
				t.Errorf("%s has a patch, and the note %q", r.Tests[i].Test, note)
			}
		}
	}
}

// TestTwoStates has a class whose tests leave two states changed, each of which makes the victim
// fail. The statement for one is refused by a proof. In the other places, an order that this proof
// ran refutes it, before a patch is built.
func TestTwoStates(t *testing.T) {
	r, proofs := fixed(t, map[string]string{
		"a.sh": "test paints\nset colour=red\ntest isPlain\nrefuse colour=red\nrefuse paper=gloss\ntest prints\nset paper=gloss\n",
		"b.sh": "test washes\nunset colour\n", "c.sh": "test wipes\nunset paper\n",
	}, []string{"a.sh paints", "a.sh isPlain", "a.sh prints", "b.sh washes", "c.sh wipes"}, "a.sh isPlain")
	if proofs != 1 {
		t.Errorf("%d proofs, want 1", proofs)
	}
	if got := r.Tests[0]; got.Unpatched != job.ProofFailed || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "a.sh isPlain: fail") {
		t.Errorf("%s: %q", got.Unpatched, got.Notes)
	}
}
