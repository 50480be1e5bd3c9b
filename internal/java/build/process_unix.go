//go:build unix

package build

import (
	"context"
	"crypto/rand"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// stackGrace is how long JVMs may print their stacks before they are killed. The log of a hung
// build then shows where it hung.
const stackGrace = 1500 * time.Millisecond

// watcher waits for the end of its input. The input ends when odfix has finished or has died. The
// watcher then kills the process group that it leads. Before that, where the system shows the
// environment of processes, it kills those with the build's mark: Gradle starts its build in a process
// outside of the group if the project asks for other options of the JVM.
const watcher = `trap '' QUIT
read -r _
for p in $(grep -lszx "$0" /proc/[0-9]*/environ 2>/dev/null); do p=${p#/proc/}; kill -KILL "${p%/environ}"; done 2>/dev/null
kill -KILL 0`

// niceness is that of runs with low priority, as in nice(1).
const niceness = "10"

// lowPriority returns the command so that it runs only where other processes leave the processor
// idle. Without nice(1) it returns the command itself.
func lowPriority(command []string) []string {
	nice, err := exec.LookPath("nice")
	if err != nil {
		return command
	}
	return append([]string{nice, "-n", niceness}, command...)
}

// runGroup runs cmd in a process group of its own. No process of the group, and none with its mark,
// remains when runGroup returns, ctx ends, or odfix dies.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	marked := Mark + "=" + rand.Text()
	guard := exec.Command("sh", "-c", watcher, marked)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	alive, err := guard.StdinPipe() // only odfix holds this end
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
	cmd.Env = append(cmd.Environ(), marked)
	// A background process may keep the output open. It is killed when runGroup returns.
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
	if context.Cause(ctx) == ErrBudget {
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
