package detect

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// used returns the outcomes of the world, unless change returns others.
type used struct {
	w      *world
	change func(o suite.Order, run *suite.Run) (*suite.Run, error) // nil: nothing is changed

	mu   sync.Mutex
	runs int
}

func (u *used) run(_ context.Context, o suite.Order) (*suite.Run, error) {
	u.w.mu.Lock()
	run, err := u.w.answer(o, false)
	u.w.mu.Unlock()
	u.mu.Lock()
	u.runs++
	u.mu.Unlock()
	if err == nil && u.change != nil {
		return u.change(o, run)
	}
	return run, err
}

// leaking is a world with two victims of different polluters and a brittle test, in three groups.
func leaking() *world {
	w := newWorld(4, 6, 5)
	w.tests[id(2, 5)].sets = "x"
	w.tests[id(2, 2)].failsIf = "x"
	w.tests[id(3, 4)].sets = "y"
	w.tests[id(1, 1)].failsIf = "y"
	w.tests[id(3, 1)].sets = "z"
	w.tests[id(3, 3)].failsUnless = "z"
	return w
}

var leakingKinds = map[suite.TestID]Kind{id(2, 2): Victim, id(1, 1): Victim, id(3, 3): Brittle}

func (w *world) both(t *testing.T) []Stage {
	return []Stage{w.stage(t, order.TechniqueReverse, order.Options{}), w.stage(t, order.TechniqueInterClass, order.Options{})}
}

// TestQuickRunsGuideOnly: with quick runs a search finds the same tests in far fewer fresh
// processes. Each find rests on fresh processes, and on the smallest order that shows it.
func TestQuickRunsGuideOnly(t *testing.T) {
	plain := leaking()
	plain.detect(t, plain.both(t)...)
	w := leaking()
	u := &used{w: w}
	res := w.search(t, Input{Tests: w.suite.Order(), Stages: w.both(t), Quick: u.run})
	if d := cmp.Diff(leakingKinds, res.kinds()); d != "" {
		t.Error(d)
	}
	if w.runs*3 > plain.runs {
		t.Errorf("%d fresh processes with quick runs, %d without", w.runs, plain.runs)
	}
	if !res.Exhausted || res.Pairs.Covered != res.Pairs.Of {
		t.Errorf("%+v", res)
	}
	for _, f := range res.Finds {
		for _, s := range []Observation{f.Failing, f.Passing} {
			if n := w.asked[s.Order.Key()]; s.Repeats < DefaultRerun || n < s.Repeats {
				t.Errorf("%s: %d repeats are claimed, %d fresh processes ran %v", f.Test, s.Repeats, n, s.Order)
			}
		}
		if f.Kind == Victim && len(f.Failing.Whole) != 2 {
			t.Errorf("%s: the failing order is %v", f.Test, f.Failing.Whole)
		}
	}
}

// TestWrongHints: used processes that report failures which no fresh process shows make no find.
// After two such failures of a test, they cost no more fresh processes.
func TestWrongHints(t *testing.T) {
	w := leaking()
	wrong := map[suite.TestID]bool{id(1, 3): true, id(2, 4): true}
	u := &used{w: w, change: func(o suite.Order, run *suite.Run) (*suite.Run, error) {
		for i, x := range o {
			if wrong[x] {
				run.Results[i].Outcome, run.Results[i].Failure = suite.Fail, &suite.Failure{Type: "E"}
			}
		}
		return run, nil
	}}
	res := w.search(t, Input{Tests: w.suite.Order(), Stages: w.both(t), Quick: u.run})
	if d := cmp.Diff(leakingKinds, res.kinds()); d != "" {
		t.Error(d)
	}
	if others := len(res.Flaky) + len(res.Genuine) + len(res.Undecided); others > 0 {
		t.Errorf("%+v", res)
	}
	for x := range wrong { // the part that a hint names is the test alone
		if n := w.asked[suite.Order{x}.Key()]; n > maxRefuted+2 {
			t.Errorf("%s ran %d times alone", x, n)
		}
	}
}

