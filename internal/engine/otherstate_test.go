package engine

import (
	"reflect"
	"testing"

	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// TestPairs: a further polluter is the test directly before a test of the cause, in the orders in
// which the latter still fails.
func TestPairs(t *testing.T) {
	c := repair.Cause{Polluter: suite.Order{"P#first"}, Cases: []repair.Case{{Test: "V#one"}}}
	got := pairs([]suite.Order{
		{"P#first", "V#one"},                     // the known polluter
		{"P#first", "V#one", "P#other", "V#one"}, // another one
		{"P#other", "V#one"},                     // the same
		{"V#one"}, {"V#one", "V#one"},            // it fails alone, or after itself
		{"P#other", "W#two"}, // a test of another cause
		{"X#y", "V#one"},
	}, c)
	if want := []suite.Order{{"P#other", "V#one"}, {"X#y", "V#one"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

// TestSetAside: what is known of a test's state comes back after the search for another cause.
func TestSetAside(t *testing.T) {
	w := &worker{ways: map[suite.TestID][]string{"V#one": {"A.b"}}, elsewhere: map[suite.TestID]bool{}, left: map[suite.TestID][]string{},
		changes: map[suite.TestID][]state.Change{"V#one": {{}}}, again: map[suite.TestID][]state.Change{"V#one": {{}}}}
	back := w.setAside("V#one")
	if len(w.ways["V#one"])+len(w.changes["V#one"])+len(w.again["V#one"]) > 0 {
		t.Error("still known")
	}
	w.ways["V#one"] = []string{"C.d"}
	back()
	if !reflect.DeepEqual(w.ways["V#one"], []string{"A.b"}) || len(w.changes["V#one"])+len(w.again["V#one"]) != 2 {
		t.Errorf("%v, %v", w.ways, w.changes)
	}
}
