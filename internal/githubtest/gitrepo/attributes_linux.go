package gitrepo

import "syscall"

// attributes: git ends when we are killed outright.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