// TestHintOfAWholeOrder: where the small part of a hint shows nothing in a fresh process, the whole order
// runs in one. Here used processes keep what an earlier order left.
func TestHintOfAWholeOrder(t *testing.T) {
	w := newWorld(3, 3)
	w.tests[id(2, 1)].sets = "x"
	w.tests[id(1, 2)].failsIf = "x"
	u := &used{w: w}
	dirty := false // an earlier order left x
	u.change = func(o suite.Order, run *suite.Run) (*suite.Run, error) {
		for i, x := range o {
			if x == id(1, 2) && dirty {
				run.Results[i].Outcome, run.Results[i].Failure = suite.Fail, &suite.Failure{Type: "E"}
			}
			dirty = dirty || x == id(2, 1)
		}
		return run, nil
	}
	w.side = 1
	res := w.search(t, Input{Tests: w.suite.Order(), Stages: w.both(t), Quick: u.run})
	if d := cmp.Diff(map[suite.TestID]Kind{id(1, 2): Victim}, res.kinds()); d != "" {
		t.Error(d)
	}
}

// TestNoQuickResult: where used processes give no result, the search is as without them.
func TestNoQuickResult(t *testing.T) {
	for name, change := range map[string]func(suite.Order, *suite.Run) (*suite.Run, error){
		"none":  func(suite.Order, *suite.Run) (*suite.Run, error) { return nil, nil },
		"error": func(suite.Order, *suite.Run) (*suite.Run, error) { return nil, errors.New("no process") },
		"crash": func(o suite.Order, run *suite.Run) (*suite.Run, error) {
			run.Crash = &suite.Crash{Kind: "exit", During: o[0]}
			return run, nil
		},
		"unresolved": func(_ suite.Order, run *suite.Run) (*suite.Run, error) {
			run.Results[0].Outcome = suite.Unresolved
			return run, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := leaking()
			u := &used{w: w, change: change}
			res := w.search(t, Input{Tests: w.suite.Order(), Stages: w.both(t), Quick: u.run})
			if d := cmp.Diff(leakingKinds, res.kinds()); d != "" {
				t.Error(d)
			}
			if u.runs == 0 {
				t.Error("no quick run was tried")
			}
		})
	}
}

// TestQuickRunsOfACohort: an order that changes the outcomes of a whole cohort runs in a fresh process at
// once. Its tests confirm each other.
func TestQuickRunsOfACohort(t *testing.T) {
	w := newWorld(60, 2)
	w.tests[id(2, 2)].sets = "x"
	want := map[suite.TestID]bool{}
	for i := range 60 {
		w.tests[id(1, i+1)].failsIf = "x"
		want[id(1, i+1)] = true
	}
	u := &used{w: w}
	res := w.search(t, Input{Tests: w.suite.Order(), Stages: []Stage{w.stage(t, order.TechniqueReverse, order.Options{})}, Quick: u.run})
	if len(res.Finds) != len(want) {
		t.Errorf("%d finds of %d", len(res.Finds), len(want))
	}
	for _, f := range res.Finds {
		if f.Cohort == "" {
			t.Errorf("%s was confirmed by itself", f.Test)
		}
	}
	if u.runs > 20 {
		t.Errorf("%d quick runs", u.runs)
	}
}

// TestManyHintsOfOneOrder: tests whose outcomes parts of one order changed in fresh processes confirm
// each other, if they are many. Each then takes two processes alone and two after its polluter. Hints
// that fresh processes do not show count for nothing.
func TestManyHintsOfOneOrder(t *testing.T) {
	for _, victims := range []int{4, 12} {
		w := newWorld(2 * victims)
		wrong := map[suite.TestID]bool{}
		for i := range victims {
			w.tests[id(1, 2*victims-i)].sets = string(rune('a' + i))
			if i%3 == 2 && victims == 4 || i > 9 {
				wrong[id(1, i+1)] = true
			} else {
				w.tests[id(1, i+1)].failsIf = string(rune('a' + i))
			}
		}
		u := &used{w: w, change: func(o suite.Order, run *suite.Run) (*suite.Run, error) {
			for i, x := range o {
				if wrong[x] && i > 0 {
					run.Results[i].Outcome, run.Results[i].Failure = suite.Fail, &suite.Failure{Type: "E"}
				}
			}
			return run, nil
		}}
		res := w.search(t, Input{Tests: w.suite.Order(), Stages: []Stage{w.stage(t, order.TechniqueReverse, order.Options{})}, Quick: u.run})
		if len(res.Finds) != victims-len(wrong) {
			t.Errorf("%d finds of %d", len(res.Finds), victims-len(wrong))
		}
		want := DefaultRerun
		if victims-len(wrong) > cohort.Sample {
			want--
		}
		fewer := 0
		for _, f := range res.Finds {
			if f.Failing.Repeats == want && f.Passing.Repeats == want {
				fewer++
			}
		}
		if fewer < len(res.Finds)-2 {
			t.Errorf("%d victims: %d of them rest on %d repeats of each side: %+v", victims, fewer, want, res.Finds)
		}
	}
}
