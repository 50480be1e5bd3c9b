package repair

import (
	"context"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestDraft checks that a draft refutes a candidate that breaks another test of the class that it
// changes, or with which a fixed test fails directly after another, and says nothing of a good one.
func TestDraft(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(w *world, in *ProofInput)
		fails  string // the check; empty: all hold
		bad    int    // orders in which a fixed test fails
	}{
		{"good", func(*world, *ProofInput) {}, "", 0},
		{"another test of its class", func(w *world, in *ProofInput) {
			w.tests["P#needs"] = func(s map[string]bool) bool { return s["dirty"] }
			in.Original = suite.Order{"N#neutral", "V#one", "V#two", "P#pollute", "P#needs", "C#clean"}
		}, "no other test gets worse in the classes that the patch changes", 0},
		{"another test fails once", func(w *world, in *ProofInput) {
			failed := false
			w.tests["P#flaky"] = func(map[string]bool) bool { was := failed; failed = true; return was }
			in.Original = suite.Order{"N#neutral", "V#one", "V#two", "P#pollute", "P#flaky", "C#clean"}
		}, "", 0},
		{"a neighbour", func(w *world, in *ProofInput) {
			w.tests["V#two"] = func(s map[string]bool) bool { s["dirty"] = true; return true }
		}, "passes directly after other tests of its class", 1},
	} {
		w := registry()
		p := &Patcher{Groups: groups, Editor: w, Runner: w}
		cs, err := p.Candidates(context.Background(), registryCause())
		if err != nil {
			t.Fatal(err)
		}
		in := proof(w)
		c.change(w, &in)
		checks, err := p.Draft(context.Background(), cs[0], in)
		if err != nil {
			t.Fatal(err)
		}
		failed, bad := "", 0
		for _, check := range checks {
			failed, bad = check.Name, bad+len(check.Bad)
		}
		if failed != c.fails || bad != c.bad {
			t.Errorf("%s: %q does not hold, %d orders; want %q, %d", c.name, failed, bad, c.fails, c.bad)
		}
	}
}
