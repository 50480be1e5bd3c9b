package build

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A process that leaves its group ends with the run, whether the run ends or is cancelled.
func TestNothingOutsideOfTheGroupOutlivesARun(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		pipe := filepath.Join(t.TempDir(), "pid")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", `setsid sh -c 'echo $$ >"$0"; exec sleep 1000' "$0" & read -r _ <"$0.go"`, pipe)
		if err := syscall.Mkfifo(pipe+".go", 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- runGroup(ctx, cmd) }()
		var pid int
		text, err := os.ReadFile(pipe)
		if _, serr := fmt.Sscan(string(text), &pid); err != nil || serr != nil {
			t.Fatalf("%q, %v, %v", text, err, serr)
		}
		if cancelled {
			cancel()
		} else if err := os.WriteFile(pipe+".go", []byte("\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; (err != nil) != cancelled {
			t.Errorf("cancelled %v: %v", cancelled, err)
		}
		cancel()
		for alive(pid) { // it may still be dying
			time.Sleep(time.Millisecond)
		}
	}
}

// alive reports whether a process runs. One that nobody waits for has no environment.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && len(text) > 0
}
