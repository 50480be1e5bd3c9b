package java

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/patch"
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
