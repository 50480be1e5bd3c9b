package jest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
)

// TestAttackAwait: a report that nobody vouches for can name any place, and anything beside it.
func TestAttackAwait(t *testing.T) {
	const source = "test('x', () => {\n  send();\n});\n"
	e := editorOf(t, map[string]string{"a.test.js": source})
	e.p.tree.entries = map[string]entry{"src/inspector.js": {}, "src/setup.ts": {}, "test/shared.js": {}, "test/link.js": {mode: os.ModeSymlink},
		"test/plain.js": {}, "__mocks__/a.test.js": {}}
	for file, text := range map[string]string{
		"src/inspector.js": "class A {\n  test(value) {\n    return value;\n  }\n}\ntest('x', () => {\n  send();\n});\n",
		"src/setup.ts":     source, "test/shared.js": source, "test/link.js": source, "test/plain.js": "export const test = (value) => send(value);\n",
		"__mocks__/a.test.js": source,
	} {
		writeFile(t, filepath.Join(e.p.tree.dir, file), text)
		if got, want := e.p.IsTestSource(file), file == "test/shared.js"; got != want {
			t.Errorf("%s is a test source: %v", file, got)
		}
	}
	if built, err := e.Build(t.Context(), awaitEdit("src/setup.ts:2:3")); !isUnfit(err) || !strings.Contains(err.Error(), "no file with tests") {
		t.Errorf("production code: %v, %+v", err, built)
	}
	if _, err := e.Build(t.Context(), awaitEdit("test/shared.js:2:3")); err != nil {
		t.Errorf("tests for several files: %v", err)
	}
	for name, forge := range map[string]func(*repair.Edit){
		"with statements":     func(e *repair.Edit) { e.Made.Statements = []string{"jest.clearAllMocks();"} },
		"with fields":         func(e *repair.Edit) { e.Made.Fields = []string{"a = 1"} },
		"with a declaration":  func(e *repair.Edit) { e.Made.Unshare = []string{"a.B.c"} },
		"with an annotation":  func(e *repair.Edit) { e.Made.Annotate = []string{"a.B"} },
		"at another location": func(e *repair.Edit) { e.Location = patch.VictimStart },
	} {
		edit := awaitEdit("a.test.js:2:3")
		forge(&edit)
		edit.Keep = edit.Made.IDs()
		if built, err := e.Build(t.Context(), edit); !isUnfit(err) {
			t.Errorf("%s: %v, %+v", name, err, built)
		}
	}
}
