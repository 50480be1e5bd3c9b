//go:build unix

package maven

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/java/build"
)

const helperEnv = "ODFIX_TEST_RECORD"

// TestMain runs the test binary as an odfix that is killed, if helperEnv is set.
func TestMain(m *testing.M) {
	if spec := os.Getenv(helperEnv); spec != "" {
		dir, rest, _ := strings.Cut(spec, "\n")
		work, pidfile, _ := strings.Cut(rest, "\n")
		os.Unsetenv(helperEnv)
		p, err := Open(context.Background(), build.Options{Dir: dir, Work: work, Args: []string{"-Dpidfile=" + pidfile}, Log: os.Stdout})
		if err == nil {
			_, err = p.Record(context.Background())
		}
		fmt.Println("record ended:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// fifo returns a named pipe into which a process of the build writes its id.
func fifo(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pid")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// pidFrom waits for the process id in the pipe.
func pidFrom(t *testing.T, file string) int {
	t.Helper()
	lines := make(chan string, 1)
	go func() {
		f, err := os.Open(file)
		if err != nil {
			return
		}
		defer f.Close()
		s := bufio.NewScanner(f)
		s.Scan()
		lines <- s.Text()
	}()
	select {
	case line := <-lines:
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Error(err)
		}
		return pid
	case <-time.After(time.Hour):
		t.Error("the build did not come to its slow part")
		return 0
	}
}

// awaitDeath waits until the process has ended or is a zombie.
func awaitDeath(t *testing.T, pid int) {
	t.Helper()
	if pid <= 0 {
		return // pidFrom has reported why
	}
	deadline := time.NewTimer(time.Hour)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		state, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		if s := strings.TrimSpace(string(state)); s == "" || s[0] == 'Z' {
			return
		}
		select {
		case <-deadline.C:
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d lives on", pid)
		case <-tick.C:
		}
	}
}

// A killed odfix cannot clean up. Maven and all its processes end nevertheless.
func TestNothingOutlivesAKilledOdfix(t *testing.T) {
	needMaven(t)
	file := fifo(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), helperEnv+"="+unpack(t, "hangs.txt")+"\n"+t.TempDir()+"\n"+file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	grandchild := pidFrom(t, file)
	cmd.Process.Kill()
	cmd.Wait()
	awaitDeath(t, grandchild)
}

func TestHungMavenIsStoppedWithAllItStarted(t *testing.T) {
	p, pid, ended, stop := hang(t)
	stop(build.ErrBudget) // as if the budget were spent now
	err := await(t, ended)
	if e, ok := err.(*build.Error); !ok || e.Code != build.CodeTimeout {
		t.Errorf("got %v", err)
	}
	awaitDeath(t, pid)
	if log := read(t, p.Beside("maven.log")); !strings.Contains(log, "Full thread dump") {
		t.Error("the log does not show where it hung")
	}
}

func TestCancelledRecordEndsAtOnce(t *testing.T) {
	_, pid, ended, stop := hang(t)
	stop(nil)
	if err := await(t, ended); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	awaitDeath(t, pid)
}

// hang starts a Record whose Maven runs a process that does not end.
func hang(t *testing.T) (*Project, int, <-chan error, context.CancelCauseFunc) {
	t.Helper()
	needMaven(t)
	file := fifo(t)
	p := open(t, unpack(t, "hangs.txt"), t.TempDir(), build.Options{Args: []string{"-Dpidfile=" + file}})
	ctx, cancel := context.WithCancelCause(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Record(ctx)
		ended <- err
	}()
	return p, pidFrom(t, file), ended, cancel
}

func await(t *testing.T, ended <-chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(time.Hour):
		t.Fatal("Record goes on")
		return nil
	}
}
