package repair

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// TestDraft checks that a draft refutes a candidate that breaks another test of the class that it
// changes, and says nothing of a good one.
func TestDraft(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(w *world, in *ProofInput)
		fails  string // the check; empty: all hold
	}{
		{"good", func(*world, *ProofInput) {}, ""},
		{"another test of its class", func(w *world, in *ProofInput) {
			w.tests["P#needs"] = func(s map[string]bool) bool { return s["dirty"] }
			in.Original = suite.Order{"N#neutral", "V#one", "V#two", "P#pollute", "P#needs", "C#clean"}
		}, "no other test gets worse in the classes that the patch changes"},
		{"another test fails once", func(w *world, in *ProofInput) {
			failed := false
			w.tests["P#flaky"] = func(map[string]bool) bool { was := failed; failed = true; return was }
			in.Original = suite.Order{"N#neutral", "V#one", "V#two", "P#pollute", "P#flaky", "C#clean"}
		}, ""},
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
		failed := ""
		for _, check := range checks {
			failed = check.Name
		}
		if failed != c.fails {
			t.Errorf("%s: %q does not hold; want %q", c.name, failed, c.fails)
		}
	}
}

// A draft that takes long says nothing. Sleeping uses the fake time of synctest.
func TestSlowDraft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := registry()
		p := &Patcher{Groups: groups, Editor: w, Runner: w}
		cs, err := p.Candidates(t.Context(), registryCause())
		if err != nil {
			t.Fatal(err)
		}
		w.tests["P#needs"] = func(map[string]bool) bool { time.Sleep(time.Hour); return false }
		w.late = true
		in := proof(w)
		in.Original = suite.Order{"N#neutral", "V#one", "V#two", "P#pollute", "P#needs", "C#clean"}
		began := time.Now()
		if checks, err := p.Draft(t.Context(), cs[0], in); len(checks) > 0 || err != nil || time.Since(began) > draftTime {
			t.Errorf("%+v, %v after %s", checks, err, time.Since(began))
		}
		w.running.Wait()
	})
}
