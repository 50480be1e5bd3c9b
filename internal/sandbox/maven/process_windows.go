package maven

import (
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func killGroup(p *os.Process) error { return p.Kill() }
