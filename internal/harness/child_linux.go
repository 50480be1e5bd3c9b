package harness

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// starts carries out starts on one operating system thread that never ends:
// the kernel sends the parent-death signal when the *thread* that started the
// child ends, and Go ends threads as it pleases.
var starts = sync.OnceValue(func() chan func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range c {
			f()
		}
	}()
	return c
})

// startChild starts cmd in a process group of its own, to be killed with odfix.
func startChild(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	done := make(chan error)
	starts() <- func() { done <- cmd.Start() }
	return <-done
}
