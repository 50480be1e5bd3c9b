//go:build linux

package dispatch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestIsolatedJest: a room has what a package needs, with its dependencies installed or not.
func TestIsolatedJest(t *testing.T) {
	t.Run("installed", func(t *testing.T) { isolatedJest(t, true) })
	t.Run("to be installed in the room", func(t *testing.T) { isolatedJest(t, false) })
}

func isolatedJest(t *testing.T, installed bool) {
	if testing.Short() {
		t.Skip("it installs packages, and runs Jest for half a minute")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed")
	}
	dir := filepath.Join(t.TempDir(), "checkout")
	if err := os.CopyFS(dir, os.DirFS("../../examples/jest-mock-calls")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), npm, "ci", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if installed {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	runner := realRunner(t)
	d := &dispatch.Isolated{Sandbox: sandbox(t, runner, t.TempDir(), isolate.Limits{}), Runner: runner}
	const failing = "mailer.test.js#mailer › reminds every user once"
	r, err := d.Run(t.Context(), job.Job{Kind: job.KindFix, Language: "jest", Dir: dir, Tests: []string{failing},
		Budget: 10 * time.Hour}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, err.(*job.Error).Detail)
	}
	if r.Error != nil || len(r.Tests) != 1 || r.Tests[0].Verdict != suite.Victim || len(r.Tests[0].Patches) == 0 {
		t.Errorf("%+v %+v", r.Error, r.Tests)
	}
}
