//go:build linux

package dispatch_test

import (
	"errors"
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
func TestRunnerDiesWithItsParent(t *testing.T) { killParent(t, "1") }

// TestRoomDiesWithItsParent: the same with a child of the runner's in a session of
// its own. What the dead one left on the disk the next one removes.
func TestRoomDiesWithItsParent(t *testing.T) {
	dir := t.TempDir()
	isolated(t, t.TempDir()) // says whether this machine can
	killParent(t, dir)
	if left, _ := filepath.Glob(filepath.Join(dir, "odfix-room-*")); len(left) != 1 {
		t.Errorf("one room of the dead odfix should be left: %v", left)
	}
	isolated(t, dir)
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("still there: %v", left)
	}
}

// TestRoomEndsWithItsRun: a runner's child in a session of its own, too.
func TestRoomEndsWithItsRun(t *testing.T) {
	pipe := fifo(t)
	opened := opening(t, pipe)
	d := isolated(t, t.TempDir())
	d.Env, d.Show = append(d.Env, dispatchtest.AliveEnv+"="+pipe), []string{pipe}
	j := dispatchtest.Job(dispatchtest.Escapes)
	j.Dir = t.TempDir()
	if _, err := d.Run(t.Context(), j, nil); err != nil {
		t.Fatal(err)
	}
	wantDead(t, <-opened)
}

// opening opens a pipe as soon as the other end is.
func opening(t *testing.T, pipe string) <-chan *os.File {
	opened := make(chan *os.File, 1)
	go func() {
		f, err := os.Open(pipe)
		if err != nil {
			t.Error(err)
		}
		opened <- f
	}()
	return opened
}

func killParent(t *testing.T, kind string) {
	t.Helper()
	pipe := fifo(t)
	odfix := exec.Command(os.Args[0])
	odfix.Env = append(os.Environ(), parentEnv+"="+kind, dispatchtest.AliveEnv+"="+pipe)
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
	opened := opening(t, pipe)
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
	// Whoever runs in a room is another user.
	if err := errors.Join(syscall.Mkfifo(pipe, 0o666), os.Chmod(pipe, 0o666)); err != nil {
		t.Fatal(err)
	}
	return pipe
}

// wantDead waits until nobody holds the pipe open for writing any more.
func wantDead(t *testing.T, alive *os.File) {
	t.Helper()
	defer alive.Close()
	if err := alive.SetReadDeadline(time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := alive.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("something of the runner lives on: %v", err)
	}
}
