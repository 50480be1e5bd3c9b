package java

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/patch"
)

// Files that a polluter leaves are deleted by their paths from the tests' working directory, each
// one and all together. Files of the project stay, but not what earlier runs left.
func TestLeftFilesAreDeleted(t *testing.T) {
	tree := t.TempDir()
	var got []patch.Made
	l := &maven.Launch{Dir: filepath.Join(tree, "core"), TestOutput: filepath.Join(tree, "core", "target", "test-classes")}
	before := func(file string) bool { return file != "b \"c\".txt" }
	for _, p := range deleting([]string{"core/target/a.txt", "core/pom.xml", "b \"c\".txt"}, tree, l, before) {
		got = append(got, p.Made)
	}
	one, other := `new java.io.File("target/a.txt").delete();`, `new java.io.File("../b \"c\".txt").delete();`
	if want := []patch.Made{
		{Statements: []string{one}, Resets: "the file target/a.txt"},
		{Statements: []string{other}, Resets: `the file ../b "c".txt`},
		{Statements: []string{one, other}, Resets: `the file target/a.txt, the file ../b "c".txt`},
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if none := deleting(nil, tree, l, before); none != nil {
		t.Errorf("%+v", none)
	}
}
