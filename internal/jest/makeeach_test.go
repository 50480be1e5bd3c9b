package jest

import (
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// TestMakeEach: what a block makes once is made for each test, with what is made of it.
func TestMakeEach(t *testing.T) {
	const service = "function makeService(repo: unknown) { return repo; }"
	for name, c := range map[string]struct {
		file, text string
		proposed   []string // the lines of each proposal
		want       string   // of the last proposal; "": the text is not built
	}{
		"an object of a block": {"a.test.js",
			lines("describe('cart', () => {", "  const cart = new Cart({", "    empty: true,", "  }); // shared", "", "  test('x', () => cart.add());", "  test('y', () => cart.get());", "});"),
			[]string{"2"},
			lines("describe('cart', () => {", "  let cart; // shared", "", "  beforeEach(() => {", "    cart = new Cart({", "      empty: true,", "    });", "  });", "",
				"  test('x', () => cart.add());", "  test('y', () => cart.get());", "});")},
		"by a function of the file, and into the hook that is there": {"a.test.js",
			lines("const app = createApp();", "const get = (path) => request(app).get(path);", "", "beforeEach(() => {", "  clock.reset();", "});", "", "test('x', () => get('/x'));", "test('y', () => get('/y'));"),
			[]string{"1"},
			lines("let app;", "const get = (path) => request(app).get(path);", "", "beforeEach(() => {", "  app = createApp();", "  clock.reset();", "});", "", "test('x', () => get('/x'));", "test('y', () => get('/y'));")},
		"with what is made of it": {"a.test.ts",
			lines(service, "describe('users', () => {", "  const repo = new Repo<string>();", "  const service = makeService(repo);", "  test('x', () => service.add());", "  test('y', () => service.get(repo));", "});"),
			[]string{"3 4"},
			lines(service, "describe('users', () => {", "  let repo: Repo<string>;", "  let service: ReturnType<typeof makeService>;", "  beforeEach(() => {", "    repo = new Repo<string>();", "    service = makeService(repo);", "  });", "",
				"  test('x', () => service.add());", "  test('y', () => service.get(repo));", "});")},
		"a type that is written": {"a.test.ts",
			lines("const users: User[] = [{ name: 'Ada' }]", "test('x', () => users.pop())", "test('y', () => users[0])"),
			[]string{"1"},
			lines("let users: User[]", "beforeEach(() => {", "  users = [{ name: 'Ada' }]", "})", "", "test('x', () => users.pop())", "test('y', () => users[0])")},
		"a type that has no name": {"a.test.ts", lines("const user = { name: 'Ada' };", "test('x', () => user.a());", "test('y', () => user);"), nil, ""},
		"a mock":                  {"a.test.js", lines("const f = jest.fn();", "test('x', () => f());", "test('y', () => f());"), nil, ""},
		"a module":                {"a.test.js", lines("const f = require('./f').make();", "test('x', () => f());", "test('y', () => f());"), nil, ""},
		"used by one test":        {"a.test.js", lines("const a = make();", "test('x', () => a());", "test('y', () => 1);"), nil, ""},
		"several in one":          {"a.test.js", lines("const a = make(), b = 1;", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"what waits":              {"a.test.js", lines("const a = await make();", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"what listens":            {"a.test.js", lines("const a = app.listen(0);", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"a class without type arguments": {"a.test.ts",
			lines("const a = new Map();", "test('x', () => a.clear());", "test('y', () => a.size);"), []string{"1"},
			lines("let a: InstanceType<typeof Map>;", "beforeEach(() => {", "  a = new Map();", "});", "", "test('x', () => a.clear());", "test('y', () => a.size);")},
		"a class of a module": {"a.test.ts",
			lines("import { Shop, Box } from './shop';", "const a = new Shop();", "const b = new Box();", "test('x', () => a.add(b));", "test('y', () => a.get(b));"), []string{"2", "3", "2 3"},
			lines("import { Shop, Box } from './shop';", "let a: Shop;", "let b: InstanceType<typeof Box>;", "beforeEach(() => {", "  a = new Shop();", "  b = new Box();", "});", "", "test('x', () => a.add(b));", "test('y', () => a.get(b));")},
		"a generic function":      {"a.test.ts", lines("const make = <T>(x: T) => [x];", "const a = make(1);", "test('x', () => a.pop());", "test('y', () => a.pop());"), nil, ""},
		"a function of a package": {"a.test.ts", lines("import express from 'express';", "const a = express();", "test('x', () => a.get());", "test('y', () => a.get());"), nil, ""},
		"names of @jest/globals": {"a.test.js", lines("import { expect, test } from '@jest/globals';", "const a = make();", "test('x', () => a());", "test('y', () => expect(a));"), []string{"2"},
			lines("import { expect, test, beforeEach } from '@jest/globals';", "let a;", "beforeEach(() => {", "  a = make();", "});", "", "test('x', () => a());", "test('y', () => expect(a));")},
		"a hook without semicolons": {"a.test.js", lines("const a = make()", "beforeEach(() => {", "  [1, 2].forEach(f)", "})", "test('x', () => a())", "test('y', () => a())"), []string{"1"},
			lines("let a", "beforeEach(() => {", "  a = make();", "  [1, 2].forEach(f)", "})", "test('x', () => a())", "test('y', () => a())")},
		"a hook with a variable of that name": {"a.test.js", lines("const a = make();", "beforeEach(() => {", "  const a = other();", "  use(a);", "});", "test('x', () => a());", "test('y', () => a());"), []string{"1"},
			lines("let a;", "beforeEach(() => {", "  a = make();", "});", "", "beforeEach(() => {", "  const a = other();", "  use(a);", "});", "test('x', () => a());", "test('y', () => a());")},
		"a hook with a callback": {"a.test.js", lines("const a = make();", "beforeEach((done) => {", "  a.reset(done);", "});", "beforeEach(() => {});", "test('x', () => a());", "test('y', () => a());"), []string{"1"},
			lines("let a;", "beforeEach(() => {", "  a = make();", "});", "", "beforeEach((done) => {", "  a.reset(done);", "});", "beforeEach(() => {});", "test('x', () => a());", "test('y', () => a());")},
		"several lines for a hook of one": {"a.test.js", lines("const a = make({", "  b: 1, // first", "});", "beforeEach(() => { reset(); });", "test('x', () => a());", "test('y', () => a());"), []string{"1"},
			lines("let a;", "beforeEach(() => {", "  a = make({", "    b: 1, // first", "  });", "  reset();", "});", "test('x', () => a());", "test('y', () => a());")},
		"declared after a block": {"a.test.js", lines("describe('q', () => {});", "const a = make();", "test('x', () => a());", "test('y', () => a());"), []string{"2"},
			lines("describe('q', () => {});", "let a;", "", "beforeEach(() => {", "  a = make();", "});", "test('x', () => a());", "test('y', () => a());")},
		"lines that end as on Windows": {"a.test.js", strings.ReplaceAll(lines("const a = make();", "test('x', () => a());", "test('y', () => a());"), "\n", "\r\n"), []string{"1"},
			strings.ReplaceAll(lines("let a;", "beforeEach(() => {", "  a = make();", "});", "", "test('x', () => a());", "test('y', () => a());"), "\n", "\r\n")},
		"called at once":            {"a.test.js", lines("const a = make();", "(function () { a.init(); })();", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"for an object at once":     {"a.test.js", lines("const a = make();", "new Promise((r) => a.ready(r));", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"by a function at once":     {"a.test.js", lines("const a = make();", "function fill() { a.fill(); }", "fill();", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"by the function of a hook": {"a.test.js", lines("const a = make();", "function fill() { a.fill(); }", "beforeAll(fill);", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"a process":                 {"a.test.js", lines("const a = spawn('node', []);", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"a client":                  {"a.test.js", lines("const a = new PrismaClient();", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"a word as a key": {"a.test.js", lines("const a = { open: true };", "test('x', () => a());", "test('y', () => a());"), []string{"1"},
			lines("let a;", "beforeEach(() => {", "  a = { open: true };", "});", "", "test('x', () => a());", "test('y', () => a());")},
		"needed for the tests":      {"a.test.js", lines("const a = [1, 2];", "test.each(a)('%s', () => {});", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"needed to declare them":    {"a.test.js", lines("const a = make();", "a.forEach((b) => test(b, () => {}));", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"needed once":               {"a.test.js", lines("const a = make();", "beforeAll(() => a.fill());", "test('x', () => a());", "test('y', () => a());"), nil, ""},
		"needed by what cannot be":  {"a.test.js", lines("const a = make();", "const [b] = make(a);", "test('x', () => a(b));", "test('y', () => a());"), nil, ""},
		"a name of something else":  {"a.test.js", lines("const a = make();", "const b = { a: 1 }.a + c.a;", "test('x', () => a(b));", "test('y', () => a());"), []string{"1"}, lines("let a;", "const b = { a: 1 }.a + c.a;", "beforeEach(() => {", "  a = make();", "});", "", "test('x', () => a(b));", "test('y', () => a());")},
		"in a block of one of them": {"a.test.js", lines("describe('d', () => {", "  const a = make();", "  test('x', () => a());", "});", "test('y', () => a());"), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := editorOf(t, map[string]string{c.file: c.text, "shop.ts": "export class Shop {}\nexport class Box<T = string> {}\n"})
			id := func(test string) suite.TestID {
				for _, block := range []string{"cart › ", "users › ", "d › ", ""} {
					id := suite.TestID(c.file + "#" + block + test)
					if f, err := e.find(t.Context(), id); err == nil && f.test.Fn != nil {
						return id
					}
				}
				t.Fatal("no test " + test)
				return ""
			}
			made, _ := e.makeEach(t.Context(), id("y"), id("x"))
			var got []string
			for _, m := range made {
				all := strings.ReplaceAll(strings.Join(m.Unshare, " "), c.file+":", "")
				got = append(got, strings.ReplaceAll(all, patch.BlockVariable, ""))
			}
			if !slices.Equal(got, c.proposed) {
				t.Fatalf("%q", got)
			}
			if c.want == "" {
				return
			}
			last := made[len(made)-1]
			built, err := e.Build(t.Context(), repair.Edit{Made: &last, Keep: last.IDs(), Location: patch.Declaration, At: id("y"), Style: patch.Inline})
			if err != nil {
				t.Fatal(err)
			}
			if built.Files[c.file] != c.want {
				t.Errorf("%s", built.Files[c.file])
			}
			if len(built.Statements) != len(last.Unshare) || len(built.Kept) != len(last.Unshare) {
				t.Errorf("%q, %q", built.Statements, built.Kept)
			}
		})
	}
}

// TestMadeEachNeedsTheRest: a variable that another one is made of is not made for each test alone.
func TestMadeEachNeedsTheRest(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": lines("const a = make();", "const b = make(a);", "test('x', () => b());")})
	m := patch.Made{Unshare: []string{"a.test.js:1.declaration", "a.test.js:2.declaration"}}
	for keep, ok := range map[string]bool{"0.0": false, "0.1": true} {
		_, err := e.Build(t.Context(), repair.Edit{Made: &m, Keep: []string{keep}, Location: patch.Declaration, At: "a.test.js#x", Style: patch.Inline})
		if ok != (err == nil) || !ok && !isUnfit(err) {
			t.Errorf("%s: %v", keep, err)
		}
	}
}

// TestChangesPart: what changes a part of a variable's value, of one that is called a.
func TestChangesPart(t *testing.T) {
	for statement, want := range map[string]bool{
		"a.b = 1": true, "delete a.b": true, "a.b.length = 2": true, "a[0] = 'x'": true, "a.length = 1": true,
		"a.length = 0": false, "a = 1": false, "a.clear()": false, "a.get('x').y = 1": false, "b.a = 1": false, "ab.c = 1": false, "delete ab.c": false, "a.b": false,
	} {
		if changesPart(statement, "a") != want {
			t.Errorf("%s", statement)
		}
	}
}
