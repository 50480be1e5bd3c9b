package jest

import (
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// TestTestsOfAnotherFile: a test that a function of another file defines gets hooks in the block that calls the
// function, or in the file. Statements in the test itself are not possible.
func TestTestsOfAnotherFile(t *testing.T) {
	e := editorOf(t, map[string]string{
		"shared.js": "exports.shared = (make) => describe('keys', () => { it('keeps', () => {}); });\n",
		"a.test.js": lines("const { shared } = require('./shared');", "", "describe('store', () => {", "  shared(open);", "});", "", "shared(close);",
			"", "it('own', () => {});"),
	})
	for test, want := range map[suite.TestID]string{
		"a.test.js#store › keys › keeps": lines("const { shared } = require('./shared');", "", "describe('store', () => {", "  afterEach(() => {",
			"    jest.clearAllMocks();", "  });", "", "  shared(open);", "});", "", "shared(close);", "", "it('own', () => {});"),
		"a.test.js#keys › keeps": lines("const { shared } = require('./shared');", "", "afterEach(() => {", "  jest.clearAllMocks();", "});", "",
			"describe('store', () => {", "  shared(open);", "});", "", "shared(close);", "", "it('own', () => {});"),
	} {
		edit := repair.Edit{Made: &patch.Made{Statements: []string{"jest.clearAllMocks()"}}, Keep: []string{"0.0"},
			Location: patch.PolluterTeardown, At: test, Style: patch.Inline}
		built, err := e.Build(t.Context(), edit)
		if err != nil {
			t.Errorf("%s: %v", test, err)
			continue
		}
		if got := built.Files["a.test.js"]; got != want {
			t.Errorf("%s: got\n%s", test, got)
		}
		edit.Location = patch.VictimStart
		if built, err := e.Build(t.Context(), edit); !isUnfit(err) {
			t.Errorf("%s: %+v, %v", test, built, err)
		}
	}
}
