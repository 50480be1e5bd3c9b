//go:build unix && !linux

package child

import "syscall"

func detach(a *syscall.SysProcAttr) { a.Setpgid = true }
