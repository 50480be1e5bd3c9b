//go:build unix

package maven

import (
	"os"
	"syscall"
)

func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
