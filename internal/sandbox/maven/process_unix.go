//go:build unix && !linux

package maven

import "syscall"

// attributes: a group of its own, so that all of it can be ended.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
