package detect

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

var sorted = cmpopts.SortSlices(func(a, b suite.TestID) bool { return a < b })

func TestFindsVictimsAndBrittles(t *testing.T) {
	w := newWorld(3, 4, 2)
	w.tests[id(2, 3)].sets = "x"
	w.tests[id(1, 1)].failsIf = "x" // before the polluter in the original order
	w.tests[id(3, 2)].failsIf = "x" // after it: fails in the original order
	w.tests[id(2, 1)].sets = "y"
	w.tests[id(2, 2)].failsUnless = "y"
	w.tests[id(1, 2)].genuine = true
	res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
	want := map[suite.TestID]Kind{id(1, 1): Victim, id(3, 2): Victim, id(2, 2): Brittle}
	if d := cmp.Diff(want, res.kinds()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]suite.TestID{id(1, 2)}, tests(res.Genuine)); d != "" {
		t.Error(d)
	}
	if !res.Exhausted || res.Pairs.Covered != res.Pairs.Of || len(res.Undecided)+len(res.Flaky) > 0 {
		t.Errorf("%+v", res)
	}
	for _, f := range res.Finds {
		if f.Failing.Repeats < DefaultRerun || f.Passing.Repeats < DefaultRerun {
			t.Errorf("%s was claimed on %d and %d runs", f.Test, f.Failing.Repeats, f.Passing.Repeats)
		}
		for _, s := range []Observation{f.Failing, f.Passing} {
			if s.Order[len(s.Order)-1] != f.Test {
				t.Errorf("an order of %s ends with another test: %v", f.Test, s.Order)
			}
			if n := w.asked[s.Order.Key()]; n < s.Repeats {
				t.Errorf("the order %v ran %d times", s.Order, n)
			}
		}
	}
}

// TestFlakyIsNotOrderDependent checks that repeats exclude flaky tests except by chance. A test
// that fails in half of its runs, and was seen to pass and to fail, repeats its outcome twice in
// its order and the other outcome four times alone in one of 64 cases.
func TestFlakyIsNotOrderDependent(t *testing.T) {
	const worlds = 300
	wrong := 0
	for seed := range uint64(worlds) {
		w := newWorld(3, 3)
		w.side, w.rng = 1, rand.New(rand.NewPCG(seed, 1)) // one process at a time, so that the seed determines everything
		w.tests[id(1, 2)].flaky = 0.5
		w.tests[id(2, 1)].sets = "x"
		w.tests[id(2, 2)].failsIf = "x"
		res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
		if res.kinds()[id(2, 2)] != Victim {
			t.Errorf("seed %d: the victim was not found", seed)
		}
		if len(res.Finds) > 1 {
			wrong++
		} else if d := cmp.Diff([]suite.TestID{id(1, 2)}, tests(res.Flaky)); d != "" {
			t.Errorf("seed %d: flaky: %s", seed, d)
		}
	}
	if wrong > worlds/32 {
		t.Errorf("a flaky test was called order-dependent in %d of %d worlds", wrong, worlds)
	}
}

func TestCrashesAreIsolated(t *testing.T) {
	w := newWorld(3, 3, 2)
	w.tests[id(1, 2)].crashes = true
	w.tests[id(2, 1)].sets = "x"
	w.tests[id(3, 1)].failsIf = "x"
	w.tests[id(3, 2)].exitsUnnoticed = true
	res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
	if d := cmp.Diff(map[suite.TestID]Kind{id(3, 1): Victim}, res.kinds()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]suite.TestID{id(1, 2), id(3, 2)}, tests(res.Left), sorted); d != "" {
		t.Error(d)
	}
	if !res.Exhausted {
		t.Error("not every order was run")
	}
}

