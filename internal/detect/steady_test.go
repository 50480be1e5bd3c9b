package detect

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// TestGoneWhenRepeated checks a test that is missing from any moment on, also before another
// suspect is confirmed. It neither stops the search nor prevents its end.
func TestGoneWhenRepeated(t *testing.T) {
	for after := 1; after <= 40; after++ {
		for side := 1; side <= 2; side++ {
			w := newWorld(3, 3)
			w.side, w.most = side, 2000
			w.tests[id(1, 1)].goneAfter = after
			w.tests[id(2, 1)].sets = "x"
			w.tests[id(2, 2)].failsIf = "x"
			w.tests[id(1, 3)].failsIf = "x"
			w.tests[id(1, 2)].flaky = 0.5
			res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
			if res.kinds()[id(2, 2)] != Victim || res.kinds()[id(1, 3)] != Victim {
				t.Errorf("gone after %d runs, %d at once: found %v, not certain %v", after, side, res.kinds(), res.Undecided)
			}
		}
	}
}

// TestThereAtTimes: a test that exists in some processes only is left out as soon as it is missing.
// Other tests are found all the same. If it was found before, a note says that it is missing.
func TestThereAtTimes(t *testing.T) {
	for seed := range uint64(100) {
		w := newWorld(3, 3, 2)
		w.rng, w.side, w.most = rand.New(rand.NewPCG(seed, 9)), 1+int(seed%3), 2000
		w.tests[id(2, 1)].sets = "x"
		w.tests[id(1, 2)].failsIf = "x"
		w.tests[id(3, 2)].failsUnless = "x"
		w.tests[id(1, 1)].goneAtTimes = 0.3
		w.tests[id(2, 3)].goneAtTimes = 0.05 // it is a victim as long as it exists
		w.tests[id(2, 3)].failsIf = "x"
		res := w.detect(t, w.stage(t, order.TechniqueAlone, order.Options{}), w.stage(t, order.TechniqueInterClass, order.Options{}))
		kinds := res.kinds()
		if kinds[id(1, 2)] != Victim || kinds[id(3, 2)] != Brittle || !slices.Contains(res.Missing, id(1, 1)) || !res.Exhausted {
			t.Errorf("seed %d: found %v, missing %v", seed, kinds, res.Missing)
		}
		_, found := kinds[id(2, 3)]
		missed := slices.Contains(res.Missing, id(2, 3))
		noted := slices.ContainsFunc(res.Notes, func(n string) bool { return strings.Contains(n, "did not exist later") })
		if !found && !missed || found && missed && !noted {
			t.Errorf("seed %d: found %v, missing %v, notes %q", seed, found, missed, res.Notes)
		}
	}
}

// TestFoundOnce checks that a find that ends its process once, at any moment, is reported once, and
// that a flaky test does not become a find.
func TestFoundOnce(t *testing.T) {
	for at := 1; at <= 60; at++ {
		w := newWorld(3, 3)
		w.side, w.rng = 1, rand.New(rand.NewPCG(uint64(at), 3))
		w.tests[id(2, 1)].sets = "x"
		w.tests[id(1, 1)].failsIf = "x"
		w.tests[id(1, 1)].crashesAt = at
		w.tests[id(2, 3)].failsIf = "x"
		res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
		if len(res.Finds) != 2 || len(res.kinds()) != 2 {
			t.Errorf("ended at run %d: %d finds of %d tests, left out %v", at, len(res.Finds), len(res.kinds()), res.Left)
		}
		if res.Spent.Orders > res.Of {
			t.Errorf("ended at run %d: %d of %d orders", at, res.Spent.Orders, res.Of)
		}
	}
}

