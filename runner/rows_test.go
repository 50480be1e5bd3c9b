package main

import (
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// Every test of the class stands directly before the victim in some row, and
// nothing runs behind it.
func TestRowsPutEveryNeighbourBeforeTheVictim(t *testing.T) {
	original := suite.Order{"a.A#x", "a.V#one", "a.V#two", "a.V#three", "a.V$In#four", "a.B#y"}
	rows := rowsOf(original, []suite.TestID{"a.V#two"})
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
	rows := rowsOf(original, []suite.TestID{"a.A#x", "a.B#z"})
	for _, r := range rows {
		if got := len(suite.ByVisit(r)); got != 1 {
			t.Errorf("row %v mixes classes", r)
		}
	}
	if len(rows) != 3 {
		t.Errorf("%d rows, want 2 of A and 1 of B", len(rows))
	}
}
