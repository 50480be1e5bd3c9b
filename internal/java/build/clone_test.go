package build

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMoveCompiled: the lists of Maven's compiler plug-in name the files of the clone. Nothing
// outside of it changes.
func TestMoveCompiled(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	const list = "maven-status/maven-compiler-plugin/compile/default-compile/inputFiles.lst"
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const before, after = "/base/tree/src/A.java\n/base/treehouse/B.java\n", "/new/tree/src/A.java\n/base/treehouse/B.java\n"
	want := map[string]string{
		filepath.Join(root, "target", list): after, filepath.Join(root, "a/b/target", list): after,
		filepath.Join(root, "src/target", list): before, filepath.Join(root, "target/classes/inputFiles.lst"): before,
		filepath.Join(outside, list): before, filepath.Join(outside, "inputFiles.lst"): before,
	}
	for path := range want {
		put(path, before)
	}
	for link, to := range map[string]string{"c/target": outside, "d/target/maven-status": filepath.Join(outside, "maven-status"),
		"e/target/maven-status/inputFiles.lst": filepath.Join(outside, "inputFiles.lst")} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := moveCompiled(root, "/base/tree", "/new/tree"); err != nil {
		t.Fatal(err)
	}
	for path, text := range want {
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}