// TestNoFindIsContradicted checks that all results of a find's order agree with the find.
func TestNoFindIsContradicted(t *testing.T) {
	for seed := range uint64(300) {
		w := newWorld(4, 4)
		w.side, w.rng = 1, rand.New(rand.NewPCG(seed, 5))
		for i := 1; i <= 3; i++ {
			w.tests[id(1, i)].flaky = 0.15 * float64(i)
		}
		w.tests[id(2, 1)].sets = "x"
		for i := 2; i <= 4; i++ {
			w.tests[id(2, i)].failsIf = "x"
		}
		res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
		for _, f := range res.Finds {
			if slices.Contains(tests(res.Flaky), f.Test) {
				t.Errorf("seed %d: %s is both found and flaky", seed, f.Test)
			}
			for _, s := range []Observation{f.Failing, f.Passing} {
				if said := w.said[s.Order.Key()]; said.mixed() {
					t.Errorf("seed %d: %s was found by an order in which it both passed and failed (%s), from %s",
						seed, f.Test, said, s.Source)
				}
			}
		}
	}
}

// TestAFewThatEndTheirProcess checks that a search does not give up because a few tests end their
// process one after the other.
func TestAFewThatEndTheirProcess(t *testing.T) {
	w := newWorld(3, 8)
	for i := 1; i <= 7; i++ {
		w.tests[id(2, i)].crashesUnless = "x"
	}
	w.tests[id(1, 3)].sets = "x"
	w.tests[id(2, 8)].failsUnless = "x"
	res := w.detect(t, w.stage(t, order.TechniqueAlone, order.Options{}))
	if len(res.Left) != 7 || res.kinds()[id(2, 8)] != Brittle {
		t.Errorf("%v, left out %v", res.kinds(), res.Left)
	}
}

// TestParallelFailuresWithdrawFinds checks that finds of parallel processes are checked again after
// parallel results turned out to be wrong.
func TestParallelFailuresWithdrawFinds(t *testing.T) {
	w := newWorld(3, 3)
	w.gate = make(chan struct{})
	w.tests[id(1, 1)].besideNotFirst = true // passes alone, and fails in orders while others run at the same time
	w.tests[id(1, 3)].besideAfter = 20      // shows that parallel processes affect it
	w.tests[id(2, 1)].sets = "x"
	w.tests[id(2, 2)].failsIf = "x"
	w.tests[id(2, 3)].failsUnless = "x"
	found := false // almost always; the scheduler may show the effect of parallel processes earlier
	res := w.search(t, Input{
		Tests:    w.suite.Order(),
		Stages:   []Stage{w.stage(t, order.TechniqueReverse, order.Options{}), w.stage(t, order.TechniqueInterClass, order.Options{})},
		Progress: func(p Progress) { found = found || p.Latest == id(1, 1) },
	})
	if d := cmp.Diff(map[suite.TestID]Kind{id(2, 2): Victim, id(2, 3): Brittle}, res.kinds()); d != "" {
		t.Error(d)
	}
	if !res.Sequential || len(res.Flaky)+len(res.Undecided) > 0 {
		t.Errorf("%+v", res)
	}
	if found && !slices.ContainsFunc(res.Notes, func(n string) bool {
		return n == string(id(1, 1))+" seemed order-dependent, but a later run contradicts this"
	}) {
		t.Errorf("nothing was taken back: %q", res.Notes)
	}
}

// TestUnrulyRunners checks that a class is left out if its runner runs other tests than requested,
// and that other tests run.
func TestUnrulyRunners(t *testing.T) {
	w := newWorld(1)
	w.suite = &suite.Suite{Root: &suite.Node{Children: []*suite.Node{
		{Name: "A", Children: []*suite.Node{{Name: "1", Test: "A#1"}, {Name: "2", Test: "A#2"}}},
		{Name: "B", Children: []*suite.Node{{Name: "1", Test: "B#1"}, {Name: "2", Test: "B#2"}}},
	}}}
	w.tests = map[suite.TestID]*behaviour{"A#1": {unruly: true}, "A#2": {}, "B#1": {sets: "x"}, "B#2": {failsIf: "x"}}
	res := w.detect(t, w.stage(t, order.TechniqueAlone, order.Options{}), w.stage(t, order.TechniqueInterClass, order.Options{}))
	if res.kinds()["B#2"] != Victim {
		t.Errorf("%v", res.kinds())
	}
	if len(res.Left) == 0 || !strings.Contains(res.Left[0].Why, "was not to run") {
		t.Errorf("left out: %+v", res.Left)
	}
}
