package suite

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() *Suite {
	group := func(name string, tests ...TestID) *Node {
		n := &Node{Name: name}
		for _, t := range tests {
			n.Children = append(n.Children, &Node{Name: t.Method(), Test: t})
		}
		return n
	}
	return &Suite{Root: &Node{Children: []*Node{
		group("a.FooTest", "a.FooTest#one", "a.FooTest#two"),
		group("a.BarTest", "a.BarTest#two[0]", "a.BarTest#two[1]"),
		group("b.FooTest", "b.FooTest#sum(int, int)", "b.FooTest$Inner#deep"),
		group("a.All", "a.All>c.LeafTest#leaf"),
	}}}
}

func TestResolve(t *testing.T) {
	r := NewResolver(sample())
	for _, tt := range []struct {
		name string
		want []TestID
	}{
		{"a.FooTest#one", []TestID{"a.FooTest#one"}},
		{"a.FooTest.one", []TestID{"a.FooTest#one"}},
		{"FooTest#one", []TestID{"a.FooTest#one"}},
		{"FooTest.one", []TestID{"a.FooTest#one"}},
		{" FooTest#one ", []TestID{"a.FooTest#one"}},
		{"a.FooTest", []TestID{"a.FooTest#one", "a.FooTest#two"}},
		{"BarTest#two", []TestID{"a.BarTest#two[0]", "a.BarTest#two[1]"}},
		{"BarTest#two[1]", []TestID{"a.BarTest#two[1]"}},
		{"FooTest#sum", []TestID{"b.FooTest#sum(int, int)"}},
		{"b.FooTest#sum(int, int)[3]", []TestID{"b.FooTest#sum(int, int)"}},
		{"b.FooTest#sum{int, int}[3]", []TestID{"b.FooTest#sum(int, int)"}},
		{"b.FooTest.Inner.deep", []TestID{"b.FooTest$Inner#deep"}},
		{"LeafTest#leaf", []TestID{"a.All>c.LeafTest#leaf"}},
		{"b.FooTest", []TestID{"b.FooTest#sum(int, int)", "b.FooTest$Inner#deep"}},
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

// A report has the control characters of a display name as they are, an id has not.
func TestResolveNamesWithControlCharacters(t *testing.T) {
	id := TestID(`a.A#t[x\ty\nz\r\u0000]`)
	r := NewResolver(&Suite{Root: &Node{Children: []*Node{{Name: "t", Test: id}, {Name: "u", Test: "a.A#t[other]"}}}})
	for _, name := range []string{string(id), "a.A#t[x\ty\nz\r\x00]"} {
		got, err := r.Resolve(name)
		if d := cmp.Diff([]TestID{id}, got); d != "" || err != nil {
			t.Errorf("%q: %v %s", name, err, d)
		}
	}
}

func TestResolveUnknownNamesTheNearest(t *testing.T) {
	_, err := NewResolver(sample()).Resolve("FooTest#oen")
	var unknown *UnknownTestError
	if !errors.As(err, &unknown) || !strings.Contains(err.Error(), "a.FooTest#one") {
		t.Fatalf("got %v", err)
	}
}

func TestExpand(t *testing.T) {
	o, unknown := NewResolver(sample()).Expand([]string{"BarTest", "a.FooTest#two", "gone.Test#x", "a.FooTest", "b.FooTest#sum(int)[1]", "b.FooTest#sum(int)[2]", "a.FooTest#two"})
	want := Order{"a.BarTest#two[0]", "a.BarTest#two[1]", "a.FooTest#two", "a.FooTest#one", "b.FooTest#sum(int, int)", "a.FooTest#two"}
	if d := cmp.Diff(want, o); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"gone.Test#x"}, unknown); d != "" {
		t.Error(d)
	}
}

func TestOrder(t *testing.T) {
	o := Order{"a.A#x", "a.A$B#y", "a.C#z", "a.A#x"}
	if got := o.Before("a.C#z"); !cmp.Equal(got, Order{"a.A#x", "a.A$B#y"}) {
		t.Errorf("Before: %v", got)
	}
	if got := len(ByVisit(o)); got != 3 {
		t.Errorf("ByVisit gave %d visits, want 3", got)
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

func FuzzResolve(f *testing.F) {
	r := NewResolver(sample())
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