// TestOneCrashIsForgiven checks that one crash is ignored if the test gives a result alone, and
// that two crashes are not.
func TestOneCrashIsForgiven(t *testing.T) {
	w := newWorld(3, 3)
	w.tests[id(1, 2)].crashesOnce = true
	w.tests[id(1, 2)].failsIf = "x"
	w.tests[id(2, 1)].sets = "x"
	w.tests[id(2, 3)].crashesIf = "x"
	res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
	if d := cmp.Diff(map[suite.TestID]Kind{id(1, 2): Victim}, res.kinds()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]suite.TestID{id(2, 3)}, tests(res.Left)); d != "" {
		t.Error(d)
	}
}

// TestAllCrash checks that a search ends soon with a result.
func TestAllCrash(t *testing.T) {
	w := newWorld(20, 20)
	for _, b := range w.tests {
		b.crashes = true
	}
	s := New(w, Input{Tests: w.suite.Order(), Stages: []Stage{w.stage(t, order.TechniqueIntraClass, order.Options{})}})
	defer s.Close()
	_, err := s.Run(t.Context(), farOff)
	if err == nil || !strings.Contains(err.Error(), "before any test had a result") {
		t.Errorf("got %v", err)
	}
	if w.runs > 20 {
		t.Errorf("%d processes were started", w.runs)
	}
}

// TestParallelFailuresAreNoOrder checks tests that fail while another process runs. They are stable
// one at a time, and do not depend on the order.
func TestParallelFailuresAreNoOrder(t *testing.T) {
	w := newWorld(3, 3)
	w.gate = make(chan struct{})
	w.tests[id(1, 2)].byCohort = true
	w.tests[id(2, 1)].sets = "x"
	w.tests[id(2, 2)].failsIf = "x"
	res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
	if d := cmp.Diff(map[suite.TestID]Kind{id(2, 2): Victim}, res.kinds()); d != "" {
		t.Error(d)
	}
	if !res.Sequential || len(res.Flaky) > 0 || len(res.Notes) == 0 {
		t.Errorf("%+v", res)
	}
}

func TestSkippedAndTinySuites(t *testing.T) {
	w := newWorld(1)
	if res := w.detect(t, w.stage(t, order.TechniqueIntraClass, order.Options{})); len(res.Finds) > 0 ||
		!res.Exhausted || res.Pairs.Of != 0 {
		t.Errorf("one test: %+v", res)
	}
	if res := w.search(t, Input{Tests: w.suite.Order(), Stages: []Stage{w.stage(t, order.TechniqueAlone, order.Options{})},
		Observed: &Observed{Later: true}}); res.Spent.Orders != 1 || res.Of != 1 {
		t.Errorf("one test, observed: %d of %d orders", res.Spent.Orders, res.Of)
	}
	w = newWorld(2)
	w.tests[id(1, 1)].skips = true
	if res := w.detect(t, w.stage(t, order.TechniqueAlone, order.Options{})); len(res.Finds)+len(res.Undecided) > 0 {
		t.Errorf("skipped: %+v", res)
	}
	s := New(w, Input{})
	if done, err := s.Run(t.Context(), farOff); err != nil || !done {
		t.Errorf("no test: %v, %v", done, err)
	}
}

// TestAloneTechniqueFindsBrittles checks that brittle tests are found without repeating a known
// result.
func TestAloneTechniqueFindsBrittles(t *testing.T) {
	w := newWorld(2, 2)
	w.tests[id(1, 1)].sets = "x"
	w.tests[id(2, 2)].failsUnless = "x"
	res := w.detect(t, w.stage(t, order.TechniqueAlone, order.Options{}))
	if d := cmp.Diff(map[suite.TestID]Kind{id(2, 2): Brittle}, res.kinds()); d != "" {
		t.Error(d)
	}
	if n := w.asked[suite.Order{id(2, 2)}.Key()]; n != DefaultRerun+2 {
		t.Errorf("the brittle ran alone %d times", n)
	}
}

