//go:build unix && !linux

package dispatch

import "syscall"

// attributes: a group of its own, so that Ctrl-C reaches only us and the whole
// group can be ended. Should we be killed outright, the end of its input tells
// the runner to stop.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
