package jest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// at returns the place in a source that a mark "§" stands for, and the source without it.
func at(t *testing.T, file, marked string) (place, text string) {
	t.Helper()
	before, after, ok := strings.Cut(marked, "§")
	if !ok {
		t.Fatal("no mark in " + marked)
	}
	line, column := 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')
	return file + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column), before + after
}

// TestAwait: the test waits for what it begins, in the way of the statement that begins it.
func TestAwait(t *testing.T) {
	for name, c := range map[string]struct{ before, after, statements string }{
		"a statement": {
			"test('saves', () => {\n  store.§save(1);\n  expect(store.size).toBe(1);\n});\n",
			"test('saves', async () => {\n  await store.save(1);\n  expect(store.size).toBe(1);\n});\n",
			"await store.save(1);"},
		"a chain": {
			"test('saves', function () {\n  store\n    .§save(1)\n    .then(() => done());\n});\n",
			"test('saves', async function () {\n  await store\n    .save(1)\n    .then(() => done());\n});\n",
			"await store\n    .save(1)\n    .then(() => done());"},
		"an expectation": {
			"test('fails', () => {\n  expect(store.§fail()).rejects.toThrow()\n})\n",
			"test('fails', async () => {\n  await expect(store.fail()).rejects.toThrow()\n})\n",
			"await expect(store.fail()).rejects.toThrow()"},
		"an argument": {
			"test('sends', () => {\n  expect(request.§send()).toBeInstanceOf(Promise);\n});\n",
			"test('sends', async () => {\n  const promise = request.send();\n  expect(promise).toBeInstanceOf(Promise);\n  await promise;\n});\n",
			"const promise = request.send(); await promise;"},
		"an argument, the name being taken": {
			"const promise = 1;\ntest('sends', async () => { expect(request.§send()).toBeTruthy(); });\n",
			"const promise = 1;\ntest('sends', async () => { const promise2 = request.send(); expect(promise2).toBeTruthy(); await promise2; });\n",
			"const promise2 = request.send(); await promise2;"},
		"a variable": {
			"it('sends', () => {\n  const sent = §send(1); // at once\n  expect(calls).toBe(1); // only one\n});\n",
			"it('sends', async () => {\n  const sent = send(1); // at once\n  expect(calls).toBe(1); // only one\n  await sent;\n});\n",
			"await sent;"},
		"an assignment, before a return": {
			"beforeEach(() => {\n  sent = §send(1);\n  return ready;\n});\n",
			"beforeEach(async () => {\n  sent = send(1);\n  await sent;\n  return ready;\n});\n",
			"await sent;"},
		"a computed title, and an optional call": {
			"test(Store.name, () => {\n  store?.§save(1);\n});\n",
			"test(Store.name, async () => {\n  await store?.save(1);\n});\n",
			"await store?.save(1);"},
		"without semicolons, before a bracket": {
			"test('x', () => {\n  const a = 1\n  ;(log)(§send(a))\n})\n",
			"test('x', async () => {\n  const a = 1\n  ;const promise = send(a);\n  (log)(promise)\n  await promise\n})\n",
			"const promise = send(a) await promise"},
		"without semicolons, in one line": {
			"test('x', () => { const p = §send(1) })\n",
			"test('x', async () => { const p = send(1); await p })\n",
			"await p"},
		"a name like that of an expectation": {
			"test('x', () => {\n  stub.resolves(§send(1));\n});\n",
			"test('x', async () => {\n  const promise = send(1);\n  stub.resolves(promise);\n  await promise;\n});\n",
			"const promise = send(1); await promise;"},
		"without semicolons, in one line, after braces": {
			"test('x', () => { const p = §send(1); x = {} })\n",
			"test('x', async () => { const p = send(1); x = {}; await p; })\n",
			"await p;"},
		"a function with a name of its own": {
			"itInNode('x', () => {\n  §send(1);\n});\n",
			"itInNode('x', async () => {\n  await send(1);\n});\n",
			"await send(1);"},
		"for each element": {
			"test('x', () => {\n  list.§forEach(async (n) => {\n    await send(n);\n  });\n});\n",
			"test('x', async () => {\n  await Promise.all(list.map(async (n) => {\n    await send(n);\n  }));\n});\n",
			"await Promise.all(list.map(async (n) => {\n    await send(n);\n  }));"},
		"void": {
			"test('x', async () => {\n  void §send(1);\n});\n",
			"test('x', async () => {\n  await send(1);\n});\n",
			"await send(1);"},
		"in a loop, with rows": {
			"test.each([1, 2])('x %d', (n) => {\n  for (const m of [n]) {\n    §send(m);\n  }\n});\n",
			"test.each([1, 2])('x %d', async (n) => {\n  for (const m of [n]) {\n    await send(m);\n  }\n});\n",
			"await send(m);"},
		"with line ends of Windows": {
			"test('x', () => {\r\n  const a = §send();\r\n  check();\r\n});\r\n",
			"test('x', async () => {\r\n  const a = send();\r\n  check();\r\n  await a;\r\n});\r\n",
			"await a;"},
		"after letters of several bytes": {
			"const ä = 'ü';\ntest('ö', () => {\n  §send();\n});\n",
			"const ä = 'ü';\ntest('ö', async () => {\n  await send();\n});\n",
			"await send();"},
	} {
		t.Run(name, func(t *testing.T) {
			place, text := at(t, "a.test.js", c.before)
			e := editorOf(t, map[string]string{"a.test.js": text})
			built, err := e.Build(t.Context(), awaitEdit(place))
			if err != nil {
				t.Fatal(err)
			}
			if got := built.Files["a.test.js"]; got != c.after {
				t.Errorf("got\n%s\nwant\n%s", got, c.after)
			}
			if got := strings.Join(built.Statements, " "); got != c.statements {
				t.Errorf("statements %q, want %q", got, c.statements)
			}
		})
	}
}

