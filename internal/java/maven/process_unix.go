//go:build unix

package maven

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// stackGrace is how long JVMs get to print their stacks before they are killed, so that the log of
// a hung build shows where it hung.
const stackGrace = 1500 * time.Millisecond

// watcher waits for the end of its input, which comes when we have finished or
// are gone, however we went, and then kills the process group it leads.
const watcher = `trap '' QUIT; read -r _; kill -KILL 0`

// runGroup runs cmd in a process group of its own. When it returns, or ctx
// ends, or this process dies, no process of the group is left.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	guard := exec.Command("sh", "-c", watcher)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	alive, err := guard.StdinPipe() // only we hold this end
	if err != nil {
		return err
	}
	if err := guard.Start(); err != nil {
		return fmt.Errorf("starting the shell that guards processes: %w", err)
	}
	defer guard.Wait()
	defer alive.Close()
	group := guard.Process.Pid
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: group}
	// Something left in the background may hold the output open; it is killed when we return.
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err == exec.ErrWaitDelay {
			return nil
		}
		return err
	case <-ctx.Done():
	}
	if context.Cause(ctx) == errBudget {
		syscall.Kill(-group, syscall.SIGQUIT)
		select {
		case <-done:
			return ctx.Err()
		case <-time.After(stackGrace):
		}
	}
	syscall.Kill(-group, syscall.SIGKILL)
	<-done
	return ctx.Err()
}
