package order

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// someFlows chooses random writers, and relates them to other tests.
func someFlows(rng *rand.Rand, s *suite.Suite) []Flow {
	var flows []Flow
	for range 1 + rng.IntN(3) {
		var f Flow
		for _, t := range s.Order() {
			if rng.IntN(3) == 0 {
				f.Writers = append(f.Writers, t)
			}
			if rng.IntN(3) == 0 {
				f.Readers = append(f.Readers, t)
			}
			if rng.IntN(6) == 0 {
				f.Bare = append(f.Bare, t)
			}
		}
		f.Pairs = somePairs(rng, s, 0.3)
		for _, w := range f.Writers {
			if rng.IntN(2) == 0 {
				f.Leaders = append(f.Leaders, w)
			}
		}
		flows = append(flows, f)
	}
	return flows
}

type met struct {
	flow   int
	p, v   suite.TestID // p is empty for bare
	strict bool         // no test between them uses the state
}

// meets computes from the definition which tests run with the state of which writers.
func meets(flows []Flow, o suite.Order) map[met]bool {
	out := map[met]bool{}
	for i, f := range flows {
		for at, v := range o {
			before := func(who []suite.TestID) suite.TestID {
				for k := at - 1; k >= 0; k-- {
					if slices.Contains(who, o[k]) {
						return o[k]
					}
				}
				return ""
			}
			out[met{i, before(f.Writers), v, false}] = true
			out[met{i, before(slices.Concat(f.Writers, f.Readers)), v, true}] = true
		}
	}
	return out
}

// TestReach checks that every pair that can be neighbours is reached, by orders of the suite, and
// that each order reaches a new pair.
func TestReach(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		s := randomSuite(rng, 1+rng.IntN(3), 6, seed%2 == 0)
		tr, err := newTree(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		flows := someFlows(rng, s)
		schedule, err := New(s, TechniqueReach, Options{Flows: slices.Values(flows)})
		if err != nil {
			t.Fatal(err)
		}
		wanted := map[met]bool{}
		for i, f := range flows {
			for p, v := range f.Pairs {
				if slices.Contains(f.Writers, p) {
					wanted[met{i, p, v, false}], wanted[met{i, p, v, true}] = true, true
				}
			}
			for _, v := range f.Bare {
				wanted[met{flow: i, v: v}] = true
			}
		}
		check, err := NewChecker(s, Options{}, Groups)
		if err != nil {
			t.Fatal(err)
		}
		for o := range schedule.Orders {
			if err := check.Add(o); err != nil {
				t.Fatal(err)
			}
			before := len(wanted)
			for m := range meets(flows, o) {
				delete(wanted, m)
			}
			if len(wanted) == before {
				t.Fatalf("seed %d: an order reaches nobody new: %v", seed, o)
			}
		}
		numbers := tr.numbers()
		for m := range wanted {
			first := m.p == "" && slices.Contains(tr.root.firsts, numbers[m.v])
			if first || m.p != "" && tr.canFollow(numbers[m.p], numbers[m.v]) {
				t.Fatalf("seed %d: %q never runs before %q", seed, m.p, m.v)
			}
		}
	}
}

