package maven

import (
	"os"
	"path/filepath"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatchesAny(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"**/*Test.java", "a/b/FooTest", true},
		{"**/*Test.java", "FooTest", true},
		{"**/Test*.java", "a/MyTest", false},
		{"**/*$*", "a/Foo$Inner", true},
		{"**/*$*", "a/Foo", false},
		{"a/*/C?.java", "a/x/Cy", true},
		{"a/*/C?.java", "a/x/y/Cz", false},
		{"a/", "a/b/c/D", true},
		{"a/**/z/*.class", "a/z/D", true},
		{"a/**/z/*.class", "a/b/c/z/D", true},
		{"a/**/z/*.class", "a/b/c/D", false},
		{"**", "a/B", true},
		{"**/**Test.java", "a/b/FooTest", true},
		{"**/F{oo,ar}[T].java", "a/Foo", false},
		{"**/F{oo,ar}[T].java", "a/F{oo,ar}[T]", true},
	} {
		if got := matchesAny([]string{test.pattern}, test.path); got != test.want {
			t.Errorf("%s on %s: %v", test.pattern, test.path, got)
		}
	}
}

func TestScanClasses(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"a/FooTest.class", "a/FooTest$1.class", "a/b/TestBar.class", "a/b/Other.class", "META-INF/x.txt"} {
		write(t, filepath.Join(dir, file), "")
	}
	got := scanClasses(dir, []string{"**/Test*.java", "**/*Test.java"}, []string{"**/*$*"})
	sort.Strings(got)
	if diff := cmp.Diff([]string{"a.FooTest", "a.b.TestBar"}, got); diff != "" {
		t.Error(diff)
	}
}

// write creates a file and its folders.
func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
