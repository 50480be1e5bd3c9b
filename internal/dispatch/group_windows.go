package dispatch

import "syscall"

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup kills the runner; its children end when their pipes close.
func (p *process) killGroup() {
	_ = p.cmd.Process.Kill()
}

// setNice does nothing: Windows has no niceness.
func (p *process) setNice() error { return nil }
