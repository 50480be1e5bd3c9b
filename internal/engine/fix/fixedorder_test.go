package fix

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestTellFixed: what is said where the failing order is not one that the class's author wants.
func TestTellFixed(t *testing.T) {
	leaf := func(id suite.TestID) *suite.Node { return &suite.Node{Name: junitid.Method(id), Test: id} }
	s := &suite.Suite{Root: &suite.Node{Children: []*suite.Node{
		{Name: "a.Free", Children: []*suite.Node{leaf("a.Free#x"), leaf("a.Free#y")}},
		{Name: "a.Fixed", Fixed: true, Children: []*suite.Node{leaf("a.Fixed#one"), leaf("a.Fixed#two"), leaf("a.Fixed#three"),
			{Name: "a.Fixed$In", Children: []*suite.Node{leaf("a.Fixed$In#p"), leaf("a.Fixed$In#q")}}}},
	}}}
	for _, tt := range []struct {
		name          string
		verdict       suite.Verdict
		minimal, seen suite.Order
		want          string // a part of the note; "" for none
	}{
		{"the other way round", suite.Victim, suite.Order{"a.Fixed#two", "a.Fixed#one"}, nil, "is different"},
		{"something in between is left out", suite.Victim, suite.Order{"a.Fixed#one", "a.Fixed#three"}, nil, "leaves out tests in between"},
		{"seen in the class's own order", suite.Victim, suite.Order{"a.Fixed#one", "a.Fixed#three"},
			suite.Order{"a.Fixed#one", "a.Fixed#two", "a.Fixed#three"}, ""},
		{"neighbours", suite.Victim, suite.Order{"a.Fixed#one", "a.Fixed#two"}, nil, ""},
		{"in a nested class without an order", suite.Victim, suite.Order{"a.Fixed$In#q", "a.Fixed$In#p"}, nil, ""},
		{"from a nested class to what is in front of it", suite.Victim, suite.Order{"a.Fixed$In#q", "a.Fixed#one"}, nil, "is different"},
		{"another's class", suite.Victim, suite.Order{"a.Fixed#two", "a.Fixed#one", "a.Free#x"}, nil, ""},
		{"of another class", suite.Victim, suite.Order{"a.Free#x", "a.Fixed#one"}, nil, ""},
		{"a class without an order", suite.Victim, suite.Order{"a.Free#y", "a.Free#x"}, nil, ""},
		{"the order passes", suite.Brittle, suite.Order{"a.Fixed#two", "a.Fixed#one"}, nil, ""},
	} {
		r := []job.TestReport{{Test: tt.minimal[len(tt.minimal)-1], Verdict: tt.verdict, MinimalOrder: tt.minimal}}
		if tt.seen != nil {
			r[0].FailingOrder = &suite.Seen{Order: tt.seen}
		}
		NoteFixedOrders(s, r)
		notes := strings.Join(r[0].Notes, " ")
		if !strings.Contains(notes, tt.want) || (tt.want == "") != (notes == "") {
			t.Errorf("%s: %q, want %q", tt.name, notes, tt.want)
		}
	}
}

func TestHiddenByFixed(t *testing.T) {
	leaf := func(id suite.TestID) *suite.Node { return &suite.Node{Name: junitid.Method(id), Test: id} }
	group := func(name string, fixed bool, tests ...suite.TestID) *suite.Node {
		n := &suite.Node{Name: name, Fixed: fixed}
		for _, x := range tests {
			n.Children = append(n.Children, leaf(x))
		}
		return n
	}
	free, single := group("a.Free", false, "a.Free#x", "a.Free#y"), group("a.Single", true, "a.Single#x")
	var fixed []*suite.Node
	for _, c := range []string{"A", "B", "C", "D", "E"} {
		fixed = append(fixed, group(c, true, suite.TestID(c+"#x"), suite.TestID(c+"#y")))
	}
	for n, want := range map[int]string{0: "", 1: "A fixes the order of its tests (", 2: "A, B fix the order of their tests (",
		3: "A, B, C fix the order of their tests (", 4: "A, B, C and 1 more fix the order of their tests (",
		5: "A, B, C and 2 more fix the order of their tests ("} {
		s := &suite.Suite{Root: &suite.Node{Children: append([]*suite.Node{free, single}, fixed[:n]...)}}
		if got := HiddenOrders(s); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%d: %q", n, got)
		}
	}
}
