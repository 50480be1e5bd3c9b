package java

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/suite"
)

// A test that changes state itself comes before tests whose class does.
func TestSuspected(t *testing.T) {
	all := suite.Order{"a.A#plain", "a.A#far", "a.A#near", "a.B#x[0]", "a.B#x[1]", "a.C#quiet"}
	got := suspected(all, []workbench.ProcessStateWriter{
		{Type: "a.A", Method: "near"}, {Type: "a.B", Method: "setUp"}, {Type: "a.Help", Method: "sets"},
		{Type: "a.A", Method: "far", Calls: 2}, {Type: "a.B", Method: "tearDown", Calls: 3}, {Type: "a.A", Method: "near", Calls: 3},
	})
	if want := (suite.Order{"a.A#near", "a.A#far", "a.B#x[0]", "a.B#x[1]"}); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
