//go:build linux

package dispatch_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/odfix/odfix/internal/isolate"
)

// stranger is a user without any rights, as which a runner and an attacker run.
const stranger = 65534

// TestForgedOutput: without any sandbox, and with the user of a runner alone, nothing opens the
// runner's output, in which its report is.
func TestForgedOutput(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start programs as another user")
	}
	dir, err := os.MkdirTemp("", "odfix-attack-") // others can enter it, unlike that of the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, isolate.RunnerName)
	text, err := os.ReadFile(realRunner(t))
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	as := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}, Pdeathsig: syscall.SIGKILL}
	start := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.SysProcAttr, cmd.Dir = as, dir
		in, err := cmd.StdinPipe() // it waits for its job
		if err != nil {
			t.Fatal(err)
		}
		report, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout = out
		// As if odfix itself had this user, too: root's own pipes are closed to others anyway.
		if err := errors.Join(out.Chown(stranger, stranger), cmd.Start(), out.Close()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close(); report.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd
	}
	opens := func(pid int) bool {
		cmd := exec.Command("sh", "-c", fmt.Sprintf("echo forged > /proc/%d/fd/1", pid))
		cmd.SysProcAttr = as
		return cmd.Run() == nil
	}
	if plain := start("sleep", "3600"); !opens(plain.Process.Pid) {
		t.Fatal("the attack fails with any program: it proves nothing")
	}
	runner := start(program)
	hidden := func() bool { // the files of a process that nobody may dump belong to root
		var st unix.Stat_t
		return unix.Stat(fmt.Sprintf("/proc/%d/fd", runner.Process.Pid), &st) == nil && st.Uid == 0
	}
	for end := time.Now().Add(30 * time.Second); !hidden() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond) // it is starting
	}
	if !hidden() || opens(runner.Process.Pid) {
		t.Error("a process of the runner's user writes into the runner's output")
	}
}
