package state

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

// traced returns a trace of an order, with the fields p0, p1, …
func traced(o suite.Order, fields int, segments ...Segment) *Trace {
	t := NewTrace(o, groups)
	for i := range fields {
		t.Field(fmt.Sprintf("p%d", i), false)
	}
	for _, s := range segments {
		t.Segment(s)
	}
	return t
}

func changes(field int, before, after int64) []Value {
	return []Value{{Field: field, Before: before, After: after}}
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

// The strongest pairs come first, each only once.
func TestStrengths(t *testing.T) {
	r := Relate(traced(abc, 4,
		Segment{Kind: 't', Position: 0, Read: []int{0, 2}},
		Segment{Kind: 't', Position: 1, Read: []int{1, 3}, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 2, Read: []int{2, 3}, Written: []int{1}, InitRead: []int{0}, InitWrite: []int{3}},
	))
	// a found field 0 in the same state as before b.
	wantPairs(t, "changed", r.Tier(Changed), "B#b A#a")
	wantPairs(t, "written", r.Tier(Written))
	// c writes field 1, which then holds what b found. Fields 2 and 3 are written only by an
	// initialiser.
	wantPairs(t, "touched", r.Tier(Touched), "A#a B#b", "B#b C#c", "C#c B#b")
	wantPairs(t, "all", r.Pairs(Ambient), "B#b A#a", "A#a B#b", "B#b C#c", "C#c B#b")
	if diff := cmp.Diff(map[Strength]int{Changed: 1, Touched: 3}, r.Count()); diff != "" {
		t.Errorf("count (-want +got):\n%s", diff)
	}
	if s, names := r.Why(suite.Order{"B#b"}, "A#a"); s != Changed || !slices.Equal(names, []string{"p0"}) {
		t.Errorf("why: %v %v", s, names)
	}
	if s, names := r.Why(suite.Order{"A#a"}, "C#c"); s != strengths || names != nil {
		t.Errorf("why nothing: %v %v", s, names)
	}
}

// The value that v found does not harm it. Values that other tests leave count. A test that leaves
// a value another test left before is as suspect as that test.
func TestLeftAndFound(t *testing.T) {
	o := suite.Order{"A#before", "B#sets", "C#after", "D#setsAgain", "E#resets", "F#clean"}
	r := Relate(traced(o, 1,
		Segment{Kind: 't', Position: 0, Read: []int{0}},
		Segment{Kind: 't', Position: 1, Written: []int{0}, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 2, Read: []int{0}},
		Segment{Kind: 't', Position: 3, Written: []int{0}},
		Segment{Kind: 't', Position: 4, Written: []int{0}, Values: changes(0, 2, 1)},
		Segment{Kind: 't', Position: 5, Read: []int{0}},
	))
	wantPairs(t, "changed", r.Tier(Changed), "B#sets A#before", "B#sets F#clean", "D#setsAgain A#before", "D#setsAgain F#clean",
		"E#resets C#after")
	if diff := cmp.Diff([]suite.TestID{"C#after"}, r.MaybeBrittle()); diff != "" {
		t.Errorf("maybeBrittle (-want +got):\n%s", diff)
	}
	for f := range r.Flows(Written) {
		wantPairs(t, "flow", f.Pairs, list(r.Tier(Changed))...)
		if !slices.Equal(f.Writers, []suite.TestID{"B#sets", "D#setsAgain", "E#resets"}) ||
			!slices.Equal(f.Bare, []suite.TestID{"C#after"}) {
			t.Errorf("writers %v, bare %v", f.Writers, f.Bare)
		}
	}
}

// A test that fails in the observed run may fail because of the value that it found, so that value
// is no evidence.
func TestFailed(t *testing.T) {
	tr := traced(abc, 1,
		Segment{Kind: 't', Position: 0, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 1, Read: []int{0}},
		Segment{Kind: 't', Position: 2, Read: []int{0}},
	)
	tr.Failed(1)
	r := Relate(tr)
	wantPairs(t, "changed", r.Tier(Changed), "A#a B#b")
	text, err := r.File()
	if err != nil {
		t.Fatal(err)
	}
	if r, err = Parse(text, groups); err != nil {
		t.Fatal(err)
	}
	wantPairs(t, "changed, from the file", r.Tier(Changed), "A#a B#b")
}

// The test that needs a class first counts as a reader of what the class's initialiser reads, and
// not as a writer of what it writes.
func TestInitialisers(t *testing.T) {
	o := suite.Order{"A#a", "B#b", "C#c", "D#puts", "E#setUp"}
	r := Relate(traced(o, 1,
		Segment{Kind: 'b', Position: 0, InitRead: []int{0}},
		Segment{Kind: 't', Position: 1, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 2},
		Segment{Kind: 't', Position: 3, InitWrite: []int{0}},
		Segment{Kind: 'b', Position: 4, InitWrite: []int{0}},
	))
	wantPairs(t, "changed", r.Tier(Changed))
	wantPairs(t, "written", r.Tier(Written), "B#b A#a")
	if got := r.MaybeBrittle(); len(got) > 0 {
		t.Errorf("maybeBrittle: %v", got)
	}
}

// A change by an initialiser is not attributed to another test, however many segments were
// unobserved.
func TestInitialiserThatChanges(t *testing.T) {
	r := Relate(traced(abc, 1,
		Segment{Kind: 't', Position: 0},
		Segment{Kind: 't', Position: 1, InitWrite: []int{0}, Values: []Value{{Field: 0, Before: 1, After: 2, Behind: 1}}},
		Segment{Kind: 't', Position: 2, Read: []int{0}},
	))
	if got := r.Leaves(suite.Order{"A#a"}); len(got) > 0 {
		t.Errorf("the test before leaves %v", got)
	}
	if got := r.Leaves(suite.Order{"B#b"}); !slices.Equal(got, []string{"p0"}) {
		t.Errorf("the test that initialises leaves %v", got)
	}
}

// TestWriters: those of several tests that leave a field changed. A test that writes the same value again, and
// one that restores it, leave nothing.
func TestWriters(t *testing.T) {
	o := suite.Order{"A#a", "B#b", "C#c", "D#d", "E#e"}
	r := Relate(traced(o, 2,
		Segment{Kind: 't', Position: 0, Read: []int{0}},
		Segment{Kind: 't', Position: 1, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 2, Written: []int{0}, Read: []int{1}},
		Segment{Kind: 't', Position: 3, Values: changes(1, 1, 2)},
		Segment{Kind: 'b', Position: 4, Values: changes(0, 2, 3)},
	))
	for _, c := range []struct {
		fields      []string
		tests, want suite.Order
	}{
		{[]string{"p0"}, suite.Order{"B#b", "C#c"}, suite.Order{"B#b"}},
		{[]string{"p0"}, suite.Order{"A#a", "C#c", "D#d"}, nil},
		{[]string{"p0", "p1"}, suite.Order{"D#d", "B#b", "C#c"}, suite.Order{"D#d", "B#b"}},
		{[]string{"p0"}, suite.Order{"E#e"}, suite.Order{"E#e"}}, // its setup
		{nil, o, nil},
		{[]string{"p0"}, suite.Order{"X#x"}, nil},
	} {
		if got := r.Writers(c.fields, c.tests); !slices.Equal(got, c.want) {
			t.Errorf("%v of %v: %v", c.fields, c.tests, got)
		}
	}
}

// Unobservable contents count as written, in every segment in which that may have happened.
func TestUnsure(t *testing.T) {
	r := Relate(traced(abc, 2,
		Segment{Kind: 't', Position: 0, Read: []int{0, 1}, Values: []Value{{Field: 0, Unsure: true}}},
		Segment{Kind: 't', Position: 1, Read: []int{0}},
		Segment{Kind: 't', Position: 2, Read: []int{1}, Values: []Value{{Field: 1, Before: 1, After: 2, Behind: 1}}},
	))
	wantPairs(t, "changed", r.Tier(Changed), "C#c A#a")
	wantPairs(t, "written", r.Tier(Written), "A#a B#b", "B#b A#a", "B#b C#c")
}

// Setup and teardown count for all tests of their class, towards tests of other classes. A change
// that they restore does not count.
func TestAroundAClass(t *testing.T) {
	o := suite.Order{"A#1", "A#2", "B#1", "B#2", "C#1"}
	r := Relate(traced(o, 1,
		Segment{Kind: 'b', Position: 0, Read: []int{0}, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 0},
		Segment{Kind: 't', Position: 1, Read: []int{0}},
		Segment{Kind: 'a', Position: 1, Values: changes(0, 2, 1)},
		Segment{Kind: 'b', Position: 2, Values: changes(0, 1, 3)},
		Segment{Kind: 't', Position: 2},
		Segment{Kind: 't', Position: 3},
		Segment{Kind: 'b', Position: 4, Read: []int{0}},
		Segment{Kind: 't', Position: 4},
	))
	// C#1 found the same value.
	wantPairs(t, "changed", r.Tier(Changed), "B#1 A#1", "B#1 A#2", "B#2 A#1", "B#2 A#2")
}

// The code between two tests of a class is the second one's constructor, or the setup of a nested
// class.
func TestInTheMiddleOfAClass(t *testing.T) {
	o := suite.Order{"A#1", "A#2", "A$N#3", "A$N#4"}
	r := Relate(traced(o, 2,
		Segment{Kind: 't', Position: 0},
		Segment{Kind: 'b', Position: 1, Read: []int{1}, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 1},
		Segment{Kind: 'b', Position: 2, Read: []int{0}},
		Segment{Kind: 't', Position: 2},
		Segment{Kind: 't', Position: 3, Values: changes(1, 1, 2)},
	))
	wantPairs(t, "changed", r.Tier(Changed), "A$N#4 A#2")
	wantPairs(t, "touched", r.Tier(Touched), "A#2 A$N#4", "A#2 A$N#3", "A$N#3 A#2", "A$N#3 A$N#4", "A$N#4 A$N#3")
}

// Tests that alternate (in a parameterised class) are one visit.
func TestTurns(t *testing.T) {
	o := suite.Order{"A#1", "A#2", "B#1"}
	r := Relate(traced(o, 1,
		Segment{Kind: 'b', Position: 0, Values: changes(0, 1, 2)},
		Segment{Kind: 't', Position: 0}, Segment{Kind: 't', Position: 1},
		Segment{Kind: 't', Position: 0}, Segment{Kind: 't', Position: 1},
		Segment{Kind: 'a', Position: 1, Values: changes(0, 2, 1)},
		Segment{Kind: 't', Position: 2, Read: []int{0}},
	))
	wantPairs(t, "changed", r.Tier(Changed))
}

// Any test may read the default locale unobserved.
func TestAmbient(t *testing.T) {
	tr := NewTrace(abc, groups)
	tr.Field("locale", true)
	tr.Segment(Segment{Kind: 't', Position: 0, Read: []int{0}})
	tr.Segment(Segment{Kind: 't', Position: 1})
	tr.Segment(Segment{Kind: 't', Position: 2, Values: changes(0, 1, 2)})
	r := Relate(tr)
	wantPairs(t, "changed", r.Tier(Changed), "C#c A#a")
	wantPairs(t, "ambient", r.Tier(Ambient), "C#c B#b")
}

// In two traces of one suite, fields with the same name are one field, except in a class that one
// process loaded twice.
func TestRelateSeveral(t *testing.T) {
	a := traced(suite.Order{"A#a"}, 2, Segment{Kind: 't', Position: 0, Values: changes(1, 1, 2)})
	b := traced(suite.Order{"B#b"}, 2, Segment{Kind: 't', Position: 0, Read: []int{1}})
	r := Relate(a, b)
	wantPairs(t, "changed", r.Tier(Changed), "A#a B#b")
	r.Apart = true
	wantPairs(t, "apart", r.Pairs(Ambient))

	twice := NewTrace(suite.Order{"A#a", "B#b"}, groups)
	twice.Field("p", false)
	twice.Field("p", false)
	twice.Segment(Segment{Kind: 't', Position: 0, Read: []int{1}})
	twice.Segment(Segment{Kind: 't', Position: 1, Values: changes(0, 1, 2)})
	wantPairs(t, "loaded twice", Relate(twice).Pairs(Ambient))
}

// TestPairsAgainstDefinition compares the pairs with a literal implementation of the definition, on
// random relations.
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
		for f := range r.Flows(Written) {
			for p, v := range f.Pairs {
				if s, ok := got[string(p)+" "+string(v)]; !ok || s > Written || !slices.Contains(f.Writers, p) {
					t.Fatalf("seed %d: %s %s flows, and is no such pair (%v)", seed, p, v, s)
				}
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

// strongest implements the definition in docs/orders.md, field by field.
func strongest(r *Relation, p, v int) Strength {
	best := strengths
	for i := range r.Fields {
		pl := &r.Fields[i]
		same := r.class[p] == r.class[v]
		of := func(x int, what func(*Doing) set) bool {
			return what(&pl.Tests).has(x) || !same && what(&pl.Around).has(x)
		}
		changed := func(d *Doing) set { return d.Changed }
		read := func(d *Doing) set { return d.Read }
		s := strengths
		switch {
		case of(p, (*Doing).puts) && of(v, read) && !harmless(r, pl, p, v, (*Doing).puts):
			s = Changed
		case of(p, (*Doing).writes) && of(v, (*Doing).reads) && !harmless(r, pl, p, v, (*Doing).writes):
			s = Written
		case pl.mayChange() && of(p, (*Doing).touches) && of(v, (*Doing).touches):
			s = Touched
		case pl.Ambient && of(p, changed) && !harmless(r, pl, p, v, changed):
			s = Ambient
		}
		if !(r.Apart && !same) {
			best = min(best, s)
		}
	}
	return best
}

// harmless reports whether v found in its run what p leaves in its own.
func harmless(r *Relation, pl *Field, p, v int, writes func(*Doing) set) bool {
	if r.failed.has(v) {
		return false
	}
	if pl.Tests.Unsure.has(p) || pl.Around.Unsure.has(p) {
		return false
	}
	same, from, to := r.class[p] == r.class[v], r.spans[p], r.spans[v]
	own := writes(&pl.Tests).has(p)
	moments := []int{to.Begin}
	if own {
		moments = append(moments, from.End)
	}
	if !own || !same && pl.Around.writes().has(p) {
		moments = append(moments, from.VisitEnd)
	}
	if !same && pl.Around.reads().has(v) {
		moments = append(moments, to.VisitBegin)
	}
	first, _ := pl.held(moments[0])
	for _, m := range moments {
		if x, known := pl.held(m); !known || x != first {
			return false
		}
	}
	return same || !pl.Around.writes().has(v)
}
