package build

import "syscall"

// groupLeader asks for a process group of its own, killed by the kernel when we die.
func groupLeader() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
