//go:build unix && !linux

package harness

import (
	"os/exec"
	"syscall"
)

// startChild starts cmd in a process group of its own. That it ends with odfix
// is left to the end of its command pipe here.
func startChild(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd.Start()
}