// TestReachMany checks that one order brings the state of a polluter to all its victims, and that
// another order shows the tests that need an earlier test.
func TestReachMany(t *testing.T) {
	s, err := Sizes(5, 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	var victims Pairs = func(yield func(p, v suite.TestID) bool) {
		for _, v := range s.Order() {
			if v != "g1.t3" && !yield("g1.t3", v) {
				return
			}
		}
	}
	schedule, err := New(s, TechniqueReach, Options{Flows: iter.Seq[Flow](func(yield func(Flow) bool) {
		yield(Flow{Writers: []suite.TestID{"g1.t3", "g2.t2"}, Pairs: victims, Leaders: []suite.TestID{"g1.t3"},
			Bare: []suite.TestID{"g1.t1", "g3.t1"}})
	})})
	if err != nil {
		t.Fatal(err)
	}
	var got []suite.Order
	for o := range schedule.Orders {
		got = append(got, o)
	}
	if len(got) > 5 {
		t.Errorf("%d orders: %v", len(got), got)
	}
	if _, err := New(s, TechniqueReach, Options{}); err == nil {
		t.Error("nothing to reach was taken")
	}
}

func TestLimited(t *testing.T) {
	pairs := func(n int) Pairs {
		var out [][2]suite.TestID
		for i := range n {
			out = append(out, [2]suite.TestID{"p", suite.TestID(fmt.Sprint(i))})
		}
		return Relation(out)
	}
	flows := []Flow{{Pairs: pairs(3)}, {Pairs: pairs(0), Bare: []suite.TestID{"b"}}, {Pairs: pairs(4)}, {Pairs: pairs(1)}}
	for limit, want := range map[int]string{1: "[1]", 3: "[3]", 5: "[3 0 2]", 7: "[3 0 4]", 8: "[3 0 4 1]", 100: "[3 0 4 1]"} {
		var got []int
		for f := range Limited(slices.Values(flows), limit) {
			n := 0
			for range f.Pairs {
				n++
			}
			got = append(got, n)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("of %d: %v, not %s", limit, got, want)
		}
	}
}

// TestReachPastTidyingTests has tests that restore polluted state without being observed as
// writers. The first few orders show nearly all victims nevertheless.
func TestReachPastTidyingTests(t *testing.T) {
	s, err := Sizes(6, 6, 6, 6, 6, 6, 6, 6)
	if err != nil {
		t.Fatal(err)
	}
	writers := []suite.TestID{"g1.t6", "g3.t2", "g5.t4"}
	tidy := []suite.TestID{"g4.t1", "g7.t3", "g2.t2"}
	polluters := map[suite.TestID][]suite.TestID{}
	for _, w := range writers {
		polluters[w] = tidy
	}
	flow := Flow{Writers: writers, Leaders: writers}
	var known []Dependency
	for _, v := range s.Order() {
		if !slices.Contains(writers, v) {
			flow.Readers = append(flow.Readers, v)
		}
		if !slices.Contains(writers, v) && !slices.Contains(tidy, v) {
			known = append(known, Dependency{Test: v, Polluters: polluters})
		}
	}
	flow.Pairs = func(yield func(p, v suite.TestID) bool) {
		for _, p := range writers {
			for _, v := range flow.Readers {
				if !yield(p, v) {
					return
				}
			}
		}
	}
	schedule, err := New(s, TechniqueReach, Options{Flows: slices.Values([]Flow{flow})})
	if err != nil {
		t.Fatal(err)
	}
	soon := 0
	for _, f := range Finds(schedule.Orders, known) {
		if f.Orders <= 4 {
			soon++
		}
	}
	if 100*soon < 90*len(known) {
		t.Errorf("%d of %d victims by the fourth order", soon, len(known))
	}
}

// TestReachWork checks that at least two starts are compared for any number of tests and flows. It
// also checks that the number of compared starts is bounded, and that small suites compare all
// starts.
func TestReachWork(t *testing.T) {
	for _, c := range []struct{ tests, flows, ahead int }{
		{10, 1, maxWindow}, {1220, 104, 132}, {100_000, 50, 3}, {1_000_000, 1000, 2}, {5, 0, maxWindow},
	} {
		r := &reacher{t: &tree{ids: make([]suite.TestID, c.tests)}, flows: make([]*flow, c.flows)}
		if got := r.ahead(); got != c.ahead {
			t.Errorf("%d starts are compared of %d tests with %d flows, not %d", got, c.tests, c.flows, c.ahead)
		}
	}
}

// TestReachOfMany checks that 20,000 tests with 200 flows give a valid order, although not all
// starts can be compared.
func TestReachOfMany(t *testing.T) {
	s, err := Sizes(slices.Repeat([]int{20}, 1000)...)
	if err != nil {
		t.Fatal(err)
	}
	tests := s.Order()
	flows := func(yield func(Flow) bool) {
		for i := range 200 {
			w := tests[i*97]
			readers := tests[i*50 : i*50+40]
			f := Flow{Writers: []suite.TestID{w}, Leaders: []suite.TestID{w}, Readers: readers,
				Pairs: func(yield func(p, v suite.TestID) bool) {
					for _, v := range readers {
						if v != w && !yield(w, v) {
							return
						}
					}
				}}
			if !yield(f) {
				return
			}
		}
	}
	schedule, err := New(s, TechniqueReach, Options{Flows: flows})
	if err != nil {
		t.Fatal(err)
	}
	check, err := NewChecker(s, Options{}, Groups)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for o := range schedule.Orders {
		if err := check.Add(o); err != nil {
			t.Fatal(err)
		}
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d orders", n)
	}
}

func pairsOf(p suite.TestID, readers []suite.TestID) Pairs {
	return func(yield func(p, v suite.TestID) bool) {
		for _, v := range readers {
			if v != p && !yield(p, v) {
				return
			}
		}
	}
}
