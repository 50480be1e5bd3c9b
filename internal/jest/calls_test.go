package jest

import (
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
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
