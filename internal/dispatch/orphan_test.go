//go:build linux

package dispatch_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch/dispatchtest"
)

// TestRunnerDiesWithItsParent kills an odfix outright; the runner, which does
// not stop when told, must be gone with it: then nobody holds the pipe any more.
func TestRunnerDiesWithItsParent(t *testing.T) {
	pipe := fifo(t)
	odfix := exec.Command(os.Args[0])
	odfix.Env = append(os.Environ(), parentEnv+"=1", dispatchtest.AliveEnv+"="+pipe)
	out, err := odfix.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := odfix.Start(); err != nil {
		t.Fatal(err)
	}
	alive, err := os.Open(pipe) // waits until the runner has opened it
	if err != nil {
		t.Fatal(err)
	}
	ready := make([]byte, len(dispatchtest.Ready)+1)
	if _, err := io.ReadFull(out, ready); err != nil {
		t.Fatal(err)
	}
	if err := odfix.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = odfix.Wait()
	wantDead(t, alive)
}

// TestNothingIsLeftBehind: a runner's own children end with the run.
func TestNothingIsLeftBehind(t *testing.T) {
	pipe := fifo(t)
	opened := make(chan *os.File, 1)
	go func() {
		f, err := os.Open(pipe)
		if err != nil {
			t.Error(err)
		}
		opened <- f
	}()
	l := local(t)
	l.Env = append(l.Env, dispatchtest.AliveEnv+"="+pipe)
	if _, err := l.Run(t.Context(), dispatchtest.Job(dispatchtest.Leaves), nil); err != nil {
		t.Fatal(err)
	}
	wantDead(t, <-opened)
}

func fifo(t *testing.T) string {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	return pipe
}

// wantDead waits until nobody holds the pipe open for writing any more.
func wantDead(t *testing.T, alive *os.File) {
	t.Helper()
	defer alive.Close()
	if err := alive.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := alive.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("something of the runner lives on: %v", err)
	}
}
