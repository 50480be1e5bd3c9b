package worktree

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
)

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestChangedFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gitIn(t, dir, "init", "-q")
	gitIn(t, dir, "config", "diff.relative", "true") // a person's setting is none of ours
	put("m/kept.java", "1")
	put("old/moved.java", "a file that is\nlike itself\nunder another name\n")
	put("m/committed.java", "1")
	put("edited größe.java", "1")
	put(".gitignore", "target/\n")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-qm", "base")
	gitIn(t, dir, "tag", "base")
	put("m/committed.java", "2")
	gitIn(t, dir, "mv", "old/moved.java", "m/moved.java")
	gitIn(t, dir, "commit", "-qam", "later")
	put("edited größe.java", "2")
	put("m/new.java", "1")
	put("target/out.class", "1")
	got, err := ChangedFiles(t.Context(), filepath.Join(dir, "m"), "base")
	slices.Sort(got)
	if d := cmp.Diff([]string{"edited größe.java", "m/committed.java", "m/moved.java", "m/new.java"}, got); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	for rev, where := range map[string]string{"nope": dir, "--output=/tmp/x": dir, "HEAD": t.TempDir()} {
		var e *job.Error
		if _, err := ChangedFiles(t.Context(), where, rev); !errors.As(err, &e) || e.Hint == "" {
			t.Errorf("%s: %v", rev, err)
		}
	}
}
