//go:build unix

package dispatch

import (
	"errors"
	"syscall"
)

// killGroup ends the runner and everything it started in its group.
func (p *process) killGroup() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // ESRCH: nothing is left
}

// standBack makes the runner's group leave the processor to others.
func (p *process) standBack() error {
	if p.nice <= 0 {
		return nil
	}
	err := syscall.Setpriority(syscall.PRIO_PGRP, p.cmd.Process.Pid, p.nice)
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
		return nil // we are nicer than that ourselves, and so is all we start
	}
	return err
}
