package jest

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/state"
)

// TestMembersThatTypeScriptGuards: a member that its class declares private gets a cast, and one
// that is not optional is not deleted without one.
func TestMembersThatTypeScriptGuards(t *testing.T) {
	for _, c := range []struct{ declared, before, want string }{
		{"private static instance: Registry | null = null;", "null", "(Registry as any).instance = null"},
		{"public static instance: Registry | null = null;", "null", "Registry.instance = null"},
		{"static readonly instance = 1;", "1", "(Registry as any).instance = 1"},
		{"static instance: Registry;", absent, "delete (Registry as any).instance"},
		{"static instance!: Registry;", absent, "delete (Registry as any).instance"},
		{"static instance?: Registry;", absent, "delete Registry.instance"},
		{"static get(): Registry { return Registry.instance; }", absent, "delete Registry.instance"},
	} {
		e := editorOf(t, map[string]string{"a.test.ts": "test('x', () => {});\n", "registry.ts": lines("export class Registry {", "  "+c.declared, "}")})
		o, err := e.outline(t.Context(), "a.test.ts")
		if err != nil {
			t.Fatal(err)
		}
		r := &resets{e: e, seen: map[string]bool{}}
		s := seenState{r: r, f: o.find("a.test.ts#x"), field: "var registry.ts Registry", module: "registry.ts"}
		s.contents("Registry.instance", state.Change{Before: c.before, After: "something"})
		if got := append(r.made, r.last...); len(got) == 0 || got[0].Statements[0] != c.want {
			t.Errorf("%s: %+v", c.declared, got)
		}
	}
}

// TestUndefinedOfAType: a variable that nothing has assigned yet becomes undefined again, in
// TypeScript whatever its type.
func TestUndefinedOfAType(t *testing.T) {
	for declared, want := range map[string]string{
		"let url: string;": "url = undefined as any", "let url: string | undefined;": "url = undefined", "let url;": "url = undefined",
		"let url: any;": "url = undefined", "let url: () => void;": "url = undefined as any", "let url: any[];": "url = undefined as any",
		"let url: Map<string, any> | undefined;": "url = undefined as any", "let url: Promise<void>;": "url = undefined as any", "let url = {} as any;": "url = {}", "let url = {} as Url;": "url = {} as Url",
	} {
		e := editorOf(t, map[string]string{"a.test.ts": lines(declared, "test('x', () => { url = 'x'; });", "test('y', () => {});")})
		if got, _ := proposals(t, e, "a.test.ts#y", "a.test.ts#x"); !slices.Contains(got, want) {
			t.Errorf("%s: %q", declared, got)
		}
	}
}
