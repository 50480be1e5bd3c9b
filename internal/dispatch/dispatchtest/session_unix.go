//go:build unix

package dispatchtest

import "syscall"

func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
