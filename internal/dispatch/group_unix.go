//go:build unix

package dispatch

import "syscall"

// killGroup ends the runner and everything it started in its group.
func (p *process) killGroup() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // ESRCH: nothing is left
}
