//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSandboxStarts checks that odfix becomes the odfix-sandbox next to it, with the same
// arguments. If there is none, the error says how to get one.
func TestSandboxStarts(t *testing.T) {
	bin := t.TempDir()
	odfix := filepath.Join(bin, "odfix")
	if out, err := exec.Command("go", "build", "-o", odfix, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sandbox := func() (string, int) {
		cmd := exec.Command(odfix, "sandbox", "--once", "--page", "a b", ".", "--", "test")
		cmd.Env = []string{"PATH=" + t.TempDir()}
		out, err := cmd.CombinedOutput()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := sandbox(); code != exitError || !strings.Contains(out, "odfix-sandbox is neither in "+bin) ||
		!strings.Contains(out, "make build") {
		t.Errorf("without odfix-sandbox: status %d\n%s", code, out)
	}
	script := "#!/bin/sh\nprintf '<%s>' \"$@\"; exit 6\n"
	if err := os.WriteFile(filepath.Join(bin, "odfix-sandbox"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, code := sandbox(); code != 6 || out != "<sandbox><--once><--page><a b><.><--><test>" {
		t.Errorf("with odfix-sandbox: status %d\n%s", code, out)
	}
	script = "#!/bin/sh\necho \"$*\" >&2; printf 'victim\\tabout\\n:4\\n'\n"
	if err := os.WriteFile(filepath.Join(bin, "odfix-sandbox"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(odfix, "__complete", "sandbox", "--scenario", "v").Output()
	if err != nil || string(out) != "victim\tabout\n:4\n" {
		t.Errorf("completion: %q %v", out, err)
	}
}
