package dispatch

import "syscall"

// attributes gives the runner a process group, so that Ctrl-C reaches only this process and the
// whole group can be killed. The kernel kills the runner if this process is killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
