package jest

import (
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// TestAttackMadeStatements: a report names statements that no test holds. Those that end the test, change
// how it checks, run other code, or hold text for readers are refused: with them a test passes whatever
// the state is. The forms that odfix writes itself are taken.
func TestAttackMadeStatements(t *testing.T) {
	e := editorOf(t, map[string]string{
		"a.test.js": lines("const store = require('./store');", "const disk = require('fs');", "const ok = require('node:assert');",
			"const look = expect;", "const send = jest.fn(() => 1);", "it('x', () => {", "  expect(f()).toBe(1);", "});"),
		"b.test.js": lines("const { expect: check, jest: j } = require('@jest/globals');", "it('x', () => {", "  check(1).toBe(1);", "});"),
		"store.js":  lines("exports.all = () => 1;"),
	})
	for file, statements := range map[string]map[string]bool{
		"b.test.js": {"check.extend({ toBe: 1 })": false, "check = j": false, "global.a = 1": true},
		"a.test.js": {
			"store.clear()": true, "store.clear();\nstore.clear.mockClear()": true, "send.mockReset().mockImplementation(() => 1)": true,
			"store.list.length = 0": true, "store.items[0].name = 'https://a.example'": true, "delete global.a": true,
			"delete process.env['A B']": true, "process.env.NODE_ENV = 'test'": true, "store.test = true": true,
			"process.removeAllListeners('exit')": true, "jest.dontMock('./store')": true, "jest.useRealTimers()": true,
			"require('fs').rmSync('left', { recursive: true, force: true })": true, "store.value = new store.Thing(1)": true,
			"document.cookie = 'a=; expires=Thu, 01 Jan 1970 00:00:00 GMT'": true, "await store.close()": true,
			"store.configure({ mode: 'fast', level: -1 })": true, "window.history.replaceState(null, '', '/')": true,

			"return": false, "if (process) return": false, "throw 1": false, "while (true) {}": false, "var expect": false, "it = test": false,
			"expect = () => global": false, "expect.extend({})": false, "global.expect = store": false, "globalThis['expect'] = store": false,
			"require('@jest/globals').expect.extend({})": false, "global.it = global.xit": false, "jest.retryTimes(9)": false,
			"jest.spyOn(store, 'all')": false, "jest['spyOn'](store, 'all')": false, "process.exit(0)": false, "eval('1')": false,
			"process.mainModule.require('child_process').execSync('id')": false, "(() => {}).constructor('return 1')()": false,
			"store.all.constructor('return 1')()": false, "Object.defineProperty(global, 'expect', {})": false, "new Function('')()": false,
			"store.all = () => 2": false, "store.all = { get() { return 2; } }": false, "global.a = `\n@someone\n`": false,
			"if (store) { return }": false, "if (store === 1) { return }": false, "if (store === 1) { while (true) {} }": false,
			"'see https://a.example'": false, "jest.resetModules() // [x](https://a.example)": false, "global.a = 1 <!-- @you": false,
			"global.a = 1, expect.extend({})": false, "this.a = 1": false, "": false, "global.eval('1')": false, "global.global.expect = store": false,
			"global.a = new global.Function('')": false, "global.Object.defineProperty(store, 'a', {})": false, "global.process.exit(0)": false,
			"require('fs').writeFileSync('store.js', '')": false, "disk.writeFileSync('store.js', '')": false, "jest = store": false,
			"require = store.all": false, "process = store": false, "jest.fn = store": false, "process.exit = store": false,
			"store.__proto__.a = 1": false, "look.extend({})": false, "ok.equal = store": false,
			"disk.rmSync('left')": true, "process.env.A = 'a'": true, "global.Math.random = store.random": true, "store.prototype.a = 1": true, "delete store.prototype.a": true,
		},
	} {
		for text, ok := range statements {
			_, err := e.Build(t.Context(), repair.Edit{Made: &patch.Made{Statements: []string{text}}, Keep: []string{"0.0"},
				Location: patch.VictimStart, At: suite.TestID(file + "#x"), Style: patch.Inline})
			if (err == nil) != ok || err != nil && !isUnfit(err) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// TestAttackImports: what a report says of imports, fields and several statements is a text of the patch,
// too.
func TestAttackImports(t *testing.T) {
	e := editorOf(t, map[string]string{
		"a.test.js": lines("const other = require('./other');", "it('x', () => {", "  expect(JSON.parse(f())).toBe(1);", "});"),
		"store.js":  lines("exports.reset = () => {};"), "other.js": lines("exports.a = 1;"), "o') + ('x.js": lines("exports.reset = () => {};"),
	})
	reset := func(i patch.Import) patch.Made {
		return patch.Made{Statements: []string{i.Local() + "()"}, Imports: []patch.Import{i}}
	}
	for name, c := range map[string]struct {
		made patch.Made
		ok   bool
	}{
		"an import":                             {reset(patch.Import{Name: "reset", Module: "store.js"}), true},
		"another name":                          {reset(patch.Import{Name: "reset", As: "resetStore", Module: "store.js"}), true},
		"code as name":                          {reset(patch.Import{Name: "a } = {}; expect = 1; const { reset", As: "reset", Module: "store.js"}), false},
		"a quoted path":                         {reset(patch.Import{Name: "reset", Module: "o') + ('x.js"}), false},
		"a call and what it leaves in its mock": {patch.Made{Statements: []string{"other.clear();\nother.clear.mockClear()"}}, true},
		"two calls":                             {patch.Made{Statements: []string{"other.clear();\nother.load()"}}, false},
		"a kept check":                          {patch.Made{Fields: []string{"originalA = expect.extend"}, Statements: []string{"expect.extend = originalA"}}, false},
		"a branch that never runs": {patch.Made{Fields: []string{"originalA = process.env.A"},
			Statements: []string{"if (1 === 1) {\n  process.env.A = originalA\n} else {\n  delete other.a\n}"}}, false},
		"a kept environment": {patch.Made{Fields: []string{"originalA = process.env.A"},
			Statements: []string{"if (originalA === undefined) {\n  delete process.env.A\n} else {\n  process.env.A = originalA\n}"}}, true},
		"a value that nothing uses": {patch.Made{Fields: []string{"originalA = other.a", "originalB = other.b"},
			Statements: []string{"other.a = originalA"}}, false},
		"how values are compared": {patch.Made{Statements: []string{"global.Object.is = other"}}, false},
		"deletions in a call":     {patch.Made{Statements: []string{"other.reset(delete other.a)"}}, false},
		"a kept exit elsewhere":   {patch.Made{Fields: []string{"originalA = process.exit"}, Statements: []string{"other.a = originalA"}}, false},
		"a kept exit":             {patch.Made{Fields: []string{"originalA = process.exit"}, Statements: []string{"process.exit = originalA"}}, true},
		"a kept method of JSON":   {patch.Made{Fields: []string{"originalA = JSON.parse"}, Statements: []string{"JSON.parse = originalA"}}, true},
		"a kept exit, and a call": {patch.Made{Fields: []string{"originalA = process.exit"}, Statements: []string{"process.exit = originalA", "originalA(0)"}}, false},
		"a spy on exit":           {patch.Made{Statements: []string{"process.exit.mockRestore()"}}, true},
		"a spy on JSON":           {patch.Made{Statements: []string{"JSON.stringify.mockRestore()"}}, true},
		"a kept variable":         {patch.Made{Fields: []string{"originalA = other.a"}, Statements: []string{"other.a = originalA"}}, true},
		"files elsewhere":         {patch.Made{Statements: []string{"require('fs').rmSync('/left')"}}, false},
		"files above":             {patch.Made{Statements: []string{"require('fs').rmSync('a/../../left')"}}, false},
		"the repository":          {patch.Made{Statements: []string{"require('fs').rmSync('.git', { recursive: true })"}}, false},
		"by the document":         {patch.Made{Statements: []string{"document.defaultView.a = 1"}}, false},
		"a server":                {patch.Made{Statements: []string{"other.server.kill()"}}, true},
	} {
		location := patch.VictimStart
		if len(c.made.Fields) > 0 {
			location = patch.PolluterTeardown
		}
		_, err := e.Build(t.Context(), repair.Edit{Made: &c.made, Keep: c.made.IDs(), Location: location, At: "a.test.js#x", Style: patch.Inline})
		if (err == nil) != c.ok || err != nil && !isUnfit(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
