//go:build unix && !linux

package dispatch

import "syscall"

// attributes gives the runner a process group, so that Ctrl-C reaches only this process and the
// whole group can be killed. If this process is killed, the runner stops at the end of its input.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
