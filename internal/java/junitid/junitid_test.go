package junitid

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

func sample() *suite.Suite {
	group := func(name string, tests ...suite.TestID) *suite.Node {
		n := &suite.Node{Name: name}
		for _, t := range tests {
			n.Children = append(n.Children, &suite.Node{Name: Syntax{}.Name(t), Test: t})
		}
		return n
	}
	return &suite.Suite{Root: &suite.Node{Children: []*suite.Node{
		group("a.FooTest", "a.FooTest#one", "a.FooTest#two"),
		group("a.BarTest", "a.BarTest#two[0]", "a.BarTest#two[1]"),
		group("b.FooTest", "b.FooTest#sum(int, int)", "b.FooTest$Inner#deep"),
		group("a.All", "a.All>c.LeafTest#leaf"),
	}}}
}

func TestResolve(t *testing.T) {
	r := suite.NewResolver(sample(), Syntax{})
	for _, tt := range []struct {
		name string
		want []suite.TestID
	}{
		{"a.FooTest#one", []suite.TestID{"a.FooTest#one"}},
		{"a.FooTest.one", []suite.TestID{"a.FooTest#one"}},
		{"FooTest#one", []suite.TestID{"a.FooTest#one"}},
		{"FooTest.one", []suite.TestID{"a.FooTest#one"}},
		{" FooTest#one ", []suite.TestID{"a.FooTest#one"}},
		{"a.FooTest", []suite.TestID{"a.FooTest#one", "a.FooTest#two"}},
		{"BarTest#two", []suite.TestID{"a.BarTest#two[0]", "a.BarTest#two[1]"}},
		{"BarTest#two[1]", []suite.TestID{"a.BarTest#two[1]"}},
		{"FooTest#sum", []suite.TestID{"b.FooTest#sum(int, int)"}},
		{"b.FooTest#sum(int, int)[3]", []suite.TestID{"b.FooTest#sum(int, int)"}},
		{"b.FooTest#sum{int, int}[3]", []suite.TestID{"b.FooTest#sum(int, int)"}},
		{"b.FooTest.Inner.deep", []suite.TestID{"b.FooTest$Inner#deep"}},
		{"LeafTest#leaf", []suite.TestID{"a.All>c.LeafTest#leaf"}},
		{"b.FooTest", []suite.TestID{"b.FooTest#sum(int, int)", "b.FooTest$Inner#deep"}},
	} {
		got, err := r.Resolve(tt.name)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// A report keeps control characters of a display name. An id does not.
func TestResolveNamesWithControlCharacters(t *testing.T) {
	id := suite.TestID(`a.A#t[x\ty\nz\r\u0000]`)
	r := suite.NewResolver(&suite.Suite{Root: &suite.Node{Children: []*suite.Node{{Name: "t", Test: id},
		{Name: "u", Test: "a.A#t[other]"}}}}, Syntax{})
	for _, name := range []string{string(id), "a.A#t[x\ty\nz\r\x00]"} {
		got, err := r.Resolve(name)
		if d := cmp.Diff([]suite.TestID{id}, got); d != "" || err != nil {
			t.Errorf("%q: %v %s", name, err, d)
		}
	}
}

func TestResolveUnknownNamesTheNearest(t *testing.T) {
	_, err := suite.NewResolver(sample(), Syntax{}).Resolve("FooTest#oen")
	var unknown *suite.UnknownTestError
	if !errors.As(err, &unknown) || !strings.Contains(err.Error(), "a.FooTest#one") {
		t.Fatalf("got %v", err)
	}
}

func TestExpand(t *testing.T) {
	o, unknown := suite.NewResolver(sample(), Syntax{}).Expand([]string{"BarTest", "a.FooTest#two",
		"gone.Test#x", "a.FooTest", "b.FooTest#sum(int)[1]", "b.FooTest#sum(int)[2]", "a.FooTest#two"})
	want := suite.Order{"a.BarTest#two[0]", "a.BarTest#two[1]", "a.FooTest#two", "a.FooTest#one",
		"b.FooTest#sum(int, int)", "a.FooTest#two"}
	if d := cmp.Diff(want, o); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"gone.Test#x"}, unknown); d != "" {
		t.Error(d)
	}
}

func FuzzResolve(f *testing.F) {
	r := suite.NewResolver(sample(), Syntax{})
	for _, s := range []string{"a.FooTest#one", "#", ".", "[", "a.b(", "x{int}[1]", "é#ü"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := r.Resolve(s)
		if err == nil && len(got) == 0 {
			t.Fatalf("%q: neither tests nor an error", s)
		}
	})
}

func TestGroupAndUnit(t *testing.T) {
	for _, c := range []struct {
		id                       suite.TestID
		group, unit, name, short string
	}{
		{"a.B#m", "a.B", "a.B", "m", "B#m"},
		{"a.B$C#m(int)[1]", "a.B", "a.B$C", "m(int)[1]", "B$C#m(int)[1]"},
		{"a.All>b.B$C#m", "a.All", "a.All>b.B$C", "m", "B$C#m"},
		{"a.B#m[x#y]", "a.B", "a.B", "m[x#y]", "B#m[x#y]"},
		{"a.B", "a.B", "a.B", "", "B"},
	} {
		s := Syntax{}
		if s.Group(c.id) != c.group || s.Unit(c.id) != c.unit || s.Name(c.id) != c.name || s.Short(c.id) != c.short {
			t.Errorf("%s: %q %q %q %q", c.id, s.Group(c.id), s.Unit(c.id), s.Name(c.id), s.Short(c.id))
		}
	}
}

// TestTreeAgrees checks that the outermost group of the tree is the class that a build launches,
// also for suite classes and nested classes.
func TestTreeAgrees(t *testing.T) {
	s := sample()
	g := suite.NewGroups(s, Syntax{})
	for _, id := range s.Order() {
		if g.Top(id) != (Syntax{}).Group(id) {
			t.Errorf("%s is in %s", id, g.Top(id))
		}
	}
}

func TestSource(t *testing.T) {
	for id, want := range map[suite.TestID]string{"a.B#m": "a/B", "a.B$C#m(int)": "a/B", "a.All>b.B$C#m": "b/B", "B": "B"} {
		if got := (Syntax{}).Source(id); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
}
