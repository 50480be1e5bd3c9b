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
			"disk.rmSync('left')": true, "process.env.A = 'a'": true, "store.prototype.a = 1": true, "delete store.prototype.a": true,
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
