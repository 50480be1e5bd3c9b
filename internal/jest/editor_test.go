package jest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

var (
	babelOnce sync.Once
	babelAt   string
)

// babel is the parser in the packages of an example.
func babel(t *testing.T) string {
	t.Helper()
	dir, work := example(t, "jest-mock-calls")
	babelOnce.Do(func() {
		p := &Project{opts: withDefaults(project.Options{Dir: dir, Work: work, Log: zap.NewNop(), Parallel: 1}), log: zap.NewNop()}
		if err := p.open(t.Context()); err != nil {
			t.Error(err)
		}
		babelAt = p.launch.Babel
		_ = p.Close()
	})
	if babelAt == "" {
		t.Fatal("the example has no Babel")
	}
	return babelAt
}

// editorOf edits the given files.
func editorOf(t *testing.T, files map[string]string) *editor {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir := t.TempDir()
	p := &Project{log: zap.NewNop(), tree: &tree{dir: dir}, work: t.TempDir()}
	p.processes = newProcesses(p.log, p.tree, 1)
	p.launch = launch{place: place{root: dir, top: dir, man: &manifest{}}, probe: probe{Babel: babel(t)}, node: node}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p.files = append(p.files, name)
	}
	e, err := p.Editor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e.(*editor)
}

func lines(text ...string) string { return strings.Join(text, "\n") + "\n" }

