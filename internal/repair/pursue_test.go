package repair

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// TestTestsOfOtherCausesAreLeftOut checks that a test of another cause that still fails is left out
// of the tests that the patch fixes, and that the patch is proved for the rest.
func TestTestsOfOtherCausesAreLeftOut(t *testing.T) {
	w, cause := uncleaned()
	w.tests["Q#other"] = w.tests["P#pollute"]
	w.tests["W#breaks"] = func(s map[string]bool) bool { s["broken"] = true; return true }
	w.tests["W#three"] = func(s map[string]bool) bool { return !s["dirty"] && !s["broken"] }
	cause.Cases = cause.Cases[:1]
	behind := func(p, v suite.TestID) Cause {
		return Cause{Polluter: suite.Order{p}, Cases: []Case{{Test: v, Failing: []suite.Order{{p, v}}}}}
	}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cand := candidates(t, w, cause, &thinker{made: calls("Registry.reset();")})[0]
	prove := func(c *Candidate) (bool, []suite.Order, error) {
		in := proof(w)
		in.Minimal, in.Failing, in.Neighbours, in.Rows = nil, nil, nil, nil
		for _, v := range c.Fixes {
			polluter := suite.TestID("P#pollute")
			if v == "W#three" {
				polluter, in.Neighbours = "Q#other", []suite.Order{{"W#breaks", v}}
			}
			in.Minimal = append(in.Minimal, suite.Order{polluter, v})
		}
		checks, proved, err := p.Prove(t.Context(), build{w}, c, in)
		var bad []suite.Order
		for _, c := range checks {
			bad = append(bad, c.Bad...)
		}
		return proved, bad, err
	}
	fixed, err := p.Pursue(t.Context(), cause, []Cause{behind("Q#other", "W#three"), behind("P#pollute", "V#two")}, cand, false, prove)
	if err != nil || !slices.Equal(fixed, []suite.TestID{"V#one", "V#two"}) {
		t.Errorf("fixed %v, error %v", fixed, err)
	}
}

// TestPatchThatHarmsThePolluter checks that a statement that makes the polluter fail is no candidate,
// and that the proof also runs the polluter as the first test of a process.
func TestPatchThatHarmsThePolluter(t *testing.T) {
	w, cause := uncleaned()
	w.tests["N#neutral"] = func(s map[string]bool) bool { s["opened"] = true; return true }
	w.effects["Registry.reset();"] = func(s map[string]bool) error {
		s["dirty"] = false
		if !s["opened"] {
			return fmt.Errorf("not open")
		}
		return nil
	}
	cause.Cases = cause.Cases[:1]
	p := &Patcher{Groups: groups, Editor: w, Runner: w, Finder: &thinker{made: calls("Registry.reset();")}}
	if cs, err := p.Candidates(t.Context(), cause); len(cs) > 0 || !errors.Is(err, ErrNoReset) {
		t.Errorf("candidates %v, %v", cs, err)
	}
	made := calls("Registry.reset();")[0]
	edit, built, err := p.build(t.Context(), Edit{Made: &made, Keep: made.IDs(), Location: patch.PolluterTeardown, At: "P#pollute"})
	if err != nil {
		t.Fatal(err)
	}
	c := &Candidate{Edit: edit, Built: built, Fixes: []suite.TestID{"V#one"}}
	in := proof(w)
	in.Minimal = in.Minimal[:1]
	in.Failing = in.Minimal
	if checks, proved, err := p.Prove(t.Context(), build{w}, c, in); proved || err != nil {
		t.Errorf("proved %s: %v, %+v", labels(c), err, checks)
	}
}

// TestBrittleAmongVictims checks that a test that fails alone, and was only seen failing together
// with others, does not prevent their repair.
func TestBrittleAmongVictims(t *testing.T) {
	w := registry()
	clean := w.tests["V#one"]
	w.tests["V#one"] = func(s map[string]bool) bool {
		s["set"] = s["set"] || clean(s)
		return clean(s)
	}
	w.tests["B#brittle"] = func(s map[string]bool) bool { return s["set"] }
	cause := registryCause()
	tests := suite.Order{"V#one", "B#brittle"}
	cause.Cases = append(cause.Cases, Case{Test: "B#brittle", Failing: []suite.Order{{"P#pollute", "B#brittle"}}, Joint: true})
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(t.Context(), cause)
	if err != nil {
		t.Fatal(err)
	}
	prove := func(c *Candidate) (bool, []suite.Order, error) {
		in := proof(w)
		if slices.Contains(c.Fixes, "B#brittle") {
			in.Shared = []Shared{{Order: suite.Join(suite.Order{"P#pollute"}, tests), Tests: tests[1:]}}
		}
		checks, proved, err := p.Prove(t.Context(), build{w}, c, in)
		var bad []suite.Order
		for _, c := range checks {
			bad = append(bad, c.Bad...)
		}
		return proved, bad, err
	}
	if !slices.Contains(cs[0].Fixes, "B#brittle") {
		t.Fatalf("is reported to fix %v", cs[0].Fixes)
	}
	fixed, err := p.Pursue(t.Context(), cause, nil, cs[0], false, prove)
	if err != nil || slices.Contains(fixed, "B#brittle") || !slices.Contains(fixed, "V#one") {
		t.Errorf("fixed %v, error %v", fixed, err)
	}
}
