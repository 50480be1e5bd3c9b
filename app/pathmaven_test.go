package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/store"
)

// TestDemoWithMaven checks the main path without recordings. CI's log is Maven's on the merge
// commit. The real runner works on the sources that the App fetched. Accepting the suggestion makes
// Maven's run green.
func TestDemoWithMaven(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the runner and runs Maven for a minute")
	}
	h := &hub{Hub: investigatetest.New(t, githubtest.Config{}), t: t}
	h.serve(mavenDispatcher(t))
	p := h.Pull(nil)
	merge := filepath.Join(t.TempDir(), "merge")
	log, green := h.maven(p.MergeSha(), merge)
	if green {
		t.Fatalf("CI is green:\n%s", log)
	}
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test"}})
	h.Must(err)
	run.Job("test").Complete(h.Ctx, "failure", log)
	run.Complete(h.Ctx, "failure")
	if list := h.settled(p, 1); list[0].State != store.Done {
		t.Fatalf("%+v", list)
	}
	s := h.Posted(p)
	if len(s.Checks) != 1 || s.Reviews != 1 {
		t.Fatalf("%d checks, %d reviews: %s\n%s", len(s.Checks), s.Reviews, s.Checks[0].GetOutput().GetTitle(),
			s.Checks[0].GetOutput().GetText())
	}
	wantNotIn(t, s.Checks[0].GetOutput().GetText()+s.Inline[0].GetBody(), os.TempDir())
	h.accept(p, s)
	if log, green := h.maven(p.MergeSha(), filepath.Join(t.TempDir(), "after")); !green {
		t.Errorf("with the suggestion:\n%s", log)
	}
}

// mavenDispatcher isolates as `odfix serve` does by default, if this machine can.
func mavenDispatcher(t *testing.T) dispatch.Dispatcher {
	t.Helper()
	runner := buildRunner(t)
	box, err := isolate.Open(t.Context(), isolate.Options{Helper: runner, Dir: t.TempDir(), Limits: isolate.Limits{Disk: 2 << 30}})
	if err == nil {
		t.Cleanup(func() { _ = box.Close() })
	}
	if errors.Is(err, isolate.ErrNot) {
		t.Log("not isolated: ", err)
		return &dispatch.Local{Runner: runner, Env: runnerEnvironment(os.Environ())}
	}
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	return &dispatch.Isolated{Sandbox: box, Runner: runner, Maven: filepath.Join(home, ".m2")}
}

// maven runs the tests of a commit as CI would, and returns a log in GitHub's format.
func (h *hub) maven(sha, dir string) (log []byte, green bool) {
	h.t.Helper()
	h.Must(os.MkdirAll(dir, 0o755))
	h.Must(h.Repo.Checkout(h.Ctx, sha, dir))
	ctx, cancel := context.WithCancel(h.Ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "mvn", "-B", "-ntp", "test")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var b bytes.Buffer
	for line := range strings.Lines(string(out)) {
		b.WriteString("2026-05-04T03:02:01.0000000Z " + line)
	}
	return b.Bytes(), err == nil
}

// buildRunner builds odfix, which is also the runner. It needs the harness's jars.
func buildRunner(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "odfix")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}
