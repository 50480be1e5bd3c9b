package detect

import (
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// brittleWorld has three tests that need what one far ahead of them leaves, one that fails after
// another's, and forty-four that mind nothing.
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

// hinting runs a search by Auto in which the tests that matter run alone first.
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

// TestHintsConfirm: what a test did in the observed run, and does not do alone, is shown by a part
// of that run, before any order of many tests; each find rests on as many runs as any.
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
			// The observed run, five tests alone, four of them four times again, the part of six
			// tests three times.
			if most := len(w.suite.Order()) + 5 + 4*4 + 3*6; side == 1 && f.After.Executions > most {
				t.Errorf("%s was found after %d executions, %d would do", f.Test, f.After.Executions, most)
			}
			for _, s := range []Observation{f.Failing, f.Passing} {
				if s.Repeats < DefaultRerun || w.asked[s.Order.Key()] < s.Repeats {
					t.Errorf("%d at once: %s rests on %d runs of %v, which was asked %d times", side,
						f.Test, s.Repeats, s.Order, w.asked[s.Order.Key()])
				}
			}
		}
	}
}

// TestHintsAreNotBelieved: nobody is called order-dependent for what the observed run alone showed.
func TestHintsAreNotBelieved(t *testing.T) {
	w := brittleWorld(1)
	w.tests[id(3, 2)].genuine = true
	o := &Observed{Later: true, Failed: []suite.TestID{id(2, 7), id(4, 1)}} // the first never does, and the genuine one does
	res := w.hinting(t, o, w.state())
	kinds := res.kinds()
	if len(kinds) != 3 || kinds[id(3, 1)] != Brittle || kinds[id(3, 3)] != Brittle || kinds[id(4, 1)] != Victim {
		t.Errorf("%v", kinds)
	}
	if len(res.Genuine) != 1 || res.Genuine[0].Test != id(3, 2) || len(res.Undecided)+len(res.Flaky) > 0 {
		t.Errorf("%+v", res)
	}
}

// TestHintsThatVanish: a test of the part that is gone, or ends its process, keeps nobody from
// being found.
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
		in.Now = func() time.Time { // a run takes a minute
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
		t.Errorf("%d undecided for want of the own order, %d genuine", undecided, genuine)
	}
}
