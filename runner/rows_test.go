package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// Every test of the class stands directly before the victim in some row, and
// nothing runs behind it.
func TestRowsPutEveryNeighbourBeforeTheVictim(t *testing.T) {
	original := suite.Order{"a.A#x", "a.V#one", "a.V#two", "a.V#three", "a.V$In#four", "a.B#y"}
	rows, _ := rowsOf(original, []suite.TestID{"a.V#two"}, 0)
	before := map[suite.TestID]bool{}
	for _, r := range rows {
		if r[len(r)-1] != "a.V#two" {
			t.Errorf("row %v goes on behind the victim", r)
		}
		if len(r) > 1 {
			before[r[len(r)-2]] = true
		}
	}
	for _, n := range []suite.TestID{"a.V#one", "a.V#three", "a.V$In#four"} {
		if !before[n] {
			t.Errorf("%s never runs directly before the victim", n)
		}
	}
	if len(before) != 3 {
		t.Errorf("neighbours: %v", before)
	}
}

func TestRowsOfSeveralClasses(t *testing.T) {
	original := suite.Order{"a.A#x", "a.A#y", "a.B#z"}
	rows, of := rowsOf(original, []suite.TestID{"a.A#x", "a.B#z"}, 0)
	for _, r := range rows {
		if got := len(suite.ByVisit(r)); got != 1 {
			t.Errorf("row %v mixes classes", r)
		}
	}
	if len(rows) != 3 || of != 3 {
		t.Errorf("%d rows, want 2 of A and 1 of B", len(rows))
	}
}

func TestRowsOfALargeClassAreASample(t *testing.T) {
	var original suite.Order
	for i := range 100 {
		original = append(original, suite.TestID(fmt.Sprintf("a.Big#t%d", i)))
	}
	rows, of := rowsOf(original, original[:1], 1000)
	if of != 100 || len(rows) != 10 {
		t.Errorf("%d of %d rows, want 10 of 100", len(rows), of)
	}
}

func TestNeighbourOrders(t *testing.T) {
	original := suite.Order{"a.A#x", "a.V#one", "a.V#two", "a.V#three", "a.B#y"}
	got := neighbourOrders(original, []suite.TestID{"a.V#two", "a.V#three", "a.B#y"}, 5)
	if len(got) != 1 || !slices.Equal(got[0], suite.Order{"a.V#one", "a.V#two", "a.V#three", "a.V#two"}) {
		t.Errorf("got %v", got)
	}
	if all := neighbourOrders(original, []suite.TestID{"a.V#two", "a.V#three"}, 0); len(all) != 2 {
		t.Errorf("%d orders without a limit, want 2", len(all))
	}
}
