package state

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

// tell is a trace of an order, with the places p0, p1, …
func tell(o suite.Order, places int, segments ...Segment) *Trace {
	t := NewTrace(o)
	for i := range places {
		t.Place(fmt.Sprintf("p%d", i), false)
	}
	for _, s := range segments {
		t.Segment(s)
	}
	return t
}

func changes(place int, before, after int64) []Value {
	return []Value{{Place: place, Before: before, After: after}}
}

func list(pairs iter.Seq2[suite.TestID, suite.TestID]) []string {
	var out []string
	for p, v := range pairs {
		out = append(out, string(p)+" "+string(v))
	}
	return out
}

func wantPairs(t *testing.T, what string, got iter.Seq2[suite.TestID, suite.TestID], want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, list(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

var abc = suite.Order{"A#a", "B#b", "C#c"}

// The strongest pairs come first, and each only once.
func TestStrengths(t *testing.T) {
	r := Relate(tell(abc, 4,
		Segment{Kind: 't', Position: 0, Read: []int{0, 1, 2}, Written: []int{0, 1}, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 1, Read: []int{0, 3}},
		Segment{Kind: 't', Position: 2, Read: []int{1, 2, 3}, InitRead: []int{0}, InitWrite: []int{3}},
	))
	wantPairs(t, "changed", r.Tier(Changed), "A#a B#b")
	// c's class was initialised with what a leaves changed; place 1 was put by a, and is as before.
	wantPairs(t, "written", r.Tier(Written), "A#a C#c")
	// Place 2 is read by two and written by nobody; so is 3, apart from an initialiser.
	wantPairs(t, "touched", r.Tier(Touched), "B#b A#a", "C#c A#a")
	wantPairs(t, "all", r.Pairs(Ambient), "A#a B#b", "A#a C#c", "B#b A#a", "C#c A#a")
	if diff := cmp.Diff(map[Strength]int{Changed: 1, Written: 1, Touched: 2}, r.Count()); diff != "" {
		t.Errorf("count (-want +got):\n%s", diff)
	}
	if s, names := r.Why("A#a", "B#b"); s != Changed || !slices.Equal(names, []string{"p0"}) {
		t.Errorf("why: %v %v", s, names)
	}
	if s, names := r.Why("B#b", "C#c"); s != strengths || names != nil {
		t.Errorf("why nothing: %v %v", s, names)
	}
}

// What cannot be seen counts as written, for every segment that it may have happened in.
func TestUnsure(t *testing.T) {
	r := Relate(tell(abc, 2,
		Segment{Kind: 't', Position: 0, Read: []int{0}, Values: []Value{{Place: 0, Unsure: true}}},
		Segment{Kind: 't', Position: 1, Read: []int{0, 1}},
		Segment{Kind: 't', Position: 2, Read: []int{1}, Values: []Value{{Place: 1, Before: 1, After: 2, Behind: 1}}},
	))
	wantPairs(t, "changed", r.Tier(Changed), "C#c B#b")
	wantPairs(t, "written", r.Tier(Written), "A#a B#b", "B#b C#c")
}

// Setup and teardown count for all tests of their class; what they change and put back is no change.
func TestAroundAClass(t *testing.T) {
	o := suite.Order{"A#1", "A#2", "B#1", "B#2", "C#1"}
	r := Relate(tell(o, 2,
		Segment{Kind: 'b', Position: 0, Read: []int{0}, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 0},
		Segment{Kind: 't', Position: 1},
		Segment{Kind: 'a', Position: 1, Values: changes(0, 2, 1)},
		Segment{Kind: 'b', Position: 2, Values: changes(0, 1, 3)},
		Segment{Kind: 't', Position: 2, Read: []int{1}},
		Segment{Kind: 'b', Position: 3, Values: changes(1, 1, 2)}, // a constructor
		Segment{Kind: 't', Position: 3, Read: []int{1}},
		Segment{Kind: 'b', Position: 4, Read: []int{0}},
		Segment{Kind: 't', Position: 4},
	))
	wantPairs(t, "changed", r.Tier(Changed), "B#2 B#1",
		"B#1 A#1", "B#1 A#2", "B#1 C#1", "B#2 A#1", "B#2 A#2", "B#2 C#1")
}

// Tests that come in turns (a parameterised class) stay one visit.
func TestTurns(t *testing.T) {
	o := suite.Order{"A#1", "A#2", "B#1"}
	r := Relate(tell(o, 1,
		Segment{Kind: 'b', Position: 0, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 0}, Segment{Kind: 't', Position: 1},
		Segment{Kind: 't', Position: 0}, Segment{Kind: 't', Position: 1},
		Segment{Kind: 'a', Position: 1, Values: changes(0, 2, 1)},
		Segment{Kind: 't', Position: 2, Read: []int{0}},
	))
	wantPairs(t, "changed", r.Tier(Changed))
}

// Anybody may read the default locale unseen.
func TestAmbient(t *testing.T) {
	tr := NewTrace(abc)
	tr.Place("locale", true)
	tr.Segment(Segment{Kind: 't', Position: 0, Values: changes(0, 1, 2)})
	tr.Segment(Segment{Kind: 't', Position: 1})
	tr.Segment(Segment{Kind: 't', Position: 2, Read: []int{0}})
	r := Relate(tr)
	wantPairs(t, "changed", r.Tier(Changed), "A#a C#c")
	wantPairs(t, "ambient", r.Tier(Ambient), "A#a B#b")
}

func TestLeaning(t *testing.T) {
	r := Relate(tell(abc, 2,
		Segment{Kind: 't', Position: 0, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 1, Read: []int{0}, Values: changes(1, 1, 2)},
		Segment{Kind: 't', Position: 2, Read: []int{0, 1}},
	))
	if diff := cmp.Diff([]suite.TestID{"B#b", "C#c"}, r.Leaning()); diff != "" {
		t.Errorf("leaning (-want +got):\n%s", diff)
	}
}

// Two traces of one suite: places are one by name, but for classes that one process loaded twice.
func TestRelateSeveral(t *testing.T) {
	a := tell(suite.Order{"A#a"}, 2, Segment{Kind: 't', Position: 0, Values: changes(1, 1, 2)})
	b := tell(suite.Order{"B#b"}, 2, Segment{Kind: 't', Position: 0, Read: []int{1}})
	r := Relate(a, b)
	wantPairs(t, "changed", r.Tier(Changed), "A#a B#b")
	r.Apart = true
	wantPairs(t, "apart", r.Pairs(Ambient))

	twice := NewTrace(suite.Order{"A#a", "B#b"})
	twice.Place("p", false)
	twice.Place("p", false)
	twice.Segment(Segment{Kind: 't', Position: 0, Values: changes(0, 1, 2)})
	twice.Segment(Segment{Kind: 't', Position: 1, Read: []int{1}})
	wantPairs(t, "loaded twice", Relate(twice).Pairs(Ambient))
}

// TestPairsAgainstDefinition compares with the definition, taken literally, on random relations.
func TestPairsAgainstDefinition(t *testing.T) {
	for seed := range 50 {
		r := random(seed)
		got := map[string]Strength{}
		for s := Changed; s < strengths; s++ {
			for p, v := range r.Tier(s) {
				key := string(p) + " " + string(v)
				if _, twice := got[key]; twice {
					t.Fatalf("seed %d: %s came twice", seed, key)
				}
				got[key] = s
			}
		}
		want := map[string]Strength{}
		for i, p := range r.Tests {
			for j, v := range r.Tests {
				if s := strongest(r, i, j); i != j && s < strengths {
					want[string(p)+" "+string(v)] = s
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

func strongest(r *Relation, p, v int) Strength {
	best := strengths
	for i := range r.Places {
		pl := &r.Places[i]
		touch := func(x int) bool { return union(pl.Read, pl.Written, pl.Changed, pl.Unsure).has(x) }
		writes := union(pl.Changed, pl.Written, pl.Unsure)
		switch {
		case pl.Changed.has(p) && pl.Read.has(v):
			best = min(best, Changed)
		case writes.has(p) && (pl.Read.has(v) || pl.First.has(v)):
			best = min(best, Written)
		case !writes.empty() && touch(p) && touch(v):
			best = min(best, Touched)
		case pl.Ambient && pl.Changed.has(p):
			best = min(best, Ambient)
		}
	}
	return best
}
