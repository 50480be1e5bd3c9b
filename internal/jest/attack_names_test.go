package jest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// TestAttackNames: tests can make their process report any names and values. In the statements that odfix
// proposes from them, such text stands only in literals, or nowhere.
func TestAttackNames(t *testing.T) {
	e := editorOf(t, map[string]string{
		"a.test.js": lines("const store = require('./store');", "const fs = require('fs');", "const dir = require('evil');", "let n = 0;",
			"it('x', () => {", "  jest.doMock('./store');", "  expect(store.n).toBe(n);", "});"),
		"store.js": lines("exports.n = 1;", "exports.reset = () => {};"),
	})
	inText := regexp.MustCompile(`'(\\.|[^'\\\n])*'|"(\\.|[^"\\\n])*"`)
	var fields []string
	var changes []state.Change
	for _, text := range []string{"evil()", "x;evil()", "x\nevil()", "x', evil(), '", `x", evil(), "`, `x\", evil(), "`, "x'+evil()+'", "x\u2028evil()", "x.evil` `",
		"[0](evil())", "../evil", ".git/evil", "/evil", "x/*", "x = evil()"} {
		for _, kind := range []string{"mock a.test.js ", "mock store.js ", "mock global ", "var a.test.js ", "var store.js ", "var a.test.js [1] ",
			"global ", "builtin ", "spy ", "core ", "core fs.", "env ", "storage ", "storage local ", "document ", "document cookie",
			"document location", "document body", "listeners process ", "module ", "mocked ", "nock ", "file ", ""} {
			field := kind + text
			fields = append(fields, field)
			for _, path := range []string{text, "store." + text, "n." + text, "module.exports." + text, "location.href", "document.body.innerHTML",
				"process.env." + text, strings.TrimPrefix(field, "global ")} {
				for _, value := range []string{text, `"` + text + `"`, "absent", "''", "1"} {
					changes = append(changes, state.Change{Field: field, Path: path, Before: value, After: "evil=1"})
				}
			}
		}
		e.p.calls.add("a.test.js", []harness.Call{{Function: text + ".reset"}, {Function: "store." + text}, {Function: "store.evil"}})
	}
	for _, brittle := range []bool{false, true} {
		q := project.ResetQuery{Fields: fields, Changes: changes, Reset: true, Cause: repair.Cause{Cases: []repair.Case{{Test: "a.test.js#x"}}}}
		if !brittle {
			q.Cause.Polluter = suite.Order{"a.test.js#x"}
		}
		got, err := e.Resets(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Made) < 5 {
			t.Errorf("only %d proposals", len(got.Made))
		}
		for _, m := range got.Made {
			for _, s := range slices.Concat(m.Statements, m.Fields) {
				code := inText.ReplaceAllString(s, "''")
				if strings.Contains(code, "evil") || strings.Contains(code, "(''+") {
					t.Errorf("%s", s)
				}
				if strings.Contains(s, "rmSync") && (strings.Contains(s, "..") || strings.Contains(s, ".git") || strings.Contains(s, "'/")) {
					t.Errorf("%s", s)
				}
			}
		}
	}
}