func awaitEdit(places ...string) repair.Edit {
	made := patch.Made{Await: places}
	return repair.Edit{Made: &made, Keep: made.IDs(), Location: patch.PolluterBody, At: "a.test.js#x", Style: patch.Inline}
}

// TestAwaitNot: where a test cannot wait, the reason is named, and nothing is edited.
func TestAwaitNot(t *testing.T) {
	for marked, want := range map[string]string{
		"test('x', (done) => {\n  §send(1, done);\n});\n":                            "takes a callback",
		"test('x', function* () {\n  §send(1);\n});\n":                               "generator",
		"test('x', async () => {\n  await §send(1);\n});\n":                          "waits for it already",
		"test('x', () => {\n  return §send(1);\n});\n":                               "waits for it already",
		"test('x', () => §send(1));\n":                                               "expression",
		"test('x', () => {\n  list.forEach((n) => { §send(n); });\n});\n":            "not written in the test itself",
		"const begin = () => { §send(1); };\ntest('x', () => { begin(); });\n":       "not written in the test itself",
		"test('x', () => {\n  if (§send(1)) check();\n});\n":                         "in the middle of a statement",
		"test('x', () => {\n  expect(a ? §send(1) : null).toBe(null);\n});\n":        "in the middle of a statement",
		"test('x', async () => {\n  use(await login(), §send(1));\n});\n":            "in the middle of a statement",
		"test('x', () => {\n  reset(), §send(1);\n});\n":                             "in the middle of a statement",
		"test('x', () => {\n  const { a = §send(1) } = given;\n});\n":                "in the middle of a statement",
		"test('x', () => {\n  list[i++] = §send(1);\n});\n":                          "in the middle of a statement",
		"test('x', () => {\n  next().sent = §send(1);\n});\n":                        "in the middle of a statement",
		"test.each([[1]])('x', (n, done) => {\n  §send(n, done);\n});\n":             "takes a callback",
		"emitter.on('change', () => {\n  §flush();\n});\n":                           "not written in the test itself",
		"listen('change', () => {\n  §flush();\n});\n":                               "not written in the test itself",
		"mock('./a', () => {\n  §flush();\n});\n":                                    "not written in the test itself",
		"const later = () => {\n  after(10, () => {\n    §flush();\n  });\n};\n":     "not written in the test itself",
		"jest.mock('./a', () => {\n  §flush();\n});\n":                               "not written in the test itself",
		"test('x', () => {\n  listen('change', () => {\n    §flush();\n  });\n});\n": "not written in the test itself",
		"describe('x', () => {\n  §send(1);\n  shared();\n});\n":                     "not written in the test itself",
		"test('x', () => {\n  §value;\n});\n":                                        "no call begins it",
		"describe('x', () => {\n  §send(1);\n  test('y', () => {});\n});\n":          "not written in the test itself",
		"test('x', () => {\n  const promise = 1; §send(1); const broken = ;\n});\n":  "cannot be parsed",
	} {
		place, text := at(t, "a.test.js", marked)
		e := editorOf(t, map[string]string{"a.test.js": text})
		built, err := e.Build(t.Context(), awaitEdit(place))
		if !isUnfit(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %+v; want an error with %q", marked, err, built, want)
		}
	}
	e := editorOf(t, map[string]string{"a.test.js": "test('x', () => {});\n"})
	for _, place := range []string{"", "a.test.js", "a.test.js:1", "a.test.js:0:1", "a.test.js:x:1", "../a.test.js:1:1", "b.test.js:1:1", "a.test.js:3:1", "a.test.js:99:1", "a.test.js:1:40", "a.test.js:9000000000000:1"} {
		if built, err := e.Build(t.Context(), awaitEdit(place)); !isUnfit(err) {
			t.Errorf("%q: %v, %+v", place, err, built)
		}
	}
}

