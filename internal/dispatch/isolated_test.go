//go:build linux

package dispatch_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/dispatch/dispatchtest"
	"github.com/odfix/odfix/internal/isolate"
)

// sandbox opens one whose rooms lie in dir. If the machine cannot, the test
// is skipped for that written reason, and only if bwrap is there and refused:
// where it is not installed, .ci/bubblewrap installs it.
func sandbox(t testing.TB, helper, dir string, l isolate.Limits) *isolate.Sandbox {
	t.Helper()
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Fatal("bubblewrap is not installed; .ci/bubblewrap installs it")
	}
	if l.Disk == 0 {
		l.Disk = 2 << 30 // reserved for each job
	}
	s, err := isolate.Open(t.Context(), isolate.Options{Helper: helper, Dir: dir, Limits: l})
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	if errors.Is(err, isolate.ErrNot) {
		t.Skip("this machine refuses what the sandbox needs, so nothing of it can be tested here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func isolated(t *testing.T, dir string) *dispatch.Isolated {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := local(t)
	return &dispatch.Isolated{
		Sandbox: sandbox(t, exe, dir, isolate.Limits{}), Runner: exe, Env: []string{dispatchtest.Env + "=1", "GORACE=atexit_sleep_ms=0"},
		Grace: l.Grace, Slack: l.Slack, Quiet: l.Quiet,
	}
}

func TestIsolated(t *testing.T) {
	dispatchtest.Conformance(t, func(t *testing.T, l dispatchtest.Limits) dispatch.Dispatcher {
		d := isolated(t, t.TempDir())
		d.Quiet, d.Grace = l.Quiet, l.Grace
		return d
	})
}

// The environment is what a build needs and no more; the work folder goes with the job.
func TestIsolatedLeavesNothingAndTellsNothing(t *testing.T) {
	t.Setenv("ODFIX_WEBHOOK_SECRET", "secret")
	t.Setenv("GITHUB_TOKEN", "token")
	dir := t.TempDir()
	d := isolated(t, dir)
	j := dispatchtest.Job(dispatchtest.Tells)
	j.Dir = t.TempDir()
	r, err := d.Run(t.Context(), j, nil)
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"HOME=/home/odfix", "USER=", "LOGNAME=", "SHELL=", "LANG=", "PATH=", "TZ=", "LC_",
		"JAVA_HOME=", "PWD=", dispatchtest.Env, "GORACE="}
	for _, line := range r.Notes[:len(r.Notes)-1] {
		if !hasAnyPrefix(line, known) {
			t.Errorf("the runner's environment has %q", line)
		}
	}
	if work := r.Notes[len(r.Notes)-1]; !strings.HasPrefix(work, dir) {
		t.Errorf("no work folder that can be written: %q", work)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func hasAnyPrefix(s string, all []string) bool {
	for _, p := range all {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func TestIsolatedSaysWhatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := isolate.Open(t.Context(), isolate.Options{Helper: os.Args[0]})
	if !errors.Is(err, isolate.ErrNot) || !strings.Contains(err.Error(), "install bubblewrap") {
		t.Errorf("got %v", err)
	}
}
