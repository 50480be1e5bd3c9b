package jest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/project"
)

// TestReadOnlyCheckout: a checkout that may not be written gives copies that tests may write and that
// odfix can restore and remove.
func TestReadOnlyCheckout(t *testing.T) {
	from := t.TempDir()
	writeFile(t, filepath.Join(from, "src/a.test.js"), "a")
	for _, name := range []string{"src/a.test.js", "src", "."} {
		path := filepath.Join(from, name)
		if err := os.Chmod(path, map[bool]fs.FileMode{true: 0o444, false: 0o555}[isFile(path)]); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = removeAll(from) })
	first, err := copyTree(t.Context(), from, filepath.Join(t.TempDir(), "tree"))
	if err != nil {
		t.Fatal(err)
	}
	copied, err := first.clone(t.Context(), filepath.Join(t.TempDir(), "slot"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"src/a.test.js", "src", "."} {
		if fi, err := os.Stat(filepath.Join(copied.dir, name)); err != nil || fi.Mode()&0o200 == 0 {
			t.Errorf("%s: %v, %v", name, fi.Mode(), err)
		}
	}
	if wrote, err := copied.restore(first); err != nil || len(wrote) > 0 {
		t.Errorf("an untouched copy: %q, %v", wrote, err)
	}
	if err := os.Chtimes(filepath.Join(copied.dir, "src/a.test.js"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, the file is as it is remembered
		if wrote, err := copied.restore(first); err != nil || len(wrote) > 0 {
			t.Errorf("a file that was written as it was: %q, %v", wrote, err)
		}
	}
	writeFile(t, filepath.Join(copied.dir, "src/left.txt"), "left")
	if err := os.Remove(filepath.Join(copied.dir, "src/a.test.js")); err != nil {
		t.Fatal(err)
	}
	if wrote, err := copied.restore(first); err != nil || len(wrote) != 2 || !isFile(filepath.Join(copied.dir, "src/a.test.js")) {
		t.Errorf("%q, %v", wrote, err)
	}
	if err := removeAll(copied.dir); err != nil || isDir(copied.dir) {
		t.Error(err)
	}
	if fi, err := os.Stat(filepath.Join(from, "src")); err != nil || fi.Mode().Perm() != 0o555 || isFile(filepath.Join(from, "src/left.txt")) {
		t.Errorf("the checkout was changed: %v, %v", fi, err)
	}
}

// TestPackagesWithoutALockFile: installed packages are used as they are, by links, whatever their
// size and wherever they come from.
func TestPackagesWithoutALockFile(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, ".git/HEAD"), "")
	writeFile(t, filepath.Join(dir, "package.json"), `{"scripts": {"test": "jest"}}`)
	large := filepath.Join(dir, "node_modules/large/index.js")
	writeFile(t, large, "")
	if err := os.Truncate(large, maxCopy+1); err != nil { // sparse: more than a copy may take
		t.Skip(err)
	}
	at, err := findPlace(project.Options{Dir: dir})
	if err == nil {
		err = at.checkInstall()
	}
	if err != nil {
		t.Fatal(err)
	}
	copied, err := copyTree(t.Context(), dir, filepath.Join(t.TempDir(), "slot"))
	if err != nil {
		t.Fatal(err)
	}
	if err := linkModules(copied, dir, copied.dir); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(large)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := filepath.EvalSymlinks(filepath.Join(copied.dir, "node_modules/large/index.js")); err != nil || got != real {
		t.Errorf("%s, %v", got, err)
	}
}
