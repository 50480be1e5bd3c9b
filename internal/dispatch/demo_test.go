//go:build linux

package dispatch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
)

// realRunner builds odfix, under the name that makes it the runner.
func realRunner(t testing.TB) string {
	t.Helper()
	runner := filepath.Join(t.TempDir(), isolate.RunnerName)
	if out, err := exec.Command("go", "build", "-o", runner, "github.com/odfix/odfix/app").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return runner
}

func machineMaven(t testing.TB) string {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(home, ".m2")
}

// The main path: a cause is found and its patch proved, with nothing but what a room has.
func TestIsolatedFix(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven and test JVMs for half a minute")
	}
	runner := realRunner(t)
	d := &dispatch.Isolated{Sandbox: sandbox(t, runner, t.TempDir(), isolate.Limits{}), Runner: runner, Maven: machineMaven(t)}
	dir, err := filepath.Abs("../../examples/demo")
	if err != nil {
		t.Fatal(err)
	}
	for _, offline := range []bool{false, true} {
		begun := time.Now()
		r, err := d.Run(t.Context(), job.Job{Kind: job.KindFix, Dir: dir, Tests: []string{"ReceiptTest#printsTheTotal"},
			Offline: offline, Budget: 10 * time.Hour}, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, err.(*job.Error).Detail)
		}
		t.Logf("offline %v: %s, %+v", offline, time.Since(begun), r.Cost)
		for _, x := range r.Tests {
			for _, c := range x.Reproduce {
				if strings.Contains(c.Line, " -o ") != offline {
					t.Errorf("offline %v: people are told to run %s", offline, c.Line)
				}
			}
		}
		if r.Error != nil || len(r.Tests) != 1 || len(r.Tests[0].Patches) == 0 {
			t.Errorf("offline %v: %+v %+v", offline, r.Error, r.Tests)
		}
	}
}
