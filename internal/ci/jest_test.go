package ci

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestInCheckout(t *testing.T) {
	for path, want := range map[string]string{
		"/home/runner/work/shop/shop/src/cart.test.js": "src/cart.test.js",
		`D:\a\shop\shop\src\cart.test.js`:              "src/cart.test.js",
		"/__w/shop/shop/cart.test.js":                  "cart.test.js",
		"/builds/acme/shop/src/cart.test.js":           "/builds/acme/shop/src/cart.test.js",
		"src/src/cart.test.js":                         "src/src/cart.test.js",
		"cart.test.js":                                 "cart.test.js",
	} {
		if got := inCheckout(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

func TestSameJest(t *testing.T) {
	const id = "src/cart.test.js#cart › with items › adds up"
	for other, want := range map[string]bool{
		"cart with items adds up": true, "cart.test.js#cart with items adds up": true,
		"web/src/cart.test.js#cart › with items › adds up": true,
		"src/list.test.js#cart › with items › adds up":     false, "cart adds up": false, "src/cart.test.js": false,
	} {
		if SameJest(id, other) != want || SameJest(other, id) != want {
			t.Errorf("%s: want %v", other, want)
		}
	}
}

// TestJestPaths checks paths with brackets, which files of routers have, and titles with brackets
// but without a path.
func TestJestPaths(t *testing.T) {
	for file, want := range map[string]bool{
		"app/(auth)/x.test.tsx": true, "pages/[id].test.js": true, "[id].spec.ts": true, "it's/here.js": true, "cart.js": true,
		"adds (a.js": false, "m[1].js": false, "'a/b.test.js": false, `says "a/b.test.js`: false, "app/(auth)/page.java": false,
	} {
		id := file + "#auth › opens"
		if got := JestFile(id); IsJest(id) != want || (got == file) != want {
			t.Errorf("%s: file %q, want %v", id, got, want)
		}
		if !want {
			continue
		}
		if ev := orderOf(t, "o.txt", id+"\n"); !slices.Equal(ev.Tests, []string{id}) {
			t.Errorf("an order file with %s: %q", id, ev.Tests)
		}
	}
}

// TestFailingToolCounts reads a log in which Maven's tests passed and Jest's failed. The evidence
// is Jest's.
func TestFailingToolCounts(t *testing.T) {
	const log = "[INFO] Running com.acme.FooTest\n" +
		"[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in com.acme.FooTest\n" +
		"[ERROR] FAIL src/cart.test.js\n[ERROR]   ● cart › adds up\n"
	ev := orderOf(t, "mvn.log", log)
	if ev.Tool != Jest || !slices.Equal(ev.Failed, []string{"src/cart.test.js#cart › adds up"}) {
		t.Errorf("%+v", ev)
	}
	if ev := orderOf(t, "mvn.log", log[:strings.Index(log, "[ERROR]")]); ev.Tool != "" || len(ev.Tests) != 1 {
		t.Errorf("%+v", ev)
	}
}

func TestJestJSONRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"numTotalTests":1,"testResults":[{"name":"a.test.js","assertionResults":[{"ti`: "not what jest --json writes",
		`{"numTotalTests":0,"testResults":[]}`:                                           "holds no test",
		`{"numTotalTests":1,"testResults":[7]}`:                                          "not what jest --json writes",
	} {
		if _, err := Order(written(t, "jest.json", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func orderOf(t *testing.T, name, text string) Evidence {
	t.Helper()
	ev, err := Order(written(t, name, text))
	if err != nil {
		t.Fatal(err)
	}
	return ev
}
