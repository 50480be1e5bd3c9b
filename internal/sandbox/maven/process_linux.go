package maven

import "syscall"

// attributes makes a process group, so that all child processes can be killed. The child also ends
// when odfix is killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
