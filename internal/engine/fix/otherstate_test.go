package fix

import (
	"reflect"
	"testing"

	"github.com/odfix/odfix/internal/repair"
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

// TestEndingWith: whole orders in which a test of the cause still fails are searched for a further
// polluter, too.
func TestEndingWith(t *testing.T) {
	c := repair.Cause{Polluter: suite.Order{"P#first"}, Cases: []repair.Case{{Test: "V#one"}}}
	whole := suite.Order{"P#other", "X#y", "V#one"}
	got := endingWith([]suite.Order{{"V#one"}, {"P#other", "W#two"}, whole, {"V#one", "X#y"}, whole, whole, whole}, c)
	if want := []suite.Order{whole, whole, whole}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}
