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

// TestSetUpEach: what the blocks around a test set up once becomes each test's, the innermost first, and what
// they end once, too.
func TestSetUpEach(t *testing.T) {
	text := lines("import { beforeAll, test } from '@jest/globals';", "beforeAll(() => fill());", "describe('cart', () => {", "  let cart;",
		"  beforeAll(async () => {", "    cart = await make();", "  });", "  afterAll(() => cart.close());", "  test('x', () => {});", "});")
	e := editorOf(t, map[string]string{"a.test.js": text})
	made := e.Rewrites(t.Context(), []string{state.Hooks + "a.test.js"}, []suite.TestID{"a.test.js#cart › x"})
	var got []string
	for _, m := range made {
		got = append(got, strings.Join(m.Unshare, " "))
	}
	want := []string{"a.test.js:5,8.beforeAll", "a.test.js:2.beforeAll"}
	if !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	for i, want := range []string{ // beforeAll and afterAll belong together: one assigns what the other one uses
		strings.NewReplacer("  beforeAll(async", "  beforeEach(async", "afterAll(", "afterEach(", "{ beforeAll, test }", "{ beforeAll, test, beforeEach, afterEach }").Replace(text),
	} {
		built, err := e.Build(t.Context(), repair.Edit{Made: &made[i], Keep: made[i].IDs(), Location: patch.Declaration, At: "a.test.js#cart › x", Style: patch.Inline})
		if err != nil {
			t.Fatal(err)
		}
		if built.Files["a.test.js"] != want {
			t.Errorf("%s", built.Files["a.test.js"])
		}
		if len(built.Statements) != 2 || built.Statements[0] != "beforeEach(async () => {" {
			t.Errorf("%q", built.Statements)
		}
	}
}

// TestAttackHooks: a report names hooks that are not there.
func TestAttackHooks(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": lines("beforeAll(() => open());", "test('x', () => {});", "const f = require('fs');", "const a = make();")})
	for _, at := range []string{"", ".", "beforeAll", ".beforeAll", "a.test.js:1", "a.test.js:2.beforeAll", "a.test.js:1.afterAll", "a.test.js:1,.beforeAll", "a.test.js:1,2.beforeAll", "a.test.js:1.test",
		"../a.test.js:1.beforeAll", "/etc/passwd:1.beforeAll", "a.test.js:1:1.beforeAll",
		"a.test.js:1.declaration", "a.test.js:3.declaration", "../a.test.js:4.declaration", "/etc/passwd:1.declaration", ".declaration", "a.test.js.declaration", "a.test.js:4,5.declaration"} {
		made := patch.Made{Unshare: []string{at}}
		_, err := e.Build(t.Context(), repair.Edit{Made: &made, Keep: made.IDs(), Location: patch.Declaration, At: "a.test.js#x", Style: patch.Inline})
		if !isUnfit(err) {
			t.Errorf("%q: %v", at, err)
		}
	}
}

// TestSetUpEachOf: an afterAll that does not use what the beforeAll has made stays as it is, and so does a setup
// that is meant to be made once.
func TestSetUpEachOf(t *testing.T) {
	for hooks, want := range map[string]int{
		"beforeAll(() => sync());\nafterAll(() => db.close());":                            1,
		"beforeAll(async () => { server = app.listen(0); });":                              0,
		"let db;\nbeforeAll(async () => { db = await connect(); });":                       0,
		"let box;\nbeforeAll(() => { box = make(); });\nafterAll(() => { box.close(); });": 1,
	} {
		e := editorOf(t, map[string]string{"a.test.js": hooks + "\ntest('x', () => {});\n"})
		if got := e.Rewrites(t.Context(), []string{state.Hooks + "a.test.js"}, []suite.TestID{"a.test.js#x"}); len(got) != want {
			t.Errorf("%s: %+v", hooks, got)
		}
	}
}

// TestSetUpOnce: calls of a beforeAll may be made again, what it assigns or declares may not.
func TestSetUpOnce(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": lines("const { seed } = require('./db');", "let server;", "beforeAll(async () => {",
		"  const url = 'x';", "  server = start(url);", "  await seed();", "});", "test('x', () => {});")})
	of := repair.Cause{Cases: []repair.Case{{Test: "a.test.js#x"}}, Polluter: suite.Order{"a.test.js#x"}}
	got, err := e.Resets(t.Context(), project.ResetQuery{Reset: true, Cause: of})
	if err != nil {
		t.Fatal(err)
	}
	var again []string
	for _, m := range got.Made {
		if m.Resets == "what beforeAll sets up" {
			again = append(again, m.Statements...)
		}
	}
	if !slices.Equal(again, []string{"await seed()"}) {
		t.Errorf("%q", again)
	}
}
