package jest

import (
	"strings"
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

// TestTestsOfOneName: a title may be a constant. One of several tests that a call makes, or that
// may have the name, gets hooks in the block around all of them.
func TestTestsOfOneName(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": lines("describe('store', () => {", "  const keeps = 'keeps ' +", "    'all';", "  it(keeps, () => {});",
		"  it.each([1, 2])('adds', () => {});", "});", "", "describe('cart', () => {", "  describe('a', () => {", "    it('is it', () => {});",
		"    it('is ' + it, () => {});", "  });", "  describe('b', () => {", "    it(`is ${it}`, () => {});", "  });", "});")})
	for _, c := range []struct {
		test   suite.TestID
		line   int  // of the new hook
		itself bool // statements can stand in the test
	}{
		{"a.test.js#store › keeps all", 4, true},
		{"a.test.js#store › adds", 4, true},
		{"a.test.js#store › adds~2", 4, true},
		{"a.test.js#cart › a › is it", 10, true},
		{"a.test.js#cart › a › is it~3", 10, false},
	} {
		edit := repair.Edit{Made: &patch.Made{Statements: []string{"jest.clearAllMocks()"}}, Keep: []string{"0.0"},
			Location: patch.PolluterTeardown, At: c.test, Style: patch.Inline}
		built, err := e.Build(t.Context(), edit)
		if err != nil {
			t.Errorf("%s: %v", c.test, err)
			continue
		}
		before, _, _ := strings.Cut(built.Files["a.test.js"], "afterEach")
		if got := strings.Count(before, "\n") + 1; got != c.line {
			t.Errorf("%s: a hook in line %d of\n%s", c.test, got, built.Files["a.test.js"])
		}
		edit.Location = patch.VictimStart
		if _, err := e.Build(t.Context(), edit); isUnfit(err) == c.itself {
			t.Errorf("%s: in the test itself: %v", c.test, err)
		}
	}
}

// TestTitlesThatAreNoConstants: a name that stands for several things in a file may be any title.
func TestTitlesThatAreNoConstants(t *testing.T) {
	for _, text := range []string{
		lines("const name = 'Bob';", "describe('s', () => {", "  [{ name: 'x' }].forEach(({ name }) => {", "    it(name, () => {});", "  });", "});"),
		lines("const name = 'Bob';", "describe('s', () => {", "  ['x'].forEach((name) => it(name, () => {}));", "});"),
		lines("describe('r', () => { const name = 'Bob'; });", "describe('s', () => {", "  let name = make();", "  it(name, () => {});", "});"),
	} {
		e := editorOf(t, map[string]string{"a.test.js": text})
		o, err := e.outline(t.Context(), "a.test.js")
		if err != nil {
			t.Fatal(err)
		}
		if f := o.find("a.test.js#s › x"); f.test.Fn == nil {
			t.Errorf("not found in\n%s", text)
		}
	}
}