// TestBuild: statements get to their place as a person would write them in that file.
func TestBuild(t *testing.T) {
	plain := lines(
		"import { store } from './store'", "", "describe('store', () => {", "\tit('saves', async () => {",
		"\t\tawait store.save('a')", "\t})", "",
		"\t// empty at first", "\tit('is empty', () => expect(store.all()).toEqual([]))", "",
		"\tit('drops', async () => {", "\t\tconst one = 'a'", "\t\tawait store.drop(one)",
		"\t\texpect(store.all()).toEqual([])", "\t})", "})")
	for _, c := range []struct {
		name, file, text string
		edit             repair.Edit
		pick             func(repair.Statement) bool // of the helper's statements
		want             []string                    // that the new text holds
	}{
		{
			name: "a new teardown, with what the statement needs", file: "a.test.js", text: plain,
			edit: repair.Edit{Helper: suite.Order{"a.test.js#store › drops"}, Location: patch.PolluterTeardown,
				At: "a.test.js#store › saves", Complete: true},
			pick: func(s repair.Statement) bool { return strings.HasPrefix(s.Text, "await") },
			want: []string{"describe('store', () => {\n\tafterEach(async () => {\n\t\tconst one = 'a'\n\t\tawait " +
				"store.drop(one)\n\t})\n\n\tit('saves'"},
		},
		{
			name: "the start of a test that is an expression", file: "a.test.js", text: plain,
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"store.clear()"}}, Keep: []string{"0.0"},
				Location: patch.VictimStart, At: "a.test.js#store › is empty"},
			want: []string{"\tit('is empty', () => {\n\t\tstore.clear()\n\t\treturn expect(store.all()).toEqual([])\n\t})\n"},
		},
		{
			name: "a new setup before the comment of the first test", file: "a.test.ts",
			text: lines("let n: number = 0;", "", "// counts", "test(\"counts\", () => {", "  n++;", "  expect(n).toBe(1);", "});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"n = 0"}}, Keep: []string{"0.0"},
				Location: patch.VictimSetup, At: "a.test.ts#counts"},
			want: []string{"let n: number = 0;\n\nbeforeEach(() => {\n  n = 0;\n});\n\n// counts\n"},
		},
		{
			name: "a setup that is there", file: "a.test.js",
			text: lines("const f = jest.fn();", "describe('f', () => {", "  beforeEach(() => {", "    f();",
				"  });", "  test('x', () => {", "    expect(f).toHaveBeenCalledTimes(1);", "  });", "});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"f.mockClear()"}}, Keep: []string{"0.0"},
				Location: patch.VictimSetup, At: "a.test.js#f › x"},
			want: []string{"  beforeEach(() => {\n    f.mockClear();\n    f();\n  });"},
		},
		{
			name: "a setup of the block, once and ahead of its own statements", file: "a.test.js",
			text: lines("const f = jest.fn();", "describe('f', () => {", "  beforeAll(() => {", "    f();", "  });",
				"  test('x', () => {", "    expect(f).toHaveBeenCalledTimes(1);", "  });", "});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"f.mockClear()"}}, Keep: []string{"0.0"},
				Location: patch.VictimBlockSetup, At: "a.test.js#f › x"},
			want: []string{"  beforeAll(() => {\n    f.mockClear();\n    f();\n  });"},
		},
		{
			name: "tests in a function that a block calls", file: "a.test.js",
			text: lines("const http = jest.fn();", "describe.each([['a'], ['b']])('%s', () => {", "  const tests = function () {",
				"    describe('push', () => {", "      it('pushes', () => {", "        http();", "      });", "    });", "  };", "",
				"  describe('global', () => {", "    tests();", "  });", "});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"http.mockClear()"}}, Keep: []string{"0.0"},
				Location: patch.PolluterTeardown, At: "a.test.js#b › global › push › pushes"},
			want: []string{"    describe('push', () => {\n      afterEach(() => {\n        http.mockClear();\n      });\n\n      it("},
		},
		{
			name: "a test in a function that a block calls", file: "a.test.js",
			text: lines("describe('f', () => {", "  function tests() {", "    it('runs', () => {", "      f();", "    });", "  }", "",
				"  tests();", "});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"f.f = originalF"}, Fields: []string{"originalF = f.f"}}, Keep: []string{"0.1"},
				Location: patch.PolluterTeardown, At: "a.test.js#f › runs"},
			want: []string{"  }\n\n  let originalF;\n\n  beforeEach(() => {\n    originalF = f.f;\n  });\n"},
		},
		{
			name: "a function that makes a test, in a loop without braces", file: "a.test.js",
			text: lines("const itInNode = process.version ? it : it.skip;", "[1, 2].forEach((n) => itInNode('runs', () => {", "  f(n);", "}));"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"jest.clearAllMocks()"}}, Keep: []string{"0.0"},
				Location: patch.VictimStart, At: "a.test.js#runs"},
			want: []string{"itInNode('runs', () => {\n  jest.clearAllMocks();\n  f(n);"},
		},
		{
			name: "an inner block, whose outer block has the hook, too", file: "a.test.js",
			text: lines("describe('f', () => {", "  it('x', () => {});", "  describe('g', () => {", "    it('y', () => {});", "  });", "});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"jest.clearAllMocks()"}}, Keep: []string{"0.0"},
				Location: patch.PolluterTeardown, At: "a.test.js#f › g › y", Also: suite.Order{"a.test.js#f › x"}},
			want: []string{"describe('f', () => {\n  afterEach(() => {\n    jest.clearAllMocks();\n  });\n\n  it('x'", "  describe('g', () => {\n    it('y'"},
		},
		{
			name: "once after the tests of the block that sets up once", file: "a.test.js",
			text: lines("describe('f', () => {", "  beforeAll(() => {", "    f();", "  });", "", "  describe('g', () => {", "    it('x', () => {});",
				"  });", "});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"delete process.env.F"}}, Keep: []string{"0.0"},
				Location: patch.PolluterClassTeardown, At: "a.test.js#f › g › x"},
			want: []string{"    f();\n  });\n\n  afterAll(() => {\n    delete process.env.F;\n  });\n\n  describe('g'"},
		},
		{
			name: "two statements that stay together, without semicolons", file: "a.test.js",
			text: lines("it('x', () => {", "  expect(store.clear).toHaveBeenCalledTimes(1)", "})"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"store.clear();\nstore.clear.mockClear()"}}, Keep: []string{"0.0"},
				Location: patch.VictimStart, At: "a.test.js#x"},
			want: []string{"it('x', () => {\n  store.clear()\n  store.clear.mockClear()\n  expect("},
		},
		{
			name: "the end of a test in one line", file: "a.test.js", text: lines("it('é', () => { global.a = 1 })"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"delete global.a"}}, Keep: []string{"0.0"},
				Location: patch.PolluterEnd, At: "a.test.js#é"},
			want: []string{"it('é', () => { global.a = 1; delete global.a; })"},
		},
		{
			name: "names that Jest's globals are imported by", file: "a.test.mts",
			text: lines("import { expect, it } from '@jest/globals';", "it('x', () => {", "  expect(1).toBe(1);", "});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"jest.resetModules()"}}, Keep: []string{"0.0"},
				Location: patch.PolluterTeardown, At: "a.test.mts#x"},
			want: []string{"import { expect, it, afterEach, jest } from '@jest/globals';\nafterEach(() => {\n" +
				"  jest.resetModules();\n});\n\nit('x'"},
		},
		{
			name: "line ends of Windows", file: "a.test.js", text: "it('x', () => {\r\n  global.a = 1;\r\n});\r\n",
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"delete global.a"}}, Keep: []string{"0.0"},
				Location: patch.PolluterTeardown, At: "a.test.js#x"},
			want: []string{"afterEach(() => {\r\n  delete global.a;\r\n});\r\n\r\nit('x'"},
		},
		{
			name: "options at the beginning of a file", file: "a.test.ts",
			text: lines("/** @jest-environment jsdom */", "// @ts-check", "// Adds.", "it('x', () => {});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"delete global.a"}}, Keep: []string{"0.0"},
				Location: patch.PolluterTeardown, At: "a.test.ts#x"},
			want: []string{"/** @jest-environment jsdom */\n// @ts-check\nafterEach(() => {\n  delete global.a;\n});\n\n// Adds.\nit('x'"},
		},
		{
			name: "a licence and options of tools at the beginning of a file", file: "a.test.js",
			text: lines("// Copyright The Authors", "// All rights reserved.", "/* eslint-env jest */", "/* istanbul ignore file */",
				"// eslint-disable-next-line no-undef", "it('x', () => {});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"delete global.a"}}, Keep: []string{"0.0"},
				Location: patch.PolluterTeardown, At: "a.test.js#x"},
			want: []string{"ignore file */\nafterEach(() => {\n  delete global.a;\n});\n\n// eslint-disable-next-line no-undef\nit('x'"},
		},
		{
			name: "switches", file: "a.test.tsx", text: lines("/** @jest-environment jsdom */", "it('x', () => {", "  const a = 1;", "  use(a);", "});"),
			edit: repair.Edit{Helper: suite.Order{"a.test.tsx#x"}, Switched: true, Location: patch.VictimSetup, At: "a.test.tsx#x"},
			pick: func(repair.Statement) bool { return true },
			want: []string{"/** @jest-environment jsdom */\n// @ts-nocheck\n", "  if ((globalThis as any)[Symbol.for('odfix.on')](0)) { var a = 1; }\n" +
				"  if ((globalThis as any)[Symbol.for('odfix.on')](1)) { use(a); }\n"},
		},
		{
			name: "a switch of a statement that no test contains", file: "a.test.js", text: lines("it('x', () => {", "  a = 1;", "});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"delete global.a"}}, Keep: []string{"0.0"}, Switched: true,
				Location: patch.VictimStart, At: "a.test.js#x"},
			want: []string{"{\n  if (globalThis[Symbol.for('odfix.on')](0)) { try { delete global.a; } " +
				"catch (odfixThrew) { if (!globalThis[Symbol.for('odfix.on')].several()) throw odfixThrew; } }\n  a = 1;"},
		},
		{
			name: "a title that is computed", file: "a.test.js", text: lines("test.each([1, 2])('adds %i', (n) => {",
				"  global.sum = n;", "});", "it('is none', () => {", "  expect(global.sum).toBe(undefined);", "});"),
			edit: repair.Edit{Made: &patch.Made{Statements: []string{"delete global.sum"}}, Keep: []string{"0.0"},
				Location: patch.PolluterEnd, At: "a.test.js#adds 2"},
			want: []string{"  global.sum = n;\n  delete global.sum;\n});"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := editorOf(t, map[string]string{c.file: c.text})
			c.edit.Style = patch.Inline
			if c.pick != nil {
				script, err := e.Script(t.Context(), c.edit.Helper, c.edit.At)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range script {
					if c.pick(s) {
						c.edit.Keep = append(c.edit.Keep, s.ID)
					}
				}
			}
			built, err := e.Build(t.Context(), c.edit)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(built.Files[c.file], want) {
					t.Errorf("the file is\n%s\nand lacks\n%s", built.Files[c.file], want)
				}
			}
			if built.Before[c.file] != c.text || built.Overlay == "" || len(built.Kept) == 0 {
				t.Errorf("%+v", built)
			}
		})
	}
}

