//go:build unix && !linux

package build

import "syscall"

// groupLeader asks for a process group of its own; only the parent pipe tells the child of our death.
func groupLeader() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
