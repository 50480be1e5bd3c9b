package jest

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/state"
)

// TestNamesInStatements: statements are made for names that a source can hold, and for each cookie
// by its whole name.
func TestNamesInStatements(t *testing.T) {
	for _, c := range []struct {
		field, path   string
		before, after string
		want          []string
	}{
		{field: "global left", want: []string{"delete global.left"}},
		{field: "global left-over"},
		{field: "global 1st"},
		{field: "document cookie", before: "userid=1; lang=id=2", after: "userid=1; lang=id=2; id=3",
			want: []string{"document.cookie = 'id=; expires=Thu, 01 Jan 1970 00:00:00 GMT'"}},
		{field: "document documentElement data-theme", path: `document.documentElement.getAttribute("data-theme")`, before: absent, after: "dark",
			want: []string{"document.documentElement.removeAttribute('data-theme')"}},
		{field: "builtin Array.prototype.last", path: "Array.prototype.last", before: absent, after: "function", want: []string{"delete Array.prototype.last"}},
		{field: "builtin last", path: "last", before: absent, after: "function", want: []string{"jest.restoreAllMocks()", "globalThis.last = originalLast"}},
		{field: "directory cwd", path: workingDirectory, before: ".", after: "lib", want: []string{"process.chdir(originalDirectory)"}},
		{field: "document body class", path: `document.body.getAttribute("class")`, before: "light", after: "dark",
			want: []string{"document.body.setAttribute('class', 'light')"}},
	} {
		r := &resets{e: &editor{}, seen: map[string]bool{}}
		s := seenState{r: r, f: &found{o: &outline{Root: &block{}}}, field: c.field, changes: []state.Change{{Field: c.field, Path: c.path, Before: c.before, After: c.after}}}
		if err := s.add(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range r.made {
			got = append(got, m.Statements...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", c.field, got)
		}
	}
}

// TestSpiesThatVariablesHold: a function that a spy has replaced is restored by the variable that holds the
// spy, if the test knows it, and with all mocks, before a new variable keeps it.
func TestSpiesThatVariablesHold(t *testing.T) {
	o := &outline{Root: &block{}, text: "let get;\nlet other;\nbeforeEach(() => {\n  get = jest.spyOn(Context.prototype, 'get');\n" +
		"  other = jest.spyOn(Context.prototype, \"set\");\n});\ntest('t', () => { const inner = jest.spyOn(Context.prototype, 'get'); });\n"}
	r := &resets{seen: map[string]bool{}}
	f := &found{o: o, blocks: []*block{{Declares: []string{"get", "other"}}}}
	s := seenState{r: r, f: f, field: "var src/context.ts Context"}
	s.contents("Context.prototype.get", state.Change{Before: "function get", After: "mock function"})
	s.contents("Context.prototype.free", state.Change{Before: "function free", After: "function free2"})
	var got []string
	for _, m := range r.made {
		got = append(got, m.Statements...)
	}
	want := []string{"get.mockRestore()", "jest.restoreAllMocks()", "Context.prototype.get = originalGet",
		"Context.prototype.free = originalFree"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestContents: listeners are removed by their emitter, and private members of TypeScript are reached by a cast
// where their names alone do not do.
func TestContents(t *testing.T) {
	for _, c := range []struct {
		file, at, before string
		want             []string
	}{
		{"a.test.js", "bus._events.shipped", absent, []string{"bus.removeAllListeners('shipped')", "delete bus._events.shipped"}},
		{"a.test.js", `bus._events["user:made"]`, absent, []string{"bus.removeAllListeners('user:made')", `delete bus._events["user:made"]`}},
		{"a.test.js", "Registry.instance", absent, []string{"delete Registry.instance"}},
		{"a.test.ts", "Registry.instance", absent, []string{"delete Registry.instance", "delete (Registry as any).instance", "(Registry as any).instance = undefined"}},
		{"a.test.ts", "repo.users.length", "0", []string{"repo.users.length = 0", "(repo as any).users.length = 0"}},
		{"a.test.ts", "repo.users.size", "0", []string{"repo.users.clear()", "(repo as any).users.clear()"}},
		{"a.test.ts", "users.length", "0", []string{"users.length = 0"}},
		{"a.test.ts", "names.size", "0", []string{"names.clear()"}},
		{"a.test.ts", "config.rate", `"5%d"`, []string{"config.rate = '5%d'", "(config as any).rate = '5%d'"}},
		{"a.test.ts", "config.limit", "3", []string{"config.limit = 3", "(config as any).limit = 3"}},
	} {
		r := &resets{seen: map[string]bool{}}
		s := seenState{r: r, f: &found{o: &outline{file: c.file, Root: &block{}}}, field: "var src/a.ts x"}
		s.contents(c.at, state.Change{Before: c.before, After: "something"})
		var got []string
		for _, m := range append(r.made, r.last...) {
			got = append(got, m.Statements...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %q", c.file, c.at, got)
		}
	}
}
