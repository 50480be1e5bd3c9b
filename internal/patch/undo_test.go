package patch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What git says of a change, and what GitHub lists of it, can be undone.
func TestUndo(t *testing.T) {
	before := map[string]string{"edited.txt": "a\nb\nc\n", "größe two.txt": "1\n2", "removed.txt": "x\ny\n", "test.txt": "1\n",
		"binary.bin": "\x00\x01", "mode.sh": "1\n"}
	after := map[string]string{"edited.txt": "a\nB\nc\nd\n", "größe two.txt": "1\n3\n", "new.txt": "n\n", "test.txt": "2\n",
		"binary.bin": "\x00\x02", "mode.sh": "2\n"}
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	for name, text := range before {
		write(t, filepath.Join(dir, name), text)
	}
	git(t, dir, "add", "-A")
	git(t, dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "before")
	for name := range before {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range after {
		write(t, filepath.Join(dir, name), text)
	}
	if err := os.Chmod(filepath.Join(dir, "mode.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "-A")
	diff, err := exec.Command("git", "-C", dir, "diff", "--no-renames", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) (string, error) {
		if path == "removed.txt" {
			return "", nil
		}
		text, ok := after[path]
		if !ok {
			return "", errors.New("not there: " + path)
		}
		return text, nil
	}
	want := map[string]string{"edited.txt": before["edited.txt"], "größe two.txt": before["größe two.txt"],
		"removed.txt": before["removed.txt"]}
	got, lost := Undo(string(diff), func(path string) bool { return path != "test.txt" }, read)
	if d := cmp.Diff(want, got); d != "" || len(lost) > 0 {
		t.Error(d, lost)
	}
	listed := OfFile("edited.txt", "@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d", Edits) +
		OfFile("größe two.txt", "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+3", Edits) +
		OfFile("removed.txt", "@@ -1,2 +0,0 @@\n-x\n-y", Removes) + OfFile("new.txt", "@@ -0,0 +1 @@\n+n", Makes)
	got, lost = Undo(listed, func(string) bool { return true }, read)
	if d := cmp.Diff(want, got); d != "" || len(lost) > 0 {
		t.Error(d, lost)
	}
	got, lost = Undo(listed, func(string) bool { return true }, func(string) (string, error) { return "another text\n", nil })
	if len(got) > 0 || len(lost) != 3 {
		t.Errorf("%q, lost %q", got, lost)
	}
}
