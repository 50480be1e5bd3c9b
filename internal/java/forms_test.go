package java

import (
	"testing"

	"github.com/odfix/odfix/internal/patch"
)

// TestAttackMadeStatements: a report names statements that no test holds. "No statement can be removed"
// would be said of a block as of one statement.
func TestAttackMadeStatements(t *testing.T) {
	for s, ok := range map[string]bool{
		`Registry.getInstance().shutdown("test_job");`:                   true,
		`System.setProperty("user.dir", "a;b{c}//d\\");`:                 true,
		`new java.io.File("left \u00e4").delete();`:                      true,
		`Options.flags = new String[] {"-safe", "+lexical"};`:            true,
		`java.lang.reflect.Field f = A.class.getDeclaredField("cache");`: true,
		`if (connection != null) { connection.close(); }`:                true,
		`a.b = 'x';`:                                   true,
		`Registry.reset(); System.gc();`:               false,
		`{ Registry.reset(); System.gc(); }`:           false,
		`if (true) { Registry.reset(); System.gc(); }`: false,
		`if (true) Registry.reset();`:                  false,
		`if (a != null) { b.close(); }`:                false,
		`try { Registry.reset(); Runtime.getRuntime().exec("id"); } catch (java.io.IOException e) { }`: false,
		`for (;;) ;`: false,
		`return;`:    false,
		`Registry.set("\u0022); System.gc(); //");`:                     false,
		`Registry.reset(); // see https://a.example`:                    false,
		`Registry.set(() -> { });`:                                      false,
		`Registry.set(new Object() { });`:                               false,
		`l: a.B.reset();`:                                               false,
		`Object a = b.C.d = "clean", e = System.setProperty("x", "y");`: false,
		``: false,
	} {
		if got := restores(&patch.Made{Statements: []string{s}}); got != ok {
			t.Errorf("%s: %v", s, got)
		}
	}
	for f, ok := range map[string]bool{
		`String before = System.getProperty("a", "b")`: true, `java.util.Map<String, a.B> before = a.C.all()`: true,
		`Object before = new Object() {{ System.gc(); }}`: false, `Object before = 1; { System.gc(); } final int y = 2`: false,
		`Object other = a.C.all()`: false, `Object before = a.C.all(), y = System.getenv()`: false, `before`: false,
	} {
		made := patch.Made{Fields: []string{f}, Statements: []string{`a.C.set(before);`}}
		if got := restores(&made); got != ok {
			t.Errorf("%s: %v", f, got)
		}
	}
	if !restores(nil) || !restores(&patch.Made{Unshare: []string{"a"}}) {
		t.Error("a patch without statements")
	}
}
