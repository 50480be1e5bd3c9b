package dispatch

import "syscall"

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup ends the runner; its children end with their pipes.
func (p *process) killGroup() {
	_ = p.cmd.Process.Kill()
}

// standBack: Windows has no niceness, and a runner has the machine's ordinary priority.
func (p *process) standBack() error { return nil }
