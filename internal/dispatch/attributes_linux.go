package dispatch

import "syscall"

// attributes: a group of its own, so that Ctrl-C reaches only us and the whole
// group can be ended; and an end of its own should we be killed outright.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
