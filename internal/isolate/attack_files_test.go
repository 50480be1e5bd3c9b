//go:build linux

package isolate

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { attacks["inherited"], attacks["terminal"] = listInherited, tryTerminal }

// listInherited prints the open files that the program was started with.
func listInherited() {
	for fd := range mostFiles {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 { // Go sets this for what it opens
			fmt.Println(fd)
		}
	}
}

// openFolders opens a folder a few times, as a shell does for a program that it starts.
func openFolders(t *testing.T) (fds []int) {
	t.Helper()
	first, err := unix.Open(t.TempDir(), unix.O_RDONLY|unix.O_DIRECTORY, 0)
	must(t, err)
	t.Cleanup(func() { must(t, unix.Close(first)) })
	for _, from := range []int{3, 100, 1000} {
		fd, err := unix.FcntlInt(uintptr(first), unix.F_DUPFD, from)
		must(t, err)
		t.Cleanup(func() { must(t, unix.Close(fd)) })
		fds = append(fds, fd)
	}
	return fds
}

// TestAttackInheritedFiles: files that odfix was started with, such as a lock of flock(1), are not
// open in a job. A folder among them would lead out of the sandbox.
func TestAttackInheritedFiles(t *testing.T) {
	s := openSandbox(t, Limits{})
	openFolders(t)
	for range 2 { // also the second of two jobs
		if out, _, err := runAttack(t, s, "inherited", Want{}); out != "0\n1\n2\n" || err != nil {
			t.Errorf("these are open: %q, %v", out, err)
		}
	}
}

// TestAttackInheritedFilesOfOldKernels: the same for kernels without a call for all of them.
func TestAttackInheritedFilesOfOldKernels(t *testing.T) {
	fds := openFolders(t)
	must(t, closeEachAtExec(fds[1]))
	for _, fd := range fds {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if closed := flags&unix.FD_CLOEXEC != 0; err != nil || closed != (fd >= fds[1]) {
			t.Errorf("%d of %v: %v, %v", fd, fds, closed, err)
		}
	}
}

// tryTerminal asks for a line discipline of a new terminal.
func tryTerminal() {
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	const nothing = 25 // no kernel has it
	fmt.Println("TIOCSETD:", unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSETD, nothing))
	fmt.Println("TIOCSETD:", unix.IoctlSetPointerInt(mostFiles, unix.TIOCSETD, nothing)) // no such file
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGETD)
	fmt.Println("TIOCGETD:", n, err)
	for _, request := range []uint{unix.SIOCGIFBR, unix.SIOCGIFVLAN} { // no such file: without a filter, all say so
		_, err := unix.IoctlGetInt(mostFiles, request)
		fmt.Println("network:", err)
	}
}

// TestAttackTerminals: for a line discipline that a kernel does not have it starts modprobe, as root
// and outside of the sandbox, and also for bridges. A job cannot ask for them. It may have terminals.
func TestAttackTerminals(t *testing.T) {
	const want = `TIOCSETD: operation not permitted
TIOCSETD: operation not permitted
TIOCGETD: 0 <nil>
network: package not installed
network: package not installed
`
	if got := attack(t, "terminal"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
