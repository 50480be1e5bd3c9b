package jest

import (
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// TestKeep: what a test replaces is kept before each test of its block and put back after it, where no
// value can be written that is right on every machine.
func TestKeep(t *testing.T) {
	block := lines("describe('b', () => {", "  it('x', () => {});", "});")
	for name, c := range map[string]struct {
		file, text    string
		field         string
		before, after string // of the field's path
		path          string
		want          string // the patched file
	}{
		"a function of an object": {"a.test.js", block, "builtin console.log", "as the environment has it", "function replaced", "console.log",
			lines("describe('b', () => {", "  let originalLog;", "", "  beforeEach(() => {", "    originalLog = console.log;", "  });", "",
				"  afterEach(() => {", "    console.log = originalLog;", "  });", "", "  it('x', () => {});", "});")},
		"a global by its name": {"a.test.js", lines("it('x', () => {", "    window.fetch = 1", "})"), "builtin fetch", "as the environment has it", "function", "fetch",
			lines("let originalFetch", "", "beforeEach(() => {", "    originalFetch = window.fetch", "})", "", "afterEach(() => {",
				"    window.fetch = originalFetch", "})", "", "it('x', () => {", "    window.fetch = 1", "})")},
		"TypeScript": {"a.test.ts", lines("it('x', () => {", "\tuse();", "});"), "builtin Date.now", "as the environment has it", "function", "Date.now",
			lines("let originalNow: typeof Date.now;", "", "beforeEach(() => {", "\toriginalNow = Date.now;", "});", "", "afterEach(() => {",
				"\tDate.now = originalNow;", "});", "", "it('x', () => {", "\tuse();", "});")},
		"hooks that are there": {"a.test.js", lines("describe('b', () => {", "  beforeEach(() => {", "    start();", "  });", "", "  it('x', () => {});", "});"),
			"env HOME", "/root", "/tmp", "process.env.HOME",
			lines("describe('b', () => {", "  let originalHOME;", "", "  beforeEach(() => {", "    originalHOME = process.env.HOME;", "    start();", "  });", "",
				"  afterEach(() => {", "    if (originalHOME === undefined) {", "      delete process.env.HOME;", "    } else {",
				"      process.env.HOME = originalHOME;", "    }", "  });", "", "  it('x', () => {});", "});")},
		"a global of the tests": {"a.test.js", block, "global chrome", "an object of Object", "an object of Object (another one)", "chrome",
			lines("describe('b', () => {", "  let originalChrome;", "", "  beforeEach(() => {", "    originalChrome = globalThis.chrome;", "  });", "",
				"  afterEach(() => {", "    globalThis.chrome = originalChrome;", "  });", "", "  it('x', () => {});", "});")},
		"a member of one": {"a.test.js", block, "global chrome", "function", "function f", "chrome.open",
			lines("describe('b', () => {", "  let originalOpen;", "", "  beforeEach(() => {", "    originalOpen = chrome.open;", "  });", "",
				"  afterEach(() => {", "    chrome.open = originalOpen;", "  });", "", "  it('x', () => {});", "});")},
		"a long title": {"a.test.js", block, "document title", strings.Repeat("x", maxText), "y", "document.title",
			lines("describe('b', () => {", "  let originalTitle;", "", "  beforeEach(() => {", "    originalTitle = document.title;", "  });", "",
				"  afterEach(() => {", "    document.title = originalTitle;", "  });", "", "  it('x', () => {});", "});")},
		"what a mock answers with": {"a.test.js", "const api = require('api');\n" + block, "mock a.test.js api.get", "function", "function (another one)", "api.get implementation",
			"const api = require('api');\n" + lines("describe('b', () => {", "  let originalGet;", "", "  beforeEach(() => {", "    originalGet = api.get.getMockImplementation();", "  });", "",
				"  afterEach(() => {", "    api.get.mockReset().mockImplementation(originalGet);", "  });", "", "  it('x', () => {});", "});")},
		"the same in TypeScript": {"a.test.ts", lines("it('x', () => {", "  jest.mocked(api.get).mockReturnValue(1);", "});"), "mock a.test.ts api.get",
			"function", "function (another one)", "api.get implementation",
			lines("let originalGet: typeof api.get | undefined;", "", "beforeEach(() => {", "  originalGet = jest.mocked(api.get).getMockImplementation();", "});", "",
				"afterEach(() => {", "  jest.mocked(api.get).mockReset().mockImplementation(originalGet!);", "});", "",
				"it('x', () => {", "  jest.mocked(api.get).mockReturnValue(1);", "});")},
		"a cast in TypeScript": {"a.test.ts", lines("it('x', () => {", "  (get as jest.Mock).mockReturnValue(1);", "});"), "mock a.test.ts get",
			"function", "function (another one)", "get implementation",
			lines("let originalGet: typeof get | undefined;", "", "beforeEach(() => {", "  originalGet = (get as jest.Mock).getMockImplementation();", "});", "",
				"afterEach(() => {", "  (get as jest.Mock).mockReset().mockImplementation(originalGet!);", "});", "",
				"it('x', () => {", "  (get as jest.Mock).mockReturnValue(1);", "});")},
		"a store": {"a.test.ts", lines("const cart = make();", "it('x', () => {", "  use();", "});"), "var a.test.ts cart", "0", "1", "cart.getState().lines.length",
			lines("const cart = make();", "let originalCart: ReturnType<typeof cart.getState>;", "", "beforeEach(() => {", "  originalCart = cart.getState();",
				"});", "", "afterEach(() => {", "  cart.setState(originalCart, true);", "});", "", "it('x', () => {", "  use();", "});")},
		"calls of a mock only":          {"a.test.js", block, "mock a.test.js api.get", "0 calls", "1 call", "api.get.mock.calls", ""},
		"a variable that was not there": {"a.test.js", block, "env ODD", absent, "yes", "process.env.ODD", ""},
		"a value that can be written":   {"a.test.js", block, "global limit", "1", "2", "limit", ""},
		"the name is taken":             {"a.test.js", "const originalLog = 1;\n" + block, "builtin console.log", "as the environment has it", "function", "console.log", ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := editorOf(t, map[string]string{c.file: c.text})
			test := suite.TestID(c.file + "#b › x")
			if !strings.Contains(c.text, "describe") {
				test = suite.TestID(c.file + "#x")
			}
			got, err := e.Resets(t.Context(), project.ResetQuery{Reset: true, Fields: []string{c.field},
				Changes: []state.Change{{Field: c.field, Path: c.path, Before: c.before, After: c.after}},
				Cause:   repair.Cause{Cases: []repair.Case{{Test: test}}, Polluter: suite.Order{test}}})
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(got.Made, func(m patch.Made) bool { return len(m.Fields) > 0 })
			if at < 0 || c.want == "" {
				if at >= 0 || c.want != "" {
					t.Errorf("offered: %+v", got.Made)
				}
				return
			}
			edit := repair.Edit{Made: &got.Made[at], Keep: got.Made[at].IDs(), Location: patch.PolluterTeardown, At: test, Style: patch.Inline}
			built, err := e.Build(t.Context(), edit)
			if err != nil {
				t.Fatal(err)
			}
			if built.Files[c.file] != c.want {
				t.Errorf("got\n%s\nwant\n%s", built.Files[c.file], c.want)
			}
			edit.Location = patch.VictimSetup
			if _, err := e.Build(t.Context(), edit); err == nil {
				t.Error("a value is kept where it may be wrong already")
			}
		})
	}
}

