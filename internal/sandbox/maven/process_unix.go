//go:build unix && !linux

package maven

import "syscall"

// attributes makes a process group, so that all child processes can be killed.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
