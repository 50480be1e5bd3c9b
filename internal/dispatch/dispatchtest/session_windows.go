package dispatchtest

import "syscall"

func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
