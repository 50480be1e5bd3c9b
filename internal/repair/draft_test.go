package repair

import (
	"context"
	"reflect"
	"slices"
	"sync"
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

// runsOf is a world that counts the runs of one order.
type runsOf struct {
	*world
	order suite.Order
	runs  *int
}

func (w runsOf) Run(ctx context.Context, o suite.Order, t Trial) (*suite.Run, error) {
	if slices.Equal(o, w.order) {
		*w.runs++
	}
	return w.world.Run(ctx, o, t)
}

// A draft that is known to take long does not begin. A proof runs the patched class by itself unless
// that takes most of the time of the whole order.
func TestKnownSlowDraft(t *testing.T) {
	own := suite.Order{"P#pollute", "P#other"}
	for _, c := range []struct {
		own, whole   time.Duration
		draft, proof int // how often the class runs
	}{{time.Second, time.Second, 1, 1}, {time.Minute, 3 * time.Minute, 0, 1}, {time.Minute, time.Minute, 0, 0}} {
		w, runs := registry(), 0
		p := &Patcher{Groups: groups, Editor: w, Runner: w}
		cs, err := p.Candidates(t.Context(), registryCause())
		if err != nil {
			t.Fatal(err)
		}
		w.tests["P#other"] = w.tests["N#neutral"]
		in := proof(w)
		in.Original = suite.Order{"N#neutral", "V#one", "V#two", "P#pollute", "P#other", "C#clean"}
		p.Runner = runsOf{w, own, &runs}
		p.Took = func(o suite.Order) time.Duration {
			if slices.Equal(o, own) {
				return c.own
			}
			return c.whole
		}
		if checks, err := p.Draft(t.Context(), cs[0], in); err != nil || len(checks) > 0 || runs != c.draft {
			t.Errorf("%+v: the draft runs it %d times; %v, %v", c, runs, checks, err)
		}
		var all []suite.Order
		if _, proved, err := p.Prove(t.Context(), recorder{build{w}, &sync.Mutex{}, &all}, cs[0], in); err != nil || !proved {
			t.Fatalf("%+v: proved %v, %v", c, proved, err)
		}
		if n := len(suite.Filter(all, func(o suite.Order) bool { return slices.Equal(o, own) })); n != c.proof {
			t.Errorf("%+v: the proof runs it %d times", c, n)
		}
	}
}

// TestStillFails checks that a candidate is known to be wrong by an order in which an earlier one
// failed, if it fails there, too.
func TestStillFails(t *testing.T) {
	w := registry()
	w.tests["Q#pollute"] = func(s map[string]bool) bool { s["dirty"] = true; return true }
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(t.Context(), registryCause())
	if err != nil {
		t.Fatal(err)
	}
	cleans := suite.Order{"P#pollute", "V#one"}
	fails := suite.Order{"N#neutral", "Q#pollute", "V#one"}
	disturbed := 0
	w.tests["D#disturbed"] = func(s map[string]bool) bool { disturbed++; s["dirty"] = disturbed == 1; return true }
	for _, c := range []struct {
		name string
		met  []suite.Order
		want []suite.Order
		runs int
	}{
		{"none", nil, nil, 0},
		{"is disturbed once", []suite.Order{{"D#disturbed", "V#one"}}, nil, 2},
		{"passes now", []suite.Order{cleans}, nil, 1},
		{"fails still", []suite.Order{fails, cleans}, []suite.Order{fails}, 3},
		{"alone", []suite.Order{{"V#one"}}, nil, 0},
		{"a long order", []suite.Order{append(make(suite.Order, mostPacked), fails...)}, nil, 0},
		{"of a test that it does not fix", []suite.Order{{"Q#pollute", "N#neutral"}}, nil, 0},
		{"the shortest", []suite.Order{fails, cleans, cleans}, nil, mostMet},
	} {
		before := w.runs
		checks, err := p.StillFails(t.Context(), cs[0], c.met)
		var got []suite.Order
		for _, check := range checks {
			got = append(got, check.Bad...)
		}
		if err != nil || !reflect.DeepEqual(got, c.want) || w.runs-before != c.runs {
			t.Errorf("%s: %v, %v after %d runs", c.name, got, err, w.runs-before)
		}
	}
}