// TestBuildAcrossFiles: a statement takes with it what its own file declares and imports.
func TestBuildAcrossFiles(t *testing.T) {
	e := editorOf(t, map[string]string{
		"test/a.test.js": lines("const fs = require('fs');", "const { folder } = require('../src/folder');",
			"", "const file = folder + '/a';", "", "it('removes', () => {", "  fs.rmSync(file);", "});"),
		"test/sub/b.test.js": lines("const path = require('path');", "", "it('writes', () => {", "  path.join();", "});"),
	})
	script, err := e.Script(t.Context(), suite.Order{"test/a.test.js#removes"}, "test/sub/b.test.js#writes")
	if err != nil {
		t.Fatal(err)
	}
	last := script[len(script)-1]
	if len(script) != 2 || last.Text != "fs.rmSync(file);" || !slices.Equal(last.Requires, []string{script[0].ID}) {
		t.Fatalf("%+v", script)
	}
	built, err := e.Build(t.Context(), repair.Edit{
		Helper: suite.Order{"test/a.test.js#removes"}, Keep: []string{last.ID}, Complete: true,
		Location: patch.PolluterTeardown, At: "test/sub/b.test.js#writes", Style: patch.Inline,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := lines(
		"const path = require('path');", "const { folder } = require('../../src/folder');",
		"const fs = require('fs');", "", "afterEach(() => {", "  const file = folder + '/a';", "  fs.rmSync(file);", "});", "",
		"it('writes', () => {", "  path.join();", "});")
	if got := built.Files["test/sub/b.test.js"]; got != want {
		t.Errorf("the file is\n%s", got)
	}
}

// TestResets: the narrowest statements come first.
func TestResets(t *testing.T) {
	e := editorOf(t, map[string]string{
		"a.test.js": lines("import store, { resetAll, other } from './store';", "const send = jest.fn();",
			"let count = 0;", "it('x', () => {", "  process.env.MODE = 'x';", "});"),
		"store.js": lines("export function resetAll() {}", "export function other() {}", "export default { clear() {}, add(x) {} };"),
	})
	got, err := e.Resets(t.Context(), project.ResetQuery{Cause: repair.Cause{Cases: []repair.Case{{Test: "a.test.js#x"}}}, Reset: true})
	if err != nil {
		t.Fatal(err)
	}
	var statements []string
	for _, m := range got.Made {
		statements = append(statements, m.Statements...)
	}
	want := []string{"send.mockClear()", "send.mockReset()", "count = 0", "store.clear()", "resetAll()",
		"delete process.env.MODE", "jest.clearAllMocks()"}
	if len(statements) < len(want) || !slices.Equal(statements[:len(want)], want) {
		t.Errorf("%q", statements)
	}
}

// TestSetAgain: the functions with which a file sets state are called with what it was before.
func TestSetAgain(t *testing.T) {
	e := editorOf(t, map[string]string{
		"a.test.js": lines("const { configure, setMode, pick, log } = require('./config');", "it('x', () => {",
			"  configure({ mode: 'slow', deep: { a: 1 }, level: 2 });", "  setMode(slow());", "  pick('slow');", "  log('other');",
			"  expect('slow');", "});"),
		"config.js": lines("const config = {};", "module.exports = { configure(c) {}, setMode(m) {}, pick(m) {}, log(m) {} };"),
	})
	field := "var config.js config"
	got, err := e.Resets(t.Context(), project.ResetQuery{Reset: true,
		Cause:  repair.Cause{Cases: []repair.Case{{Test: "a.test.js#x"}}, Polluter: suite.Order{"a.test.js#x"}},
		Fields: []string{field}, Changes: []state.Change{
			{Field: field, Path: "config._mode", Before: `"fast"`, After: `"slow"`}, {Field: field, Path: "config.mode", Before: `"fast"`, After: `"slow"`},
			{Field: field, Path: "config.deep", Before: "an object of Object", After: "an object of Object"},
			{Field: field, Path: "config.level", Before: "1", After: "2"},
		}})
	if err != nil {
		t.Fatal(err)
	}
	var statements []string
	for _, m := range got.Made {
		statements = append(statements, m.Statements...)
	}
	want := []string{"configure({ mode: 'fast', level: 1 })", "setMode('fast')", "pick('fast')"}
	if len(statements) < len(want) || !slices.Equal(statements[:len(want)], want) {
		t.Errorf("%q", statements)
	}
}

// TestMockResets: mocks that a setup file makes are reset by the names by which the test checks
// them; where a file checks many, all at once comes first. Resets that the file calls are tried.
func TestMockResets(t *testing.T) {
	check := func(mock string) string { return "  expect(chrome." + mock + ").not.toHaveBeenCalledTimes(2);" }
	e := editorOf(t, map[string]string{
		"few.test.js": lines("const cache = require('cache');", "afterAll(() => cache.reset());", "it('x', () => {", "  const own = jest.fn();",
			"  expect(own).toBeCalled();", check("tabs.create"), "  expect(chrome.version).toBe(1);", "});", "it('y', () => {", check("tabs.remove"), "});"),
		"mocked.test.js": lines("beforeEach(() => chrome.clear());", "it('x', () => {", check("clear"), "});", "it('y', () => {});"),
		"own.test.js":    lines("const spy = mocks.spyOn(global, 'setTimeout');", "it('x', () => {", "  expect(spy).toBeCalledTimes(1);", "});", "it('y', () => {});"),
		"many.test.js":   lines("it('x', () => {", check("a"), check("b"), "});", "it('y', () => {", "  expect(jest.isMockFunction(chrome.c)).toBe(true);", "});"),
	})
	for file, want := range map[string][]string{
		"few.test.js": {"cache.reset()", "chrome.tabs.create.mockClear()", "jest.clearAllMocks()", "jest.restoreAllMocks()", "jest.resetAllMocks()",
			"jest.resetModules()"},
		"many.test.js": {"jest.clearAllMocks()", "chrome.a.mockClear()", "chrome.b.mockClear()", "jest.restoreAllMocks()", "jest.resetAllMocks()",
			"jest.resetModules()"},
		"mocked.test.js": {"chrome.clear();\nchrome.clear.mockClear()", "chrome.clear()", "chrome.clear.mockClear()", "jest.clearAllMocks()",
			"jest.restoreAllMocks()", "jest.resetAllMocks()", "jest.resetModules()"},
		"own.test.js": {"spy.mockClear()", "spy.mockReset()", "jest.clearAllMocks()", "jest.restoreAllMocks()", "jest.resetAllMocks()",
			"jest.resetModules()"},
	} {
		x := suite.TestID(file + "#x")
		cause := repair.Cause{Cases: []repair.Case{{Test: x}}, Polluter: suite.Order{suite.TestID(file + "#y")}}
		got, err := e.Resets(t.Context(), project.ResetQuery{Cause: cause, Reset: true})
		if err != nil {
			t.Fatal(err)
		}
		var statements []string
		for _, m := range got.Made {
			statements = append(statements, m.Statements...)
		}
		if !slices.Equal(statements, want) {
			t.Errorf("%s: %q", file, statements)
		}
	}
	built, err := e.Build(t.Context(), repair.Edit{Made: &patch.Made{Statements: []string{"chrome.a.mockClear()"}}, Keep: []string{"0.0"},
		Location: patch.VictimStart, At: "many.test.js#x", Style: patch.Inline})
	if err != nil || !strings.Contains(built.Files["many.test.js"], "{\n  chrome.a.mockClear();\n") {
		t.Errorf("%+v, %v", built, err)
	}
}
