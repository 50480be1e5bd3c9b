package jest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// textLiteral are literals of texts.
var textLiteral = regexp.MustCompile(`'(\\.|[^'\\\n])*'|"(\\.|[^"\\\n])*"`)

// hasEvil reports whether hostile text stands outside of a literal, or cannot be seen in one.
func hasEvil(s string) bool {
	code := textLiteral.ReplaceAllString(s, "''")
	return strings.Contains(code, "evil") || strings.Contains(code, "(''+") || strings.Contains(s, "\u202e")
}

// outside is the removal of what is not a test's own file.
var outside = regexp.MustCompile(`(?i)rmSync\('([^']*(\.\.|:|\\|/\.hg|\.')|\.(git|/|yarn)|/|src'|a\.test|link|node_modules)`)

// TestAttackNames: tests can make their process report any names and values. In the statements that odfix
// proposes from them, such text stands only in literals, or nowhere.
func TestAttackNames(t *testing.T) {
	e := editorOf(t, map[string]string{
		"a.test.js": lines("const store = require('./store');", "const fs = require('fs');", "const dir = require('evil');", "let n = 0;",
			"it('x', () => {", "  jest.doMock('./store');", "  expect(store.n).toBe(n);", "});"),
		"store.js": lines("exports.n = 1;", "exports.reset = () => {};"),
	})
	e.p.tree.entries = map[string]entry{"a.test.js": {}, "src": {}, "link": {target: "."}}
	var fields []string
	paths := map[string][]string{} // of a field
	for _, text := range []string{"evil()", "x;evil()", "x\nevil()", "x', evil(), '", `x", evil(), "`, `x\", evil(), "`, "x'+evil()+'", "x\u2028evil()", "x.evil` `",
		"[0](evil())", "../evil", ".git/evil", "/evil", "x/*", "x = evil()", ".git", ".", "./evil", "src/../evil", "a.test.js", "src", "node_modules/evil", "x\u202eevil()",
		".yarn/cache", ".GIT", "SRC", "link/src", "C:/evil", "src.", `x\..\evil`, "evil/.hg"} {
		for _, kind := range []string{"mock a.test.js ", "mock store.js ", "mock global ", "var a.test.js ", "var store.js ", "var a.test.js [1] ",
			"global ", "builtin ", "spy ", "core ", "core fs.", "env ", "storage ", "storage local ", "document ", "document cookie",
			"document location", "document body", "listeners process ", "module ", "mocked ", "nock ", "file ", ""} {
			field := kind + text
			fields = append(fields, field)
			paths[field] = []string{text, "store." + text, "n." + text, "module.exports." + text, "location.href", "document.body.innerHTML",
				"process.env." + text, "n", "store.n", strings.TrimPrefix(field, "global ")}
		}
		e.p.calls.add("a.test.js", []harness.Call{{Function: text + ".reset"}, {Function: "store." + text}, {Function: "store.evil"}})
	}
	made := 0
	for _, value := range []string{"absent", "''", "1", "evil()", `"evil()"`, "\"x\u202eevil()\"", "\"x\n evil()\""} {
		var changes []state.Change
		for _, field := range fields {
			for _, path := range paths[field] {
				changes = append(changes, state.Change{Field: field, Path: path, Before: value, After: "evil=1"})
			}
		}
		for _, polluter := range []suite.Order{nil, {"a.test.js#x"}} {
			q := project.ResetQuery{Fields: fields, Changes: changes, Reset: true, Cause: repair.Cause{Polluter: polluter, Cases: []repair.Case{{Test: "a.test.js#x"}}}}
			got, err := e.Resets(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			made += len(got.Made)
			for _, m := range got.Made {
				for _, s := range slices.Concat(m.Statements, m.Fields) {
					if hasEvil(s) || outside.MatchString(s) {
						t.Errorf("%q", s)
					}
				}
			}
		}
	}
	if made < 200 {
		t.Errorf("only %d proposals", made)
	}
}

// TestAttackNamesInSources: a hostile source exports functions under names that are code, and lies in a
// file with such a name; or its access paths hold comments. Nothing of it gets into a patch.
func TestAttackNamesInSources(t *testing.T) {
	module, required := "stock';evil();'.js", "stock');evil();('.js"
	e := editorOf(t, map[string]string{
		"a.test.js": lines("import * as cart from './cart';", `import { "k: o } = {}; evil(); const { wipe" as wipe } from './cart';`,
			"let n = 0;", "it('x', () => {", "  cart/* evil */.reset();", "  expect(cart/* evil */.add).toHaveBeenCalled();", "});"),
		"b.test.js": lines(`const { clear } = require("./stock');evil();('");`, "it('clears', () => {", "  clear();", "});",
			`const { "k: o } = {}; evil(); const { wipe": wipe } = require("./cart");`, "it('wipes', () => {", "  wipe();", "});"),
		"c.test.js": lines("const fs = require('fs');", "it('x', () => {", "  expect(fs.n).toBe(1);", "});"),
		"cart.js":   lines("function clear() {}", `export { clear as "reset();evil();cart.reset", clear as reset };`),
		module:      lines("exports.resetStock = () => {};"), required: lines("exports.resetStock = () => {};"),
	})
	e.p.files = slices.DeleteFunc(e.p.files, func(f string) bool { return !strings.HasSuffix(f, ".test.js") })
	for _, test := range []suite.TestID{"a.test.js#x", "c.test.js#x"} {
		file, _, _ := strings.Cut(string(test), "#")
		got, err := e.Resets(t.Context(), project.ResetQuery{Fields: []string{"var " + module + " n", "var " + required + " n", "var cart.js n"}, Reset: true,
			Cause: repair.Cause{Polluter: suite.Order{test}, Cases: []repair.Case{{Test: test}}}})
		if err != nil {
			t.Fatal(err)
		}
		var edits []repair.Edit
		for _, m := range got.Made {
			edits = append(edits, repair.Edit{Made: &m, Keep: m.IDs()})
			if strings.Contains(m.Statements[0], "evil") {
				t.Errorf("%q", m.Statements[0])
			}
		}
		for _, helper := range []suite.TestID{"b.test.js#clears", "b.test.js#wipes"} {
			script, err := e.Script(t.Context(), suite.Order{helper}, test)
			if err != nil {
				t.Fatal(err)
			}
			edits = append(edits, repair.Edit{Helper: suite.Order{helper}, Keep: []string{script[0].ID}})
		}
		built := 0
		for _, edit := range edits {
			edit.At, edit.Location, edit.Style = test, patch.VictimStart, patch.Inline
			b, err := e.Build(t.Context(), edit)
			if err != nil {
				if !isUnfit(err) {
					t.Error(err)
				}
				continue
			}
			built++
			for line := range strings.Lines(b.Files[file]) {
				if !strings.Contains(b.Before[file], line) && hasEvil(line) {
					t.Errorf("%s", line)
				}
			}
		}
		if built < 3 {
			t.Errorf("only %d patches", built)
		}
	}
}

// TestAttackStatements: each statement of a patch is one, so that it is proved with and without it.
func TestAttackStatements(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": lines("let f = 0;", "it('x', () => {", "  expect(f).toBe(1);", "});")})
	for text, ok := range map[string]bool{"f = 1": true, "f();\nf.mockClear()": true, "f = 1; f = 2": false, "f();\nf.other()": false} {
		_, err := e.Build(t.Context(), repair.Edit{Made: &patch.Made{Statements: []string{text}}, Keep: []string{"0.0"},
			Location: patch.VictimStart, At: "a.test.js#x", Style: patch.Inline})
		if (err == nil) != ok || err != nil && !isUnfit(err) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestAttackJoinedStatements: where a file writes no semicolons, a statement can become one with the
// next line, or with the one before it. A patch keeps each statement of the file, or is refused.
func TestAttackJoinedStatements(t *testing.T) {
	e := editorOf(t, map[string]string{
		"a.test.js": lines("(function () { setup() })()", "const store = require('./store')", "let n = zero", "it('x', () => {",
			"  (function () { expect(store.broken).toBe(false) })()", "})", "it('y', () => {", "  foo(1)", "})"),
		"d.test.js": lines("(function () { setup() })()", "it('y', () => {", "  foo(1)", "})"),
		"b.test.js": lines("const { wipe } = require('./cart')", "it('wipes', () => {", "  ;[1].forEach(wipe)", "})", "it('ends', () => {",
			"  if (wipe) return", "  wipe()", "  for (const a of [1]) { if (a) return }", "  ;[1].map(() => { return 2 })", "})"),
		"c.test.js": lines("it('x', () => {", "  a();", "  foo(1)", "});", "let n = 1;", "n = 2;", "it('y', () => n());"),
		"store.js":  lines("exports.broken = true"), "cart.js": lines("exports.wipe = () => {}"),
	})
	for name, c := range map[string]struct {
		edit repair.Edit
		want string // "": refused
	}{
		"before a function that is called": {repair.Edit{Made: &patch.Made{Statements: []string{"n = zero"}}, At: "a.test.js#x", Location: patch.VictimStart},
			"  n = zero;\n  (function"},
		"an import before such a function": {repair.Edit{Helper: suite.Order{"b.test.js#wipes"}, At: "d.test.js#y", Location: patch.VictimStart},
			"require('./cart');\n\n(function"},
		"after a call":              {repair.Edit{Helper: suite.Order{"b.test.js#wipes"}, At: "a.test.js#y", Location: patch.PolluterEnd}, "  foo(1)\n  ;[1].forEach(wipe)"},
		"in a file with semicolons": {repair.Edit{Made: &patch.Made{Statements: []string{"[1].forEach(n)"}}, At: "c.test.js#x", Location: patch.PolluterEnd}, ""},
		"a body without braces":     {repair.Edit{Made: &patch.Made{Statements: []string{"n = 3"}}, At: "c.test.js#y", Location: patch.VictimStart}, "n = 3;\n  return n()"},
	} {
		if c.edit.Made != nil {
			c.edit.Keep = c.edit.Made.IDs()
		} else {
			script, err := e.Script(t.Context(), c.edit.Helper, c.edit.At)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range script {
				c.edit.Keep = append(c.edit.Keep, s.ID)
			}
		}
		c.edit.Style = patch.Inline
		b, err := e.Build(t.Context(), c.edit)
		switch {
		case c.want == "" && isUnfit(err):
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want == "" || !strings.Contains(b.Files[jestid.File(c.edit.At)], c.want):
			t.Errorf("%s:\n%s", name, b.Files[jestid.File(c.edit.At)])
		}
	}
	script, err := e.Script(t.Context(), suite.Order{"b.test.js#ends"}, "a.test.js#x")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range script {
		if strings.Contains(s.Text, "return") && !strings.Contains(s.Text, "return 2") {
			t.Errorf("a statement that ends the test: %s", s.Text)
		}
	}
	if len(script) != 2 {
		t.Errorf("%d statements", len(script))
	}
}
