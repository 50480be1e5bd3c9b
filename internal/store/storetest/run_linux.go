package storetest

import (
	"runtime"
	"syscall"
)

func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }

// run starts the server from a thread that lives until the server ends. The kernel sends the signal
// when the thread that started the server ends, even if its process goes on.
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
