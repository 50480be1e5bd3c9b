package jest

import (
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// TestCallsOfBlocks: a call is offered where its describe blocks are around the test. The name decides
// which call comes first.
func TestCallsOfBlocks(t *testing.T) {
	e := editorOf(t, map[string]string{
		"src/index.js": "export { shelf } from './shelf';\n", "src/shelf.js": "export const shelf = make();\n",
		"a.test.js": lines("import { shelf } from './src';", "describe.each([1])('loans %d', () => {", "  const desk = open();",
			"  describe(`by ${mail}`, () => {",
			"    const box = open();", "    it('x', () => {});", "  });", "  it('y', () => {});", "});", "it('z', () => {});"),
	})
	e.p.calls.add("a.test.js", []harness.Call{
		{Function: "shelf.desk.reset"}, {Function: "shelf.dispose"}, {Function: "shelf.clearAll"}, {Function: "shelf._reset"},
		{Function: "shelf.clear(); evil"},
		{Blocks: []string{"loans %d"}, Function: "desk.clear"}, {Blocks: []string{"loans %d", "…"}, Function: "box.empty"},
		{Blocks: []string{"loans %d", "…", "returns"}, Function: "van.clear"},
	})
	e.p.calls.add("a.test.js", []harness.Call{{Function: "shelf.dispose"}})
	e.p.calls.add("b.test.js", []harness.Call{{Function: "other.reset"}})
	for name, want := range map[string][]string{
		"loans 1 › by mail › x": {"shelf._reset()", "shelf.clearAll()", "desk.clear()", "shelf.dispose()", "box.empty()", "shelf.desk.reset()"},
		"loans 1 › y":           {"shelf._reset()", "shelf.clearAll()", "desk.clear()", "shelf.dispose()", "shelf.desk.reset()"},
		"z":                     {"shelf._reset()", "shelf.clearAll()", "shelf.dispose()", "shelf.desk.reset()"},
	} {
		test := suite.TestID("a.test.js#" + name)
		for _, fields := range [][]string{nil, {"var src/shelf.js shelf"}} {
			got, err := e.Resets(t.Context(), project.ResetQuery{Reset: true, Fields: fields, Cause: repair.Cause{Cases: []repair.Case{{Test: test}},
				Polluter: suite.Order{test}}})
			if err != nil {
				t.Fatal(err)
			}
			var calls []string
			for _, m := range got.Made {
				if s := m.Statements[0]; !strings.HasPrefix(s, "jest.") && len(m.Imports) == 0 {
					calls = append(calls, s)
				}
				if s := m.Statements[0]; s == "shelf._reset()" && fields != nil && m.Resets != fields[0] {
					t.Errorf("%s resets %s", s, m.Resets)
				}
			}
			if !slices.Equal(calls, want) {
				t.Errorf("%s: %q", test, calls)
			}
		}
	}
	made := patch.Made{Statements: []string{"desk.clear()"}}
	if built, err := e.Build(t.Context(), repair.Edit{Made: &made, Keep: made.IDs(), Location: patch.PolluterTeardown, At: "a.test.js#z",
		Style: patch.Inline}); !isUnfit(err) {
		t.Errorf("the call of another block: %+v, %v", built, err)
	}
}

// TestImportedObjects: state below a variable of another file is written by the name under which the test file
// imports the same object: from another module, or under another name. TypeScript wants the name of a private
// member as a text.
func TestImportedObjects(t *testing.T) {
	t.Run("of a default export", func(t *testing.T) {
		e := editorOf(t, map[string]string{"src/net.js": "let _state = null;\nexport default { configure() {} };\n",
			"a.test.js": lines("import Net from './src/net';", "it('x', () => {});")})
		for _, imports := range [][]harness.Imported{nil, {{Path: "Net", File: "src/net.js", Variable: "other"}}} {
			e.p.calls.addImports("a.test.js", imports)
			s := seenState{r: &resets{e: e}, f: &found{o: &outline{file: "a.test.js", Imports: []importing{{From: "./src/net", ESM: true,
				Names: []importedName{{Local: "Net", Imported: "default"}}}}}}}
			if got := s.reach("src/net.js", "_state.on"); (len(got) == 0) != (imports != nil) {
				t.Errorf("%v: a variable is taken for a member of the default export: %q", imports, got)
			}
			if got := s.reach("src/net.js", "module.exports.default.on"); !slices.Contains(got, "Net.on") {
				t.Errorf("%v: %q", imports, got)
			}
		}
	})

	const field = "var src/shelf.ts _shelf"
	e := editorOf(t, map[string]string{
		"src/index.ts": "export { shelf } from './shelf';\n", "src/shelf.ts": "const _shelf = make();\nexport const shelf = _shelf;\n",
		"a.test.ts": lines("import { shelf } from './src';", "describe('loans', () => {", "  it('x', () => {});", "});", "it('z', () => {});"),
	})
	e.p.calls.addImports("a.test.ts", []harness.Imported{
		{Path: "library.shelf", File: "src/shelf.ts", Variable: "_shelf"}, {Path: "shelf", File: "src/shelf.ts", Variable: "_shelf"},
		{Path: "shelf; evil", File: "src/shelf.ts", Variable: "_shelf"}, {Path: "other", File: "src/other.ts", Variable: "_shelf"},
		{Blocks: []string{"loans"}, Path: "own", File: "src/shelf.ts", Variable: "_shelf"},
	})
	for name, want := range map[string][]string{
		"loans › x": {"delete own['_path']", "delete shelf['_path']", "delete library.shelf['_path']",
			"own.size = 3", "shelf.size = 3", "library.shelf.size = 3",
			"(own as any).size = 3", "(shelf as any).size = 3", "(library as any).shelf.size = 3"},
		"z": {"delete shelf['_path']", "delete library.shelf['_path']", "shelf.size = 3", "library.shelf.size = 3",
			"(shelf as any).size = 3", "(library as any).shelf.size = 3"},
	} {
		test := suite.TestID("a.test.ts#" + name)
		got, err := e.Resets(t.Context(), project.ResetQuery{Reset: true, Fields: []string{field}, Changes: []state.Change{
			{Field: field, Path: "_shelf._path", Before: "absent", After: `"a"`}, {Field: field, Path: "_shelf.size", Before: "3", After: "4"}},
			Cause: repair.Cause{Cases: []repair.Case{{Test: test}}, Polluter: suite.Order{test}}})
		if err != nil {
			t.Fatal(err)
		}
		var statements []string
		for _, m := range got.Made {
			if m.Resets == field {
				statements = append(statements, m.Statements...)
			}
		}
		if !slices.Equal(statements, want) {
			t.Errorf("%s: %q", test, statements)
		}
	}
}

// TestMocksInTypeScript: a mock has its methods by the expression that the file itself uses.
func TestMocksInTypeScript(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "get, jest.mocked(get)",
		"get.mockReturnValue(1)":             "get",
		"get.mock.calls":                     "get",
		"widget.mockClear()":                 "get, jest.mocked(get)",
		"api.get.mockClear()":                "get, jest.mocked(get)",
		"jest.mocked(get).mockClear()":       "jest.mocked(get)",
		"(get as jest.Mock).mockClear()":     "(get as jest.Mock)",
		"(get as unknown as jest.Mock).mock": "(get as unknown as jest.Mock)",
		"(get as jest.MockedFunction<typeof api.get>)": "(get as jest.MockedFunction<typeof api.get>)",
		"(get as evil()).mock":                         "get, jest.mocked(get)",
	} {
		f := &found{o: &outline{file: "a.test.ts", text: text}}
		if got := strings.Join(f.mocks("get"), ", "); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	f := &found{o: &outline{file: "a.test.ts"}, blocks: []*block{{Variables: []variable{{Name: "get", Class: "jest.fn"}}}}}
	if got := f.mocks("get"); len(got) != 1 || got[0] != "get" {
		t.Errorf("a variable that is a mock: %q", got)
	}
}

// TestPrivateMembers: in TypeScript, members that are private by their name are written as texts, wherever they
// stand, and keys of elements stay as they are.
func TestPrivateMembers(t *testing.T) {
	for path, want := range map[string]string{
		"shelf._items.length":    `shelf["_items"].length`,
		"shelf._a._b":            `shelf["_a"]["_b"]`,
		"_shelf.size":            "_shelf.size",
		`shelf.files["a._b"][0]`: `shelf.files["a._b"][0]`,
		`shelf._files["a._b"]`:   `shelf["_files"]["a._b"]`,
	} {
		if got := (&outline{file: "a.test.ts", text: `"`}).private(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
		if got := (&outline{file: "a.test.js"}).private(path); got != path {
			t.Errorf("JavaScript: %s", got)
		}
	}
}
