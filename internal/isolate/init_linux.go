package isolate

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// initMarker is the argument of a Room's first process.
const initMarker = "odfix-init"

// initIfAsked makes this process the first of a Room if its arguments ask for it. It starts the
// Room's program and reaps all processes. It takes the place of bwrap's own first process, whose
// memory and output the other processes of the Room could open.
func initIfAsked() {
	if len(os.Args) != 2 || os.Args[1] != initMarker || os.Getpid() != 1 {
		return
	}
	code, err := first()
	if err != nil {
		fmt.Fprintln(os.Stderr, "odfix: the sandbox's first process:", err)
		code = 125
	}
	os.Exit(code)
}

// first starts the program and returns its exit status.
func first() (int, error) {
	if err := Hide(); err != nil {
		return 0, err
	}
	p, err := os.StartProcess(Program, []string{Program}, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return 0, err
	}
	if err := closeStandard(); err != nil {
		return 0, err
	}
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case pid == p.Pid && status.Signaled():
			return 128 + int(status.Signal()), nil
		case pid == p.Pid:
			return status.ExitStatus(), nil
		}
	}
}

// closeStandard replaces the standard streams, which belong to the program now.
func closeStandard() error {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	for fd := range 3 {
		if err := unix.Dup3(null, fd, 0); err != nil {
			return err
		}
	}
	return unix.Close(null)
}
