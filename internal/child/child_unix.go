//go:build unix

package child

import (
	"errors"
	"os/exec"
	"syscall"
)

// Kill kills every process of the child's group. The group outlives the child as long as it has
// other processes; without any the call does nothing.
func Kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// Nice sets the niceness of the child's group. It does nothing if this process is nicer already.
func Nice(cmd *exec.Cmd, nice int) error {
	err := syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, nice)
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
		return nil
	}
	return err
}
