package jest

import (
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// TestUndoes: which function undoes what another one does.
func TestUndoes(t *testing.T) {
	for name, c := range map[string]struct {
		does string
		want bool
	}{
		"logout": {"login", true}, "stopServer": {"startServer", true}, "unregisterAll": {"registerAll", true}, "signOut": {"signIn", true},
		"stop": {"startServer", false}, "closed": {"opend", false}, "unset": {"setMode", false}, "end": {"login", false}, "clearMode": {"setMode", true},
	} {
		if got := undoes(name, func(n string) bool { return n == c.does }); got != c.want {
			t.Errorf("%s after %s: %v", name, c.does, got)
		}
	}
}

// proposals are the statements that are proposed for a victim and a polluter of a file, with the names that they import.
func proposals(t *testing.T, e *editor, victim, polluter suite.TestID) (statements, imports []string) {
	t.Helper()
	of := repair.Cause{Cases: []repair.Case{{Test: victim}}, Polluter: suite.Order{polluter}}
	got, err := e.Resets(t.Context(), project.ResetQuery{Reset: true, Cause: of})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range got.Made {
		statements = append(statements, m.Statements...)
		for _, i := range m.Imports {
			imports = append(imports, i.Module+" "+i.Name)
		}
	}
	return statements, imports
}

// TestOpposites: a function that undoes what the file imports is called, and imported where it is not yet.
func TestOpposites(t *testing.T) {
	auth := lines("export function login(name) {}", "export function logout() {}", "export function stop() {}", "export function initDatabase() {}", "export function destroyDatabase() {}", "export const whoAmI = () => 1;")
	for name, c := range map[string]struct {
		imports     string
		call, named string
	}{
		"what deletes data":   {"import { initDatabase } from './auth';", "", ""},
		"not imported":        {"import { login } from './auth';", "logout()", "auth.js logout"},
		"imported":            {"import { login, logout } from './auth';", "logout()", ""},
		"another one is used": {"import { whoAmI } from './auth';", "", ""},
	} {
		e := editorOf(t, map[string]string{"auth.js": auth, "a.test.js": lines(c.imports, "test('x', () => {});", "test('y', () => {});")})
		e.p.files = []string{"a.test.js"}
		statements, imports := proposals(t, e, "a.test.js#y", "a.test.js#x")
		if slices.Contains(statements, "logout()") != (c.call != "") || slices.Contains(statements, "stop()") {
			t.Errorf("%s: %q", name, statements)
		}
		if got := strings.Join(imports, ", "); got != c.named {
			t.Errorf("%s: imports %q", name, got)
		}
	}
}

// TestClosing: what a test closes of that which all tests share, others may close, too.
func TestClosing(t *testing.T) {
	for statement, want := range map[string]bool{
		"await stop(server);": true, "server.close();": true, "await server.stop();": true, "release(server.port, server);": true,
		"stop(own);": false, "await server.destroy();": false, "await deleteAll(server);": false, "purge(server.users);": false, "await cancelAccount(server);": false, "start(server);": false, "await other.close();": false, "server.stopped = true;": false, "stop(server, 'now');": false,
		"server.close(() => done());": false, "stop(server).then(run);": false,
	} {
		e := editorOf(t, map[string]string{"a.test.js": lines("const { stop, start, release, deleteAll, purge, cancelAccount } = require('./server');", "let server;", "test('x', async () => {",
			"  const own = 1;", "  "+statement, "});", "test('y', () => {});")})
		got, _ := proposals(t, e, "a.test.js#y", "a.test.js#x")
		if slices.Contains(got, strings.TrimSuffix(statement, ";")) != want {
			t.Errorf("%s: %q", statement, got)
		}
	}
}

// TestUnusedConstants: what a statement of a helper returns is no constant in a hook that does not use it.
func TestUnusedConstants(t *testing.T) {
	for statement, want := range map[string]string{
		"const res = await agent.post('/login').send({ a: 1 });": "await agent.post('/login').send({ a: 1 });",
		"const user: User = make();":                             "make();",
		"const add = function() {};":                             "",
		"const n = 1;":                                           "",
		"const a = make(), b = make();":                          "",
		"const { a } = make();":                                  "",
	} {
		file := "a.test.ts"
		e := editorOf(t, map[string]string{file: lines("test('x', async () => {", "  "+statement, "});", "test('y', async () => {", "});")})
		list, err := e.Script(t.Context(), suite.Order{"a.test.ts#x"}, "a.test.ts#y")
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		edit := repair.Edit{Helper: suite.Order{"a.test.ts#x"}, Keep: []string{list[0].ID}, Location: patch.VictimSetup, At: "a.test.ts#y", Style: patch.Inline}
		for _, switched := range []bool{false, true} {
			edit.Switched = switched
			built, err := e.Build(t.Context(), edit)
			if err != nil {
				t.Fatal(err)
			}
			expected := want
			if want == "" || switched {
				expected = statement
			}
			if got := strings.Join(built.Statements, "\n"); got != expected {
				t.Errorf("%s, switched %v: %s", statement, switched, got)
			}
		}
	}
}

// TestUsedConstantsStay: another statement of the patch uses what the first one returns.
func TestUsedConstantsStay(t *testing.T) {
	e := editorOf(t, map[string]string{"a.test.js": lines("test('x', () => {", "  const a = make();", "  use(a);", "});", "test('y', () => {});")})
	list, err := e.Script(t.Context(), suite.Order{"a.test.js#x"}, "a.test.js#y")
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	built, err := e.Build(t.Context(), repair.Edit{Helper: suite.Order{"a.test.js#x"}, Keep: []string{list[0].ID, list[1].ID}, Location: patch.VictimSetup, At: "a.test.js#y", Style: patch.Inline})
	if err != nil || built.Statements[0] != "const a = make();" {
		t.Errorf("%q, %v", built.Statements, err)
	}
}
