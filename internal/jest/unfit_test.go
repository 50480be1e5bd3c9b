package jest

import (
	"errors"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
)

// TestUnfit: what cannot be written is refused, with the statements to blame where they are known.
func TestUnfit(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": lines("it('x', (done) => {", "  done();", "});",
		"it('y', () => {", "  return f();", "});", "it.failing('w', () => {", "  f();", "});"), "b.test.js": "it('x', () => {",
		"c.test.js": lines("describe('f', () => {", "  beforeAll(() => f());", "  describe('g', () => {", "    const store = f();",
			"    it('x', () => {});", "  });", "});")})
	for _, c := range []struct {
		name string
		edit repair.Edit
	}{
		{"an unknown name", repair.Edit{Made: &patch.Made{Statements: []string{"store.clear()"}},
			Keep: []string{"0.0"}, Location: patch.VictimStart, At: "a.test.js#x"}},
		{"a block that sets nothing up once", repair.Edit{Made: &patch.Made{Statements: []string{"jest.clearAllMocks()"}},
			Keep: []string{"0.0"}, Location: patch.PolluterClassTeardown, At: "a.test.js#y"}},
		{"a name of an inner block, in a hook of the outer one", repair.Edit{Made: &patch.Made{Statements: []string{"store.clear()"}},
			Keep: []string{"0.0"}, Location: patch.PolluterClassTeardown, At: "c.test.js#f › g › x"}},
		{"a promise in a test with a callback",
			repair.Edit{Made: &patch.Made{Statements: []string{"await process.nextTick()"}}, Keep: []string{"0.0"},
				Location: patch.VictimStart, At: "a.test.js#x"}},
		{"after a return", repair.Edit{Made: &patch.Made{Statements: []string{"delete global.a"}},
			Keep: []string{"0.0"}, Location: patch.PolluterEnd, At: "a.test.js#y"}},
		{"a syntax error", repair.Edit{Made: &patch.Made{Statements: []string{"delete global.a"}},
			Keep: []string{"0.0"}, Location: patch.VictimStart, At: "b.test.js#x"}},
		{"a test that passes if it throws", repair.Edit{Made: &patch.Made{Statements: []string{"delete global.a"}},
			Keep: []string{"0.0"}, Location: patch.VictimStart, At: "a.test.js#w"}},
		{"no such test", repair.Edit{Made: &patch.Made{Statements: []string{"delete global.a"}},
			Keep: []string{"0.0"}, Location: patch.VictimStart, At: "a.test.js#z"}},
	} {
		c.edit.Style = patch.Inline
		if built, err := e.Build(t.Context(), c.edit); !isUnfit(err) {
			t.Errorf("%s: %+v, %v", c.name, built, err)
		}
	}
}

func isUnfit(err error) bool {
	_, ok := err.(*repair.UnfitError)
	return ok
}

// TestCulprits: a statement that cannot be there is named, so that the others are tried without it.
func TestCulprits(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": lines("it('x', () => {});")})
	made := patch.Made{Statements: []string{"jest.clearAllMocks()", "delete global['a", "delete global.a; f()", "store.clear()"}}
	_, err := e.Build(t.Context(), repair.Edit{Made: &made, Keep: made.IDs(), Location: patch.VictimStart, At: "a.test.js#x", Style: patch.Inline})
	var unfit *repair.UnfitError
	if !errors.As(err, &unfit) || !slices.Equal(unfit.Culprits, made.IDs()[1:]) {
		t.Errorf("%+v", err)
	}
}
