package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// classes reads JUnit's ids.
var classes = suite.NewGroups(nil, junitid.Syntax{})

// Every test of the class stands directly before the victim in some row, and
// nothing runs after it.
func TestRowsPutEveryNeighbourBeforeTheVictim(t *testing.T) {
	original := suite.Order{"a.A#x", "a.V#one", "a.V#two", "a.V#three", "a.V$In#four", "a.B#y"}
	rows, _ := rowsOf(classes, original, []suite.TestID{"a.V#two"}, 0)
	before := map[suite.TestID]bool{}
	for _, r := range slices.Concat(rows...) {
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
	rows, of := rowsOf(classes, original, []suite.TestID{"a.A#x", "a.B#z"}, 0)
	for _, r := range slices.Concat(rows...) {
		if got := len(classes.Split(r)); got != 1 {
			t.Errorf("row %v mixes classes", r)
		}
	}
	if len(rows) != 2 || len(rows[0]) != 2 || len(rows[1]) != 1 || of != 3 {
		t.Errorf("rows %v, want 2 of A and 1 of B", rows)
	}
}

func TestRowsOfALargeClassAreASample(t *testing.T) {
	var original suite.Order
	for i := range 100 {
		original = append(original, suite.TestID(fmt.Sprintf("a.Big#t%d", i)))
	}
	for executions, want := range map[int]int{0: 100, 1000: 10, 100 * leastExecutions: 100} {
		rows, of := rowsOf(classes, original, original[:1], executions)
		if of != 100 || len(rows) != 1 || len(rows[0]) != want {
			t.Errorf("%d executions: %d rows of %d, want %d of 100", executions, len(rows[0]), of, want)
		}
	}
}

func TestNeighbourOrders(t *testing.T) {
	original := suite.Order{"a.A#x", "a.V#one", "a.V#two", "a.V#three", "a.B#y"}
	tests := []suite.TestID{"a.V#two", "a.V#three", "a.B#y"}
	got, asked, of := neighbourOrders(classes, original, tests, 0, visitsPerProcess)
	want := []suite.Order{
		{"a.V#one", "a.V#two", "a.V#three", "a.V#two"},
		{"a.V#one", "a.V#three", "a.V#two", "a.V#three"},
	}
	if !slices.EqualFunc(got, want, slices.Equal) || asked != 4 || of != 4 {
		t.Errorf("%v, %d of %d", got, asked, of)
	}
	got, asked, of = neighbourOrders(classes, original, tests, 2, visitsPerProcess)
	if len(got) != 2 || asked != 2 || of != 4 {
		t.Errorf("a sample of two: %v, %d of %d", got, asked, of)
	}
}
