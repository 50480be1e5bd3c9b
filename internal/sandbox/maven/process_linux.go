package maven

import "syscall"

// attributes: a group of its own, so that all of it can be ended; and an end of its own should we
// be killed outright.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
