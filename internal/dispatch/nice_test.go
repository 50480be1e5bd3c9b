//go:build linux

package dispatch_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
)

// niceRunner answers with the niceness of what it starts.
func niceRunner(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "odfix-runner")
	text := fmt.Sprintf("#!/bin/sh\nread -r line\nprintf '{\"report\":{\"version\":%d,\"notes\":[\"%%s\"]}}\\n' \"$(nice)\"\n", job.Version)
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestNiceness: a job's processes have the niceness of the dispatcher, and else that of this
// process.
func TestNiceness(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runner := niceRunner(t)
	own, err := exec.Command("nice").Output()
	if err != nil {
		t.Fatal(err)
	}
	ours := strings.TrimSpace(string(own))
	for name, c := range map[string]struct {
		want string
		d    dispatch.Dispatcher
	}{
		"local":              {"13", &dispatch.Local{Runner: runner, Nice: 13}},
		"local, as it comes": {ours, &dispatch.Local{Runner: runner}},
		"isolated":           {"13", &dispatch.Isolated{Sandbox: sandbox(t, exe, t.TempDir(), isolate.Limits{Nice: 13}), Runner: runner}},
	} {
		r, err := c.d.Run(t.Context(), job.Job{Dir: t.TempDir(), Offline: true}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if len(r.Notes) != 1 || r.Notes[0] != c.want {
			t.Errorf("%s: niceness %v, want %s", name, r.Notes, c.want)
		}
	}
}
