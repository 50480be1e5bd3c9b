package suite

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 classes", 1: "1 class", 2: "2 classes"} {
		if got := Count(n, "class", "classes"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestOrder(t *testing.T) {
	o := Order{"a.A#x", "a.A$B#y", "a.C#z", "a.A#x"}
	if got := o.Before("a.C#z"); !cmp.Equal(got, Order{"a.A#x", "a.A$B#y"}) {
		t.Errorf("Before: %v", got)
	}
	if o.Index("nope") != -1 || len(o.Before("nope")) != 4 {
		t.Error("absent test")
	}
}

func TestRunAt(t *testing.T) {
	r := &Run{Order: Order{"a#b", "a#c"}, Results: []Result{{Test: "a#b", Outcome: Pass}}}
	if r.At(0).Outcome != Pass || r.Last().Outcome != Unresolved || r.Last().Test != "a#c" {
		t.Errorf("%+v %+v", r.At(0), r.Last())
	}
}

// tree returns a plain group, one with a nested group, and a test without a group.
func tree() *Suite {
	leaf := func(id TestID, name string) *Node { return &Node{Name: name, Test: id} }
	return &Suite{Root: &Node{Children: []*Node{
		{Name: "A", Children: []*Node{leaf("1", "one"), {Name: "inner", Children: []*Node{leaf("2", "two")}}}},
		{Name: "B", Children: []*Node{leaf("3", "three")}},
		{Name: "A", Children: []*Node{leaf("4", "four")}},
		leaf("5", "five"),
	}}}
}

func TestGroups(t *testing.T) {
	g := NewGroups(tree(), nil)
	if !g.Same("1", "2") || g.Same("2", "3") || g.Same("1", "4") || g.Same("4", "5") || g.Top("2") != "A" || g.Top("6") != "6" {
		t.Errorf("%q %q %q %q %q", g.Top("1"), g.Top("2"), g.Top("4"), g.Top("5"), g.Top("6"))
	}
	if g.Name("2") != "two" || g.Name("6") != "6" || g.Short("1") != "1" || g.Unit("2") != "A" {
		t.Errorf("%q %q %q %q", g.Name("2"), g.Name("6"), g.Short("1"), g.Unit("2"))
	}
	want := []Order{{"1", "2"}, {"3"}, {"1"}, {"6"}, {"5"}}
	if d := cmp.Diff(want, g.Split(Order{"1", "2", "3", "1", "6", "5"})); d != "" {
		t.Error(d)
	}
	if got := g.Names(Order{"1", "2", "3"}); got != "1, 2 and then 3" {
		t.Error(got)
	}
	var none *Groups
	if none.Top("1") != "1" || none.Name("1") != "1" || none.Unit("1") != "1" || none.Short("1") != "1" ||
		none.Same("1", "2") || !none.Same("1", "1") {
		t.Error("a nil Groups is of another mind")
	}
}

func TestTogether(t *testing.T) {
	leaf := func(id TestID) *Node { return &Node{Name: string(id), Test: id} }
	g := NewGroups(&Suite{Root: &Node{Children: []*Node{
		{Name: "A", Children: []*Node{
			leaf("a"),
			{Name: "N", Children: []*Node{leaf("n1"), leaf("n2"), leaf("n3")}},
			{Name: "M", Fixed: true, Children: []*Node{leaf("m1"), leaf("m2")}},
		}},
		{Name: "B", Children: []*Node{leaf("b")}},
	}}}, nil)
	for _, c := range []struct{ in, want Order }{
		{Order{"a", "n1", "m1", "b"}, Order{"a", "n1", "m1", "b"}},
		{Order{"n1", "n2", "m1", "m2", "n3"}, Order{"m1", "m2", "n1", "n2", "n3"}},
		{Order{"n1", "b", "a", "m2", "n3", "m1"}, Order{"b", "a", "n1", "n3", "m2", "m1"}},
		{Order{"n1", "unknown", "b", "n2"}, Order{"unknown", "b", "n1", "n2"}},
		{Order{"n1", "b", "n2", "unknown"}, Order{"b", "n1", "n2", "unknown"}},
	} {
		if got := g.Together(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.in, got, c.want)
		}
	}
	for _, c := range []struct {
		a, b TestID
		want int
	}{{"n1", "n2", 2}, {"n1", "m1", 1}, {"a", "n1", 1}, {"n1", "b", 0}, {"unknown", "b", 0}} {
		if got := g.Shared(c.a, c.b); got != c.want {
			t.Errorf("%s and %s share %d groups, want %d", c.a, c.b, got, c.want)
		}
	}
	if !g.Leaves("n1", "m1", "n2") || g.Leaves("n1", "n3", "n2") || g.Leaves("a", "m1", "n2") || !g.Leaves("a", "b", "n2") || g.Leaves("a", "n1", "b") {
		t.Error("what leaves a group and returns to it")
	}
	if o := (Order{"a", "b", "a"}); !slices.Equal((*Groups)(nil).Together(o), o) {
		t.Error("without a tree, the order changed")
	}
}

