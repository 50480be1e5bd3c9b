package java

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Files that a polluter leaves in the folder of build output are deleted by their paths from the
// tests' working directory, each one and all together. Other files stay.
func TestLeftFilesAreDeleted(t *testing.T) {
	tree := t.TempDir()
	module := filepath.Join(tree, "core")
	l := &build.Launch{Basedir: module, Dir: tree, TestOutput: filepath.Join(module, "target", "test-classes")}
	left := []string{"core/app.db", "core/target/a", "core/target/a/a.txt", "core/target/test-classes/b \"c\".txt", "other/target/c.txt"}
	var got []patch.Made
	for _, p := range deleting(left, tree, l) {
		got = append(got, p.Made)
	}
	folder, one := `new java.io.File("core/target/a").delete();`, `new java.io.File("core/target/a/a.txt").delete();`
	other := `new java.io.File("core/target/test-classes/b \"c\".txt").delete();`
	if want := []patch.Made{
		{Statements: []string{other}, Resets: `the file core/target/test-classes/b "c".txt`},
		{Statements: []string{one}, Resets: "the file core/target/a/a.txt"},
		{Statements: []string{folder}, Resets: "the file core/target/a"},
		{Statements: []string{other, one, folder},
			Resets: `the file core/target/test-classes/b "c".txt, the file core/target/a/a.txt, the file core/target/a`},
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	l = &build.Launch{Basedir: module, Dir: module, TestOutput: filepath.Join(module, "bin")}
	if none := deleting([]string{"core/a.txt"}, tree, l); none != nil {
		t.Errorf("beside the sources: %+v", none)
	}
}

// TestRewritesOfOneInstance: what a class with one instance for all its tests sets up can be set up for each.
func TestRewritesOfOneInstance(t *testing.T) {
	got := (&editor{}).Rewrites(t.Context(), []string{state.Instance + "a.CartTest"}, []suite.TestID{"a.CartTest#empty"})
	if want := []patch.Made{{Unshare: []string{"a.CartTest.@BeforeAll"}, Resets: "the instance of a.CartTest"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestFewestFiles: a file is deleted although another folder holds too many, and a folder only with all
// that is in it.
func TestFewestFiles(t *testing.T) {
	files := []string{"t/cache"}
	for i := range resetFiles {
		files = append(files, fmt.Sprintf("t/cache/%d", i))
	}
	files = append(files, "t/marker.txt", "t/out", "t/out/a", "t/out/b", "t/outer")
	if got, want := fewest(files), []string{"t/marker.txt", "t/out", "t/out/a", "t/out/b", "t/outer"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
