//go:build unix

package dispatch

import (
	"errors"
	"syscall"
)

// killGroup kills the runner and all processes in its group.
func (p *process) killGroup() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // ESRCH: nothing is left
}

// setNice sets the niceness of the runner's group.
func (p *process) setNice() error {
	if p.nice <= 0 {
		return nil
	}
	err := syscall.Setpriority(syscall.PRIO_PGRP, p.cmd.Process.Pid, p.nice)
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
		return nil // this process is nicer already, and so are its children
	}
	return err
}
