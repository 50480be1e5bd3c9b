package child

import (
	"os/exec"
	"syscall"
)

func detach(a *syscall.SysProcAttr) { a.CreationFlags = syscall.CREATE_NEW_PROCESS_GROUP }

// Kill kills the child; its own children end when their pipes close.
func Kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// Nice does nothing: Windows has no niceness.
func Nice(*exec.Cmd, int) error { return nil }
