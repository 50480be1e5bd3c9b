package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

func TestGroup(t *testing.T) {
	o := func(ids ...suite.TestID) suite.Order { return ids }
	got := Group([]Diagnosed{
		{Test: "v1", Causes: []suite.Order{o("p1")}},
		{Test: "v2", Causes: []suite.Order{o("p2")}},
		{Test: "b1", Causes: []suite.Order{o("p1")}, Setters: true},
		{Test: "v3", Causes: []suite.Order{o("p2"), o("p1")}}, // joins v1 and v2
		{Test: "v4", Causes: []suite.Order{o("p1", "p2")}},    // needs both, so its cause differs
		{Test: "v5"},
		{Test: "v6"},
		{Test: "v7", Causes: []suite.Order{o("p3")}, Locations: []string{"A.x", "C.z"}},
		{Test: "v9", Causes: []suite.Order{o("p3")}, Locations: []string{"C.z", "D.w"}},
		{Test: "v8", Causes: []suite.Order{o("p3")}, Locations: []string{"B.y"}},
	})
	want := []Cause{
		{Tests: []suite.TestID{"v1", "v2", "v3"}, Causes: []suite.Order{o("p1"), o("p2")}},
		{Tests: []suite.TestID{"b1"}, Causes: []suite.Order{o("p1")}, Setters: true},
		{Tests: []suite.TestID{"v4"}, Causes: []suite.Order{o("p1", "p2")}},
		{Tests: []suite.TestID{"v5"}},
		{Tests: []suite.TestID{"v6"}},
		{Tests: []suite.TestID{"v7", "v9"}, Causes: []suite.Order{o("p3")}, Locations: []string{"C.z"}},
		{Tests: []suite.TestID{"v8"}, Causes: []suite.Order{o("p3")}, Locations: []string{"B.y"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
