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
	before := knownState{ways: []string{"A.b"}, changes: []state.Change{{Field: "A.b"}}, elsewhere: true}
	w := &worker{states: map[suite.TestID]*knownState{"V#one": &before}}
	want := before
	back := w.setAside("V#one")
	if !reflect.DeepEqual(*w.known("V#one"), knownState{}) {
		t.Error("still known")
	}
	w.known("V#one").ways = []string{"C.d"}
	back()
	if got := *w.known("V#one"); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
