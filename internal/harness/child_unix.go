//go:build unix

package harness

import (
	"os/exec"
	"syscall"
)

// killGroup kills every process of the child's group. The group outlives the child as long as it
// has other processes; without any the call does nothing.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// askStacks makes a JVM print all its threads to standard output.
func askStacks(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGQUIT) }

// signalled is the signal that ended a process, if one did.
func signalled(status any) (name string, ok bool) {
	ws, ok := status.(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return "", false
	}
	return ws.Signal().String(), true
}
