package order

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestSparse checks that orders with tests left out reach the same pairs as whole orders, that
// every test in them is needed, and that groups stay contiguous.
func TestSparse(t *testing.T) {
	whole, left := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 9))
		s := randomSuite(rng, 1+rng.IntN(3), 6, seed%2 == 0)
		tr, err := newTree(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		flows := someFlows(rng, s)
		schedule, err := New(s, TechniqueReach, Options{Flows: slices.Values(flows), Sparse: true})
		if err != nil {
			t.Fatal(err)
		}
		wanted := wantedOf(flows)
		for o := range schedule.Orders {
			whole, left = whole+len(s.Order()), left+len(s.Order())-len(o)
			news := 0
			needed := map[suite.TestID]bool{}
			for m := range meets(flows, o) {
				if wanted[m] {
					delete(wanted, m)
					needed[m.p], needed[m.v], news = true, true, news+1
				}
			}
			for _, x := range o {
				if !needed[x] {
					t.Fatalf("seed %d: %s is in %v for nothing", seed, x, o)
				}
			}
			if !inOnePiece(tr, o) {
				t.Fatalf("seed %d: a group is interrupted: %v", seed, o)
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
	if 4*left < whole {
		t.Errorf("of %d tests in whole orders %d were left out", whole, left)
	}
}

// wantedOf returns the pairs that flows ask for, with and without tests between.
func wantedOf(flows []Flow) map[met]bool {
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
	return wanted
}

// inOnePiece checks that the tests of each outermost group are contiguous in an order.
func inOnePiece(t *tree, o suite.Order) bool {
	numbers, last := t.numbers(), -1
	gone := map[int]bool{}
	for _, id := range o {
		c := t.root.childAt(numbers[id])
		if c != last && gone[c] {
			return false
		}
		gone[c], last = true, c
	}
	return true
}

// TestSettled checks that a settled test is no longer reached, and that its state still reaches
// other tests.
func TestSettled(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 13))
		s := randomSuite(rng, 2, 6, true)
		flows := someFlows(rng, s)
		settled := map[suite.TestID]bool{}
		o := Options{Flows: slices.Values(flows), Sparse: true, Settled: func(x suite.TestID) bool { return settled[x] }}
		schedule, err := New(s, TechniqueReach, o)
		if err != nil {
			t.Fatal(err)
		}
		wanted := wantedOf(flows)
		for o := range schedule.Orders {
			useful := map[suite.TestID]bool{}
			for m := range meets(flows, o) {
				if wanted[m] && !settled[m.v] {
					delete(wanted, m)
					useful[m.v], useful[m.p] = true, true
				}
			}
			for _, x := range o {
				if !useful[x] {
					t.Fatalf("seed %d: %s runs although it is settled or met all: %v", seed, x, o)
				}
			}
			for _, x := range o { // results arrive between orders, as in a search
				settled[x] = settled[x] || rng.IntN(4) == 0
			}
		}
	}
}
