package gitrepo

import "syscall"

// attributes ends git when odfix is killed.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