// TestSlices checks that a search in several parts ends with the same result as one without a stop.
func TestSlices(t *testing.T) {
	w := newWorld(4, 4)
	w.tests[id(2, 1)].sets = "x"
	w.tests[id(1, 4)].failsIf = "x"
	stage := w.stage(t, order.TechniqueInterClass, order.Options{})
	s := New(w, Input{Tests: w.suite.Order(), Stages: []Stage{stage}})
	defer s.Close()
	done, rounds := false, 0
	for ; !done && rounds < 1000; rounds++ {
		ctx, cancel := context.WithCancel(t.Context())
		if rounds%3 == 1 {
			cancel()
		}
		w.mu.Lock()
		began := w.runs
		w.mu.Unlock()
		until := time.Now()
		if rounds%3 == 2 {
			until = farOff
			s.in.Progress = func(Progress) {
				w.mu.Lock()
				defer w.mu.Unlock()
				if w.runs > began+3 {
					cancel()
				}
			}
		}
		var err error
		if done, err = s.Run(ctx, until); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	res := s.Result()
	if !done || rounds < 4 || res.Pairs.Covered != res.Pairs.Of || res.kinds()[id(1, 4)] != Victim {
		t.Errorf("done %v after %d rounds: %+v", done, rounds, res)
	}
}

// TestRandomWorlds checks that orders that cover every pair find exactly the tests that pairs and
// runs alone can show.
func TestRandomWorlds(t *testing.T) {
	found := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 7))
		sizes := make([]int, 1+rng.IntN(4))
		for i := range sizes {
			sizes[i] = 1 + rng.IntN(5)
		}
		w := newWorld(sizes...)
		w.side = 1 + rng.IntN(3)
		for _, id := range w.suite.Order() {
			b, at := w.tests[id], string(rune('a'+rng.IntN(3)))
			switch rng.IntN(8) {
			case 0:
				b.sets = at
			case 1:
				b.clears = at
			case 2:
				b.failsIf = at
			case 3:
				b.failsUnless = at
			case 4:
				b.genuine = rng.IntN(3) == 0
			}
		}
		res := w.detect(t, w.stage(t, order.TechniqueAlone, order.Options{}), w.stage(t, order.TechniqueInterClass, order.Options{}))
		for _, id := range w.suite.Order() {
			passes, fails := w.truth(id)
			_, was := res.kinds()[id]
			if passes && fails {
				found++
			}
			if (passes && fails) != was && !(was && hidden(res, id)) {
				t.Errorf("seed %d: %s passes %v, fails %v, found %v", seed, id, passes, fails, was)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d order-dependent tests in all worlds", found)
	}
}

// hidden reports whether a find needs more than one test before it, which pairs do not show.
func hidden(res Result, id suite.TestID) bool {
	i := slices.IndexFunc(res.Finds, func(f Find) bool { return f.Test == id })
	return len(res.Finds[i].Failing.Order) > 2 || len(res.Finds[i].Passing.Order) > 2
}

// TestHundredThousand checks that 100,000 tests are searched within bounds, and that the result
// reports uncounted pairs.
func TestHundredThousand(t *testing.T) {
	sizes := make([]int, 1000)
	for i := range sizes {
		sizes[i] = 100
	}
	w := newWorld(sizes...)
	w.flat = true
	w.tests[id(900, 3)].sets = "x"
	w.tests[id(2, 5)].failsIf = "x"
	stages, _, err := Plan{Technique: Auto, Seed: 1}.Stages(w.suite)
	if err != nil {
		t.Fatal(err)
	}
	s := New(w, Input{Tests: w.suite.Order(), Stages: stages})
	defer s.Close()
	if _, err := s.Run(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.Run(t.Context(), time.Now().Add(time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
	res := s.Result()
	if res.kinds()[id(2, 5)] != Victim || res.Pairs.Of != 0 || len(res.Notes) == 0 {
		t.Errorf("%v, %+v, %v", res.kinds(), res.Pairs, res.Notes)
	}
}
