//go:build unix

package build

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// stackGrace is how long a JVM gets to print its stacks before it is killed, so
// that the log of a hung build says where it hung.
const stackGrace = 1500 * time.Millisecond

// parentPipe is where the child finds the pipe whose end tells that we are gone.
const parentPipe = "/dev/fd/3"

// runGroup runs cmd as the leader of a process group, and kills the whole
// group when ctx ends. Should we die first, the pipe the child holds as its
// descriptor 3 ends, which our extension in Maven watches.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close()
	cmd.ExtraFiles = []*os.File{r}
	cmd.SysProcAttr = groupLeader()
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Start()
	r.Close()
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	if context.Cause(ctx) == errBudget {
		syscall.Kill(cmd.Process.Pid, syscall.SIGQUIT)
		select {
		case <-done:
		case <-time.After(stackGrace):
		}
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	select {
	case <-done:
	case <-time.After(cmd.WaitDelay):
	}
	return ctx.Err()
}
