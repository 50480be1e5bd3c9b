package build

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func plant(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for rel, text := range files {
		at := filepath.Join(root, rel)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func remembered(t *testing.T) (string, *Pristine) {
	t.Helper()
	root := t.TempDir()
	plant(t, root, map[string]string{"pom.xml": "pom", "target/classes/A.class": "a", "target/log.txt": "begun\n",
		"data/in.csv": "1,2", ".git/HEAD": "main"})
	if err := os.Symlink("pom.xml", filepath.Join(root, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	then := time.Now().Add(-time.Hour) // older than any step of a clock
	for _, dir := range []string{"target/classes", "target", "data", "."} {
		if err := os.Chtimes(filepath.Join(root, dir), then, then); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Remember(t.Context(), root, filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	return root, p
}

func TestRestoreUndoesWhatWasWritten(t *testing.T) {
	root, p := remembered(t)
	if got, err := p.Restore(); got.Wrote() || err != nil {
		t.Fatalf("%v %v where nothing was written", got, err)
	}
	before := tree(t, root)
	outside := filepath.Join(t.TempDir(), "outside")
	plant(t, filepath.Dir(outside), map[string]string{"outside": "mine"})
	plant(t, root, map[string]string{"target/import.running": "", "new/deep/x": "x",
		"target/log.txt": "begun\nmore\n", ".git/HEAD": "other"})
	for _, gone := range []string{"data", "link"} {
		if err := os.RemoveAll(filepath.Join(root, gone)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(root, "data")); err != nil {
		t.Fatal(err)
	}
	got, err := p.Restore()
	if want := []string{"data", "data", "data/in.csv", "link", "new", "new/deep", "new/deep/x",
		"target/import.running", "target/log.txt"}; err != nil || !slices.Equal(got.Files, want) {
		t.Errorf("undone %v, want %v (%v)", got, want, err)
	}
	before[".git/HEAD"] = "other"
	if after := tree(t, root); len(after) != len(before) {
		t.Errorf("%v", after)
	} else {
		for rel, text := range before {
			if after[rel] != text {
				t.Errorf("%s holds %q, not %q", rel, after[rel], text)
			}
		}
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "mine" {
		t.Errorf("what a link led to was touched: %v", err)
	}
	if got, err := p.Restore(); got.Wrote() || err != nil {
		t.Errorf("%v %v after all was undone", got, err)
	}
}

// A file that is written again with the same content has another time. Restore also restores the
// time.
func TestRestoreRestoresTimes(t *testing.T) {
	root, p := remembered(t)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(root, "pom.xml"), later, later); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Restore(); err != nil || !slices.Equal(got.Files, []string{"pom.xml"}) {
		t.Errorf("%v %v", got, err)
	}
	if got, err := p.Restore(); err != nil || got.Wrote() {
		t.Errorf("%v %v", got, err)
	}
}

// A file that was created and removed leaves nothing to undo. The time of its folder shows it.
func TestRestoreReportsRemovedFiles(t *testing.T) {
	root, p := remembered(t)
	for _, rel := range []string{"lock", "target/lock"} {
		plant(t, root, map[string]string{rel: ""})
		if err := os.Remove(filepath.Join(root, rel)); err != nil {
			t.Fatal(err)
		}
	}
	plant(t, root, map[string]string{"data/new.csv": "1"})
	if wrote, err := p.Written(); err != nil || !wrote {
		t.Errorf("written: %v %v", wrote, err)
	}
	got, err := p.Restore()
	if err != nil || !slices.Equal(got.Files, []string{"data/new.csv"}) || !slices.Equal(got.Passing, []string{".", "target"}) {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := p.Restore(); err != nil || got.Wrote() {
		t.Errorf("%+v %v", got, err)
	}
	if wrote, err := p.Written(); err != nil || wrote {
		t.Errorf("written: %v %v after all was undone", wrote, err)
	}
}

// Without contents, Restore removes new files and reports changed files once.
func TestRestoreWithoutContents(t *testing.T) {
	root, p := remembered(t)
	p.whole, p.kept = false, ""
	plant(t, root, map[string]string{"new": "x", "pom.xml": "changed"})
	if got, err := p.Restore(); !errors.Is(err, errChanged) || !slices.Equal(got.Files, []string{"new", "pom.xml"}) {
		t.Errorf("%v %v", got, err)
	}
	if got, err := p.Restore(); err != nil || got.Wrote() {
		t.Errorf("%v %v", got, err)
	}
}

// A test may make folders and files read-only, and replace them with links.
func TestRestoreOfWhatIsReadOnly(t *testing.T) {
	root, p := remembered(t)
	outside := t.TempDir()
	plant(t, outside, map[string]string{"in.csv": "mine"})
	plant(t, root, map[string]string{"target/made/x": "x"})
	for path, mode := range map[string]os.FileMode{"target/made": 0o500, "target/classes": 0o500, "pom.xml": 0o400} {
		if err := os.Chmod(filepath.Join(root, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(root, "data")), os.Symlink(outside, filepath.Join(root, "data"))); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Restore(); err != nil ||
		!slices.Equal(got.Files, []string{"data", "data", "data/in.csv", "pom.xml", "target/classes", "target/made", "target/made/x"}) {
		t.Errorf("%v %v", got, err)
	}
	if got, err := p.Restore(); err != nil || got.Wrote() {
		t.Errorf("%v %v", got, err)
	}
	if b, err := os.ReadFile(filepath.Join(outside, "in.csv")); err != nil || string(b) != "mine" {
		t.Errorf("what a link led to was touched: %q %v", b, err)
	}
}

// tree returns the contents of the files below a folder.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		out[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRememberCopy: a copy of a folder shares what is kept of files that are as they were there. Each
// file gets its own content back.
func TestRememberCopy(t *testing.T) {
	root, _ := remembered(t)
	for _, other := range []string{".git", "link"} {
		if err := os.RemoveAll(filepath.Join(root, other)); err != nil {
			t.Fatal(err)
		}
	}
	plant(t, root, map[string]string{"paths.lst": root})
	base, err := Remember(t.Context(), root, filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	copied := func(of *Pristine, from, changed string) (string, *Pristine) {
		to := filepath.Join(t.TempDir(), "copy")
		if err := copyTree(t.Context(), from, to, from, to, func(string, fs.DirEntry) bool { return false }); err != nil {
			t.Fatal(err)
		}
		plant(t, to, map[string]string{changed: "the patch"})
		p, err := of.RememberCopy(t.Context(), to, to+".kept")
		if err != nil {
			t.Fatal(err)
		}
		return to, p
	}
	one, first := copied(base, root, "data/in.csv")
	two, second := copied(first, one, "pom.xml")
	three, third := copied(nil, root, "pom.xml")
	for _, x := range []struct {
		dir  string
		p    *Pristine
		kept []string // its own
	}{
		{one, first, []string{"data/in.csv", "paths.lst"}},
		{two, second, []string{"paths.lst", "pom.xml"}},
		{three, third, []string{"data/in.csv", "paths.lst", "pom.xml", "target/classes/A.class", "target/log.txt"}},
	} {
		if got := slices.Sorted(maps.Keys(tree(t, x.dir+".kept"))); !slices.Equal(got, x.kept) {
			t.Errorf("keeps %v, want %v", got, x.kept)
		}
		before := tree(t, x.dir)
		for rel := range before {
			if err := os.Remove(filepath.Join(x.dir, rel)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := x.p.Restore(); err != nil || len(got.Files) != len(before) {
			t.Errorf("restored %v, %v", got.Files, err)
		}
		if got := tree(t, x.dir); !maps.Equal(got, before) {
			t.Errorf("%v, want %v", got, before)
		}
	}
}
