//go:build unix

package build

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stackGrace is how long JVMs may print their stacks before they are killed. The log of a hung
// build then shows where it hung.
const stackGrace = 1500 * time.Millisecond

// watcher waits for a line, with which odfix says that it has killed what is outside of the process
// group that the watcher leads. Without a line, odfix has died. Then it kills all processes with
// the mark, where the system shows their environment. At last it kills its group.
const watcher = `trap '' QUIT
read -r _ || for e in /proc/[0-9]*/environ; do
  tr '\0' '\n' <"$e" | grep -qxF "$0" && p=${e#/proc/} && kill -KILL "${p%/environ}"
done 2>/dev/null
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

// guardTime bounds the end of a run.
const guardTime = 5 * time.Second

// runGroup runs cmd in a process group of its own. No process of the group remains when runGroup
// returns, ctx ends, or odfix dies. On Linux, the same is true of processes outside of the group
// that have its mark: Gradle starts its build in such a process if the project asks for other
// options of the JVM.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	marked := Mark + "=" + rand.Text()
	guard := exec.Command("sh", "-c", watcher, marked)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	guard.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, Mark+"=") })
	alive, err := guard.StdinPipe() // only odfix holds this end
	if err != nil {
		return err
	}
	if err := guard.Start(); err != nil {
		return fmt.Errorf("starting the shell that guards processes: %w", err)
	}
	group := guard.Process.Pid
	end := sync.OnceFunc(func() {
		killMarked(marked)
		_, _ = alive.Write([]byte("\n"))
		_ = alive.Close()
		late := time.AfterFunc(guardTime, func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
		_ = guard.Wait()
		late.Stop()
	})
	defer end()
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
	end()
	<-done
	return ctx.Err()
}

// killMarked kills the processes that have the mark in their environment, and those that they start
// meanwhile. It does nothing where the system does not show environments.
func killMarked(marked string) {
	for range 10 {
		found := false
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil || !slices.Contains(strings.Split(string(text), "\x00"), marked) {
				continue // another user's, or gone
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
				found = true
			}
		}
		if !found {
			return
		}
	}
}
