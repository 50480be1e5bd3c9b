package storetest

import (
	"runtime"
	"syscall"
)

func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }

// run starts the server from a thread that stays until the server ends: the signal comes when that
// thread ends, not the process.
func (s *server) run() error {
	begun := make(chan error)
	go func() {
		runtime.LockOSThread()
		if err := s.cmd.Start(); err != nil {
			begun <- err
			return
		}
		begun <- nil
		s.end <- s.cmd.Wait()
	}()
	return <-begun
}
