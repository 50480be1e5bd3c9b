package jest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// TestVariablesAssignedBeforeEachTest: they carry nothing from test to test, so nothing resets them. The many members of an
// object that was not there, and of one large object, do not come before other state.
func TestVariablesAssignedBeforeEachTest(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": lines("describe('c', () => {", "  let client;", "  let seen;", "  let other = {};",
		"  beforeEach(() => {", "    client = make();", "  });", "  test('x', () => { seen = client; });", "  test('y', () => {});", "});")})
	var changes []state.Change
	for _, name := range []string{"client", "seen", "other"} {
		field := "var a.test.js [c] " + name
		if name != "other" {
			changes = append(changes, state.Change{Field: field, Path: name, Before: "undefined", After: "an object of Client"})
		}
		for i := range 12 {
			changes = append(changes, state.Change{Field: field, Path: fmt.Sprintf("%s.m%d", name, i), Before: absent, After: "1"})
		}
	}
	got, err := e.Resets(t.Context(), project.ResetQuery{Reset: true, Changes: changes,
		Fields: []string{"var a.test.js [c] client", "var a.test.js [c] seen", "var a.test.js [c] other"},
		Cause:  repair.Cause{Cases: []repair.Case{{Test: "a.test.js#c › y"}}, Polluter: suite.Order{"a.test.js#c › x"}}})
	if err != nil {
		t.Fatal(err)
	}
	var statements []string
	for _, m := range got.Made {
		statements = append(statements, m.Statements...)
	}
	at := func(s string) int { return slices.Index(statements, s) }
	for _, s := range []string{"client = undefined", "delete client.m0", "delete seen.m0"} {
		if at(s) >= 0 {
			t.Errorf("%s is proposed", s)
		}
	}
	if at("seen = undefined") < 0 || at("delete other.m0") < 0 || at("jest.clearAllMocks()") < 0 || at("delete other.m11") < at("jest.clearAllMocks()") {
		t.Errorf("%q", statements)
	}
}
