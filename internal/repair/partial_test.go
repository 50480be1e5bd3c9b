package repair

import (
	"context"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestPartial checks that statements for one of two states are kept, with the test that changes the
// other state, and that the search ends with them unless it is to be thorough. Then it goes on, up to
// a statement that restores both states.
func TestPartial(t *testing.T) {
	for _, other := range []suite.TestID{"P#other", "Q#other"} { // in the polluter's class, and in another one
		w, cause := uncleaned()
		w.tests[other] = func(s map[string]bool) bool { s["broken"] = true; return true }
		w.tests["V#one"] = func(s map[string]bool) bool { return !s["dirty"] && !s["broken"] }
		w.effects["Registry.clear();"] = func(s map[string]bool) error { s["dirty"], s["broken"] = false, false; return nil }
		whole := suite.Order{"P#pollute", "N#neutral", other, "N#neutral", "V#one"}
		cause.Cases, cause.Whole = cause.Cases[:1], []suite.Order{whole}
		more := false
		cause.Later = func(context.Context) ([]suite.Order, error) { more = true; return nil, nil }

		p := &Patcher{Groups: groups, Editor: w, Runner: w, Finder: &thinker{made: calls("Registry.reset();")}}
		cs, err := p.Candidates(t.Context(), cause)
		if err == nil || more {
			t.Errorf("%s: %d candidates, searched for cleaners: %v", other, len(cs), more)
		}
		partial := p.Partial()
		if len(partial) == 0 || labels(partial[0]) != "polluter-teardown 0.0" {
			t.Fatalf("%s: partial: %+v", other, partial)
		}
		if got := partial[0].StillFailing(); len(got) != 1 || !slices.Equal(got[0], suite.Order{other, "V#one"}) {
			t.Errorf("%s: still failing: %v", other, got)
		}

		p.Thorough, p.Finder = true, &thinker{made: calls("Registry.reset();", "Registry.clear();")}
		p.search = nil
		cs, err = p.Candidates(t.Context(), cause)
		if err != nil || cs[0].Built.Statements[0] != "0.0" || cs[0].Edit.Made.Statements[0] != "Registry.clear();" {
			t.Errorf("%s: thorough: %+v, %v", other, cs, err)
		}
	}
}

// TestPolluterInIsAskedOnce checks that another candidate does not search again for a test that is
// known to make the last test of an order fail, and that one which cleans up after that test does.
func TestPolluterInIsAskedOnce(t *testing.T) {
	w, _ := uncleaned()
	w.tests["V#one"] = func(s map[string]bool) bool { return !s["dirty"] && !s["broken"] }
	w.tests["Q#other"] = func(s map[string]bool) bool { s["broken"] = true; return true }
	order := suite.Order{"P#pollute", "N#neutral", "Q#other", "N#neutral", "N#neutral", "V#one"}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	at := func(test suite.TestID, statement string) *Candidate {
		made := calls(statement)[0]
		edit := Edit{Made: &made, Keep: made.IDs(), Location: "polluter-teardown", At: test}
		built, err := w.Build(t.Context(), edit)
		if err != nil {
			t.Fatal(err)
		}
		return &Candidate{Edit: edit, Built: built}
	}
	w.effects["Registry.open();"] = func(s map[string]bool) error { s["broken"] = false; return nil }
	for _, c := range []struct {
		cand *Candidate
		want suite.TestID
		runs int
	}{
		{at("P#pollute", "Registry.reset();"), "Q#other", 0},
		{at("P#pollute", "Registry.reset();"), "Q#other", 1},
		{at("Q#other", "Registry.open();"), "P#pollute", 0},
	} {
		before := w.runs
		got, err := p.PolluterIn(t.Context(), c.cand, order)
		if err != nil || !slices.Equal(got, suite.Order{c.want}) {
			t.Errorf("got %v, %v; want %s", got, err, c.want)
		}
		if c.runs > 0 && w.runs-before != c.runs {
			t.Errorf("%d runs for what is known", w.runs-before)
		}
	}
}