// TestAwaitSeveral: tests of several files, and several statements of one test, can wait.
func TestAwaitSeveral(t *testing.T) {
	first, text := at(t, "a.test.js", "test('x', () => {\n  §send(1);\n  send(2);\n});\n")
	second := "a.test.js:3:3"
	shared, other := at(t, "shared.js", "exports.define = () => {\n  test('y', () => {\n    §send(3);\n  });\n};\n")
	e := editorOf(t, map[string]string{"a.test.js": text, "shared.js": other})
	built, err := e.Build(t.Context(), awaitEdit(first, second, shared))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"a.test.js": "test('x', async () => {\n  await send(1);\n  await send(2);\n});\n",
		"shared.js": "exports.define = () => {\n  test('y', async () => {\n    await send(3);\n  });\n};\n",
	}
	for file, text := range want {
		if built.Files[file] != text {
			t.Errorf("%s:\n%s", file, built.Files[file])
		}
	}
	edit := awaitEdit(first, second, shared)
	edit.Keep = edit.Keep[1:2]
	if built, err = e.Build(t.Context(), edit); err != nil || len(built.Files) != 1 || strings.Count(built.Files["a.test.js"], "await") != 1 {
		t.Errorf("one of three: %v, %+v", err, built)
	}
}

// TestAwaitTwiceInATest: each promise of a test has a name of its own, wherever the places come from.
func TestAwaitTwiceInATest(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": "test('x', () => {\n  expect(send(1)).toBe(1);\n  expect(send(2)).toBe(2);\n  list.forEach((n) => { send(n); });\n});\n"})
	edit := awaitEdit("a.test.js:2:10", "a.test.js:3:10", "a.test.js:4:25")
	if built, err := e.Build(t.Context(), edit); !isUnfit(err) {
		t.Errorf("one place that does not fit: %v, %+v", err, built)
	}
	edit.Complete = true
	built, err := e.Build(t.Context(), edit)
	if err != nil {
		t.Fatal(err)
	}
	const want = "test('x', async () => {\n  const promise2 = send(1);\n  expect(promise2).toBe(1);\n  const promise = send(2);\n  expect(promise).toBe(2);\n" +
		"  list.forEach((n) => { send(n); });\n  await promise;\n  await promise2;\n});\n"
	if got := built.Files["a.test.js"]; got != want || len(built.Kept) != 2 {
		t.Errorf("kept %v:\n%s", built.Kept, got)
	}
}

// TestAwaitAtTheEnd: a test may check what is the case before the end of what it begins.
func TestAwaitAtTheEnd(t *testing.T) {
	for marked, want := range map[string]string{
		"test('x', () => {\n  show(1);\n  expect(text()).toBe('Loading');\n});\n": "test('x', async () => {\n  const promise = show(1);\n" +
			"  expect(text()).toBe('Loading');\n  await promise;\n});\n",
		"test('x', () => {\n  expect(show(1)).resolves.toBe(1)\n  timers.run() // now\n})\n": "test('x', async () => {\n" +
			"  const promise = expect(show(1)).resolves.toBe(1)\n  timers.run() // now\n  await promise\n})\n",
		"test('x', () => {\n  show(1);\n});\n":                                  "",
		"test('x', () => {\n  const a = show(1);\n  check();\n});\n":            "",
		"test('x', () => {\n  expect(show(1)).toBeTruthy();\n  check();\n});\n": "",
	} {
		e := editorOf(t, map[string]string{"a.test.js": marked})
		column := 1 + strings.Index(strings.Split(marked, "\n")[1], "show")
		built, err := e.Build(t.Context(), awaitEdit("a.test.js:2:"+strconv.Itoa(column)+atEnd))
		if want == "" && !isUnfit(err) || want != "" && (err != nil || built.Files["a.test.js"] != want) {
			t.Errorf("%s: %v, %+v", marked, err, built)
		}
	}
}

// TestRewrites: only what a test begins and does not wait for is changed where it is: each thing alone,
// then all.
func TestRewrites(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": ""})
	tests := []suite.TestID{"a.test.js#x"}
	got := e.Rewrites(t.Context(), []string{"var a.js n", state.Unfinished + "a.test.js:2:3"}, tests)
	if len(got) != 2 || !slices.Equal(got[0].Await, []string{"a.test.js:2:3"}) || got[1].Await[0] != "a.test.js:2:3:end" || !got[0].Rewrites() ||
		got[0].Switchable() {
		t.Errorf("%+v", got)
	}
	got = e.Rewrites(t.Context(), []string{state.Unfinished + "a.test.js:2:3", state.Unfinished + "a.test.js:4:3"}, tests)
	if len(got) != 6 || len(got[0].Await) != 1 || !slices.Equal(got[4].Await, []string{"a.test.js:2:3", "a.test.js:4:3"}) ||
		!slices.Equal(got[5].Await, []string{"a.test.js:2:3:end", "a.test.js:4:3:end"}) {
		t.Errorf("%+v", got)
	}
}