// TestKept: what a constant of the file keeps is put back from there, before a variable is added for it.
func TestKept(t *testing.T) {
	e := editorOf(t, map[string]string{
		"log.test.js": lines("const error = console.error;", "it('x', () => {", "  console.error = 1;", "});"),
		"env.test.js": lines("describe('b', () => {", "  const mode = process.env.MODE;", "  it('x', () => {", "    process.env.MODE = 'y';", "  });", "});"),
		"far.test.js": lines("it('y', () => {});", "describe('b', () => {", "  const mode = process.env.MODE;", "  it('x', () => {", "    process.env.MODE = 'y';", "  });", "});"),
		"new.test.js": lines("it('x', () => {", "  process.env.MODE = 'y';", "});"),
	})
	kept := "if (mode === undefined) {\n  delete process.env.MODE;\n} else {\n  process.env.MODE = mode;\n}"
	again := "if (originalMODE === undefined) {\n  delete process.env.MODE;\n} else {\n  process.env.MODE = originalMODE;\n}"
	for _, c := range []struct {
		test  suite.TestID
		field string
		path  string
		want  []string
	}{
		{"env.test.js#b › x", "env MODE", "process.env.MODE", []string{"process.env.MODE = mode", again, "process.env.MODE = 'dark'",
			"delete process.env.MODE"}},
		{"log.test.js#x", "builtin console.error", "console.error", []string{"console.error = error", "console.error = originalError"}},
		{"env.test.js#b › x", "", "", []string{"delete process.env.MODE", kept, again}},
		{"far.test.js#y", "", "", []string{"delete process.env.MODE", kept, again}},
		{"new.test.js#x", "", "", []string{"delete process.env.MODE", again}},
	} {
		q := project.ResetQuery{Reset: true, Cause: repair.Cause{Cases: []repair.Case{{Test: c.test}}, Polluter: suite.Order{c.test}}}
		if c.field != "" {
			q.Fields = []string{c.field}
			q.Changes = []state.Change{{Field: c.field, Path: c.path, Before: "dark", After: "light"}}
		}
		got, err := e.Resets(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, m := range got.Made {
			if s := m.Statements[0]; strings.Contains(s, "MODE") || strings.Contains(s, "console.error =") {
				all = append(all, s)
			}
		}
		if !slices.Equal(all, c.want) {
			t.Errorf("%s: %q, want %q", c.test, all, c.want)
		}
	}
}

// TestReordered: an array is sorted if several of its elements differ, and its length does not.
func TestReordered(t *testing.T) {
	of := func(paths ...string) (out []state.Change) {
		for _, p := range paths {
			out = append(out, state.Change{Path: p, Before: "1", After: "2"})
		}
		return out
	}
	for _, c := range []struct {
		changes []state.Change
		want    []string
	}{
		{of("list[0]", "list[1]"), []string{"list"}},
		{of("a.list[0].name", "a.list[2].name", "b[0]"), []string{"a.list"}},
		{of("list[0].a", "list[0].b"), nil},
		{of(`errors["items.[0]"]`, `errors["items.[1]"]`), nil},
		{of("list[0]", "list[1]", "list.length"), nil},
		{append(of("list[0]"), state.Change{Path: "list[1]", Before: absent, After: "2"}), nil},
	} {
		if got := reordered(c.changes); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c.changes, got)
		}
	}
}
