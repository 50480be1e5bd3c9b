package detect

import (
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// brittleWorld has three tests that need the state of a test long before them, one victim of
// another test, and forty-four independent tests.
func brittleWorld(side int) *world {
	w := newWorld(12, 12, 12, 12)
	w.side = side
	w.tests[id(1, 5)].sets = "x"
	w.tests[id(1, 6)].sets = "y"
	for i := 1; i <= 3; i++ {
		w.tests[id(3, i)].failsUnless = "x"
	}
	w.tests[id(4, 1)].failsIf = "y"
	return w
}

// hinting runs a search by Auto in which likely brittle tests run alone first.
func (w *world) hinting(t *testing.T, observed *Observed, state *State) Result {
	t.Helper()
	return w.search(t, w.hinted(t, observed, state))
}

// hinted is the input of a search after an observed run.
func (w *world) hinted(t *testing.T, observed *Observed, state *State) Input {
	t.Helper()
	plan := Plan{Technique: Auto, Seed: 1, State: state, Observed: true, Outcomes: &Outcomes{}}
	plan.State.MaybeBrittle = []suite.TestID{id(3, 1), id(2, 7), id(3, 2), id(4, 1), id(3, 3)}
	stages, _, err := plan.Stages(w.suite)
	if err != nil {
		t.Fatal(err)
	}
	return Input{Tests: w.suite.Order(), Stages: stages, Observed: observed, State: state, Outcomes: plan.Outcomes}
}

// TestHintsConfirm checks that a part of the observed run shows an outcome that the test does not
// have alone, before any order of many tests. Each find rests on as many runs as any other.
func TestHintsConfirm(t *testing.T) {
	for side := 1; side <= 3; side++ {
		w := brittleWorld(side)
		res := w.hinting(t, w.observed(), w.state())
		kinds := res.kinds()
		for _, b := range []suite.TestID{id(3, 1), id(3, 2), id(3, 3)} {
			if kinds[b] != Brittle {
				t.Errorf("%d at once: %s is called %q", side, b, kinds[b])
			}
		}
		if kinds[id(4, 1)] != Victim || len(kinds) != 4 {
			t.Errorf("%d at once: %v", side, kinds)
		}
		for _, o := range w.began[:6] {
			if len(o) > 6 {
				t.Errorf("%d at once: an order of %d tests was begun before the part", side, len(o))
			}
		}
		for _, f := range res.Finds {
			// The cost: the observed run, five tests alone, four of them four times again, and
			// three runs of the part of six tests.
			if most := len(w.suite.Order()) + 5 + 4*4 + 3*6; side == 1 && f.After.Executions > most {
				t.Errorf("%s was found after %d executions, want at most %d", f.Test, f.After.Executions, most)
			}
			for _, s := range []Observation{f.Failing, f.Passing} {
				if s.Repeats < DefaultRerun || w.asked[s.Order.Key()] < s.Repeats {
					t.Errorf("%d at once: %s rests on %d runs of %v, which ran %d times", side,
						f.Test, s.Repeats, s.Order, w.asked[s.Order.Key()])
				}
			}
		}
	}
}

// TestHintsProveNothing checks that the observed run alone does not make a test order-dependent.
func TestHintsProveNothing(t *testing.T) {
	w := brittleWorld(1)
	w.tests[id(3, 2)].genuine = true
	// The first test fails only in the observed run. The second is a genuine failure.
	o := &Observed{Later: true, Failed: []suite.TestID{id(2, 7), id(4, 1)}}
	res := w.hinting(t, o, w.state())
	kinds := res.kinds()
	if len(kinds) != 3 || kinds[id(3, 1)] != Brittle || kinds[id(3, 3)] != Brittle || kinds[id(4, 1)] != Victim {
		t.Errorf("%v", kinds)
	}
	if len(res.Genuine) != 1 || res.Genuine[0].Test != id(3, 2) || len(res.Undecided)+len(res.Flaky) > 0 {
		t.Errorf("%+v", res)
	}
}

// TestHintsThatVanish checks that tests are found even if a test of the part is missing or ends its
// process.
func TestHintsThatVanish(t *testing.T) {
	for at := 5; at <= 40; at++ {
		w := brittleWorld(1)
		w.most = 4000
		w.tests[id(1, 6)].goneAfter = at
		w.tests[id(3, 3)].crashesAt = at
		res := w.hinting(t, brittleWorld(1).observed(), w.state())
		kinds := res.kinds()
		if kinds[id(3, 1)] != Brittle || kinds[id(3, 2)] != Brittle || kinds[id(3, 3)] != Brittle {
			t.Errorf("at run %d: %v, left out %v, not certain %v", at, kinds, res.Left, res.Undecided)
		}
	}
}

// TestGenuineNeedsTheOwnOrder: a search that ends before the suite's own order ran calls no test
// genuine, although all runs so far failed.
func TestGenuineNeedsTheOwnOrder(t *testing.T) {
	undecided, genuine := 0, 0
	for most := range 40 {
		w := brittleWorld(1)
		w.tests[id(2, 2)].genuine = true
		in := w.hinted(t, &Observed{Later: true, Failed: []suite.TestID{id(2, 2)}}, w.state())
		in.Groups = suite.NewGroups(w.suite, nil)
		began := time.Now()
		in.Now = func() time.Time { // each run takes a minute
			w.mu.Lock()
			defer w.mu.Unlock()
			return began.Add(time.Duration(w.runs) * time.Minute)
		}
		s := New(w, in)
		if _, err := s.Run(t.Context(), began.Add(time.Duration(most)*time.Minute)); err != nil {
			t.Fatal(err)
		}
		s.Close()
		res := s.Result()
		genuine += len(res.Genuine)
		if ran := w.asked[w.suite.Order().Key()] > 0; len(res.Genuine) > 0 && !ran {
			t.Errorf("%d runs: %s is genuine: %s", w.runs, res.Genuine[0].Test, res.Genuine[0].Why)
		}
		for _, u := range res.Undecided {
			if strings.Contains(u.Why, "own order") {
				undecided++
			}
		}
	}
	if undecided == 0 || genuine == 0 {
		t.Errorf("%d undecided because the own order did not run, %d genuine", undecided, genuine)
	}
}
