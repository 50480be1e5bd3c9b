// Package child starts processes that end with this one, also when this one is killed.
//
// Each child leads a process group of its own: Ctrl-C in a terminal does not reach it, and Kill
// also ends what it started.
package child

import (
	"cmp"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// starts carries out starts on one operating system thread that never ends: Linux sends the
// parent-death signal when the thread that started the child ends, and Go ends threads as it
// pleases.
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

// Start starts cmd in a process group of its own. On Linux, the kernel kills it when this process
// ends. Elsewhere it has to end when its input ends.
func Start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = cmp.Or(cmd.SysProcAttr, &syscall.SysProcAttr{})
	detach(cmd.SysProcAttr)
	done := make(chan error)
	starts() <- func() { done <- cmd.Start() }
	return <-done
}

// Run starts cmd, waits for its end, and kills what it left running. When the context of cmd ends,
// its whole group is killed.
func Run(cmd *exec.Cmd) error {
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { Kill(cmd); return nil }
	}
	if err := Start(cmd); err != nil {
		return err
	}
	defer Kill(cmd)
	return cmd.Wait()
}
