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

// TestVariablesAssignedBeforeEachTest: they carry nothing from test to test, so what resets them
// comes last. The many members of an object that was not there, and of one large object, do not
// come before other state.
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
	for _, s := range []string{"delete client.m0", "delete seen.m0"} {
		if at(s) >= 0 {
			t.Errorf("%s is proposed", s)
		}
	}
	if c := at("client = undefined"); c >= 0 && c < at("jest.resetModules()") {
		t.Errorf("client comes before the rest: %q", statements)
	}
	if at("seen = undefined") < 0 || at("delete other.m0") < 0 || at("jest.clearAllMocks()") < 0 || at("delete other.m11") < at("jest.clearAllMocks()") {
		t.Errorf("%q", statements)
	}
}

// TestWhichVariablesAreAssignedAnew: a hook that only changes a variable, or may not run, leaves
// what earlier tests have put there.
func TestWhichVariablesAreAssignedAnew(t *testing.T) {
	for statement, want := range map[string]bool{
		"n = 0;": true, "n = make(other.m);": true, "n += 1;": false, "n++;": false, "n = n + 1;": false, "n = n || make();": false,
		"n ??= make();": false, "n == 1;": false, "run(() => { n = 0; });": false, "if (m) n = 0;": false, "let n = 0; n = 1;": false,
	} {
		e := editorOf(t, map[string]string{"a.test.js": lines("let n = 0;", "beforeEach(() => {", "  "+statement, "});", "test('x', () => {});")})
		o, err := e.outline(t.Context(), "a.test.js")
		if err != nil {
			t.Fatal(err)
		}
		if got := o.find("a.test.js#x").anew(); got["a.test.js n"] != want {
			t.Errorf("%s: %v", statement, got)
		}
	}
}
