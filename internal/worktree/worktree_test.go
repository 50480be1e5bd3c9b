package worktree

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
)

// gitIn runs git in a folder, and returns what it prints.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestRevision(t *testing.T) {
	dir := t.TempDir()
	for _, prepare := range [][]string{nil, {"init", "-q"}} {
		if prepare != nil {
			gitIn(t, dir, prepare...)
		}
		if revision, point := Revision(t.Context(), dir), BranchPoint(t.Context(), dir); revision != "" || point != "" {
			t.Errorf("after %q: %q and %q", prepare, revision, point)
		}
	}
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	if got, want := Revision(t.Context(), dir), gitIn(t, dir, "rev-parse", "HEAD"); got != want || len(got) < 40 {
		t.Errorf("%q, want %q", got, want)
	}
}

// The branch begins where it left the default branch of origin, whatever has been added to that since.
func TestBranchPoint(t *testing.T) {
	origin, dir := t.TempDir(), filepath.Join(t.TempDir(), "clone")
	commit := func(in, message string) string {
		t.Helper()
		gitIn(t, in, "commit", "-q", "--allow-empty", "-m", message)
		return gitIn(t, in, "rev-parse", "HEAD")
	}
	gitIn(t, origin, "init", "-q", "-b", "trunk")
	left := commit(origin, "shared")
	gitIn(t, origin, "clone", "-q", origin, dir)
	commit(dir, "on the branch")
	commit(origin, "on the default branch")
	gitIn(t, dir, "fetch", "-q")
	if got := BranchPoint(t.Context(), dir); got != left {
		t.Errorf("%q, want %q", got, left)
	}
	gitIn(t, dir, "remote", "set-head", "origin", "--delete")
	if got, want := BranchPoint(t.Context(), dir), gitIn(t, dir, "rev-parse", "HEAD"); got != want {
		t.Errorf("without a default branch: %q, want %q", got, want)
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
