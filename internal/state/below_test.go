package state

import (
	"reflect"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// belowHeap has the captures of one process with three tests. The first two share a class.
func belowHeap() *Heap {
	h := NewHeap(suite.Order{"a.P#one", "a.P#two", "a.V#three"}, groups)
	change := func(path, before, after string) Change {
		return Change{Field: "a.R.I", Path: path, Before: before, After: after}
	}
	h.Capture(Capture{Kind: 'b', Position: 0, Changes: []Change{change("a.R.I.setup", "0", "1")}})
	h.Capture(Capture{Kind: 't', Position: 0, Changes: []Change{
		change(`a.R.I.all["x"]`, "absent", "Job"), change("a.R.I.torn", "1", "2"), {Field: "a.Other.n", Path: "a.Other.n",
			Before: "1", After: "2"},
	}})
	h.Capture(Capture{Kind: 't', Position: 1, Changes: []Change{change("a.R.I.two", "1", "2")}})
	h.Capture(Capture{Kind: 'a', Position: 1, Changes: []Change{change("a.R.I.torn", "2", "1")}})
	h.Capture(Capture{Kind: 't', Position: 2, Changes: []Change{change("a.R.I.three", "1", "2")}})
	return h
}

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		name   string
		tests  suite.Order
		next   suite.TestID
		fields []string
		want   []string
	}{
		{"a test of the same class runs before the teardown", suite.Order{"a.P#one"}, "a.P#two", []string{"a.R.I"},
			[]string{`a.R.I.all["x"]`, "a.R.I.torn"}},
		{"a test of another class runs after the setup", suite.Order{"a.P#one"}, "a.V#three", []string{"a.R.I"}, []string{"a.R.I.setup", `a.R.I.all["x"]`}},
		{"in the order of the fields", suite.Order{"a.P#one"}, "a.P#two", []string{"a.Other.n", "a.R.I"}, []string{"a.Other.n", `a.R.I.all["x"]`, "a.R.I.torn"}},
		{"nothing of other fields", suite.Order{"a.P#one"}, "a.V#three", []string{"a.Else.x"}, nil},
	} {
		var got []string
		for _, ch := range belowHeap().Below(c.tests, c.next, c.fields) {
			got = append(got, ch.Path)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What one polluter of several changes and a later one restores is not left.
func TestBelowOfSeveral(t *testing.T) {
	h := NewHeap(suite.Order{"a.P#one", "a.Q#two", "a.V#three"}, groups)
	change := func(path, before, after string) Change {
		return Change{Field: "a.R.I", Path: path, Before: before, After: after}
	}
	h.Capture(Capture{Kind: 't', Position: 0, Changes: []Change{
		change(`a.R.I["x"]`, "absent", "present"), change("a.R.I.n", "0", "1"), change("a.R.I.m", "0", "1")}})
	h.Capture(Capture{Kind: 't', Position: 1, Changes: []Change{
		change(`a.R.I["x"]`, "present", "absent"), change("a.R.I.n", "1", "2")}})
	got := h.Below(suite.Order{"a.P#one", "a.Q#two"}, "a.V#three", []string{"a.R.I"})
	if want := []Change{change("a.R.I.n", "0", "2"), change("a.R.I.m", "0", "1")}; !reflect.DeepEqual(got, want) {
		t.Errorf("both leave %+v, want %+v", got, want)
	}
	if got := h.Below(suite.Order{"a.P#one"}, "a.V#three", []string{"a.R.I"}); len(got) != 3 {
		t.Errorf("the first alone leaves %+v", got)
	}
}

// What the class's teardown leaves counts, whatever the test has done between setup and teardown.
func TestBelowEndsWithTeardown(t *testing.T) {
	for _, test := range []string{"0", "2"} {
		h := NewHeap(suite.Order{"a.P#one", "a.V#three"}, groups)
		change := func(before, after string) []Change {
			return []Change{{Field: "a.R.I", Path: "a.R.I.n", Before: before, After: after}}
		}
		h.Capture(Capture{Kind: 'b', Position: 0, Changes: change("0", "1")})
		h.Capture(Capture{Kind: 't', Position: 0, Changes: change("1", test)})
		h.Capture(Capture{Kind: 'a', Position: 0, Changes: change(test, "5")})
		if got := h.Below(suite.Order{"a.P#one"}, "a.V#three", []string{"a.R.I"}); !reflect.DeepEqual(got, change("0", "5")) {
			t.Errorf("the test sets %s: %+v is left", test, got)
		}
	}
}