func TestTestsFirst(t *testing.T) {
	leaf := func(id TestID) *Node { return &Node{Name: string(id), Test: id} }
	deep := &Node{Name: "D", TestsFirst: true, Children: []*Node{leaf("d1"), leaf("d2"), {Name: "E", Children: []*Node{leaf("e1")}}}}
	outer := &Node{Name: "A", TestsFirst: true, Children: []*Node{leaf("a1"), {Name: "N", Children: []*Node{leaf("n1"), leaf("n2")}}, deep, leaf("a2")}}
	g := NewGroups(&Suite{Root: &Node{Children: []*Node{outer, {Name: "B", TestsFirst: true, Children: []*Node{leaf("b1"), leaf("b2")}}}}}, nil)
	for _, c := range []struct{ in, want Order }{
		{Order{"n1", "a1", "n2", "a2"}, Order{"a1", "a2", "n1", "n2"}},
		{Order{"e1", "b1", "d1", "n1", "a1"}, Order{"b1", "a1", "d1", "e1", "n1"}},
		{Order{"n1", "e1", "b2", "b1"}, Order{"n1", "e1", "b2", "b1"}},
	} {
		if got := g.Together(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.in, got, c.want)
		}
	}
	for _, c := range []struct {
		a, b TestID
		want bool
	}{{"a1", "n1", true}, {"a1", "e1", true}, {"d1", "e1", true}, {"n1", "a1", false}, {"a1", "a2", false}, {"n1", "d1", false},
		{"d1", "a1", false}, {"a1", "b1", false}, {"b1", "b2", false}, {"a1", "a1", false}, {"a1", "unknown", false}} {
		if got := g.Before(c.a, c.b); got != c.want {
			t.Errorf("%s before %s: %v", c.a, c.b, got)
		}
	}
	if !g.Leaves("a1", "n1", "a2") || g.Leaves("a1", "a2", "n1") || (*Groups)(nil).Before("a1", "n1") {
		t.Error("what leaves the tests of a class")
	}
}

func TestResolverWithoutSyntax(t *testing.T) {
	r := NewResolver(tree(), nil)
	if got, err := r.Resolve("3"); err != nil || !cmp.Equal(got, []TestID{"3"}) {
		t.Errorf("%v %v", got, err)
	}
	if _, err := r.Resolve("7"); err == nil {
		t.Error("an unknown id was found")
	}
}

// TestListsOfTests: lists are made without changing those that they come from.
func TestListsOfTests(t *testing.T) {
	o := Order{"a", "b", "a", "c"}
	if got := Without(o, []TestID{"a", "x"}); !slices.Equal(got, Order{"b", "c"}) || o[0] != "a" {
		t.Errorf("%v of %v", got, o)
	}
	both := Union([]Order{{"a"}, {"a", "b"}}, []Order{{"a", "b"}, {"c"}})
	if !slices.EqualFunc(both, []Order{{"a"}, {"a", "b"}, {"c"}}, slices.Equal) {
		t.Errorf("%v", both)
	}
	if one, all := FirstAndCount(o[:1]), FirstAndCount(o); one != "a" || all != "a and 3 more" {
		t.Errorf("%q, %q", one, all)
	}
}

// TestArrange: groups and tests get the order that they had elsewhere; new ones come last.
func TestArrange(t *testing.T) {
	leaf := func(id TestID) *Node { return &Node{Test: id} }
	s := &Suite{Root: &Node{Children: []*Node{
		{Name: "new", Children: []*Node{leaf("new#x")}},
		{Name: "a", Children: []*Node{leaf("a#x"), leaf("a#y"), {Name: "a$in", Children: []*Node{leaf("a$in#x"), leaf("a$in#y")}}}},
		{Name: "b", Children: []*Node{leaf("b#x")}},
	}}}
	was := Order{"b#x", "a$in#y", "a$in#x", "a#y", "a#x"}
	s.Arrange(was)
	if got, want := s.Order(), append(was, "new#x"); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	(*Suite)(nil).Arrange(was)
}
