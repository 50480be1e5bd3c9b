package worktree

import (
	"os/exec"
	"strings"
	"testing"
)

func TestRevision(t *testing.T) {
	dir := t.TempDir()
	if got := Revision(t.Context(), dir); got != "" {
		t.Errorf("outside git: %q", got)
	}
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"},
			args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	if got := Revision(t.Context(), dir); got != "" {
		t.Errorf("before the first commit: %q", got)
	}
	git("commit", "-q", "--allow-empty", "-m", "first")
	if got, want := Revision(t.Context(), dir), git("rev-parse", "HEAD"); got != want || len(got) < 40 {
		t.Errorf("%q, want %q", got, want)
	}
}
