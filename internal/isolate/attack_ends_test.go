//go:build linux

package isolate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() {
	attacks["groups"], attacks["signals"], attacks["cores"] = tryGroups, trySignals, tryCores
	attacks["closing"], attacks["crowd"] = tryClosing, crowd
}

// tryGroups joins multicast groups of the loopback in each way.
func tryGroups() {
	for _, f := range []struct {
		family, level, other int
		options              []int
	}{
		{unix.AF_INET, unix.IPPROTO_IP, unix.IP_TTL, []int{35, 39, 41, 42, 46, 48}},
		{unix.AF_INET6, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, []int{20, 27, 32, 42, 46, 48}},
	} {
		fd, err := unix.Socket(f.family, unix.SOCK_DGRAM, 0)
		if err != nil {
			fmt.Println(err)
		}
		value := make([]byte, 264) // the longest, struct group_source_req
		copy(value, []byte{239, 1, 1, 1})
		if f.family == unix.AF_INET6 {
			copy(value, []byte{0xff, 2})
			binary.NativeEndian.PutUint32(value[16:], 1)
		}
		binary.NativeEndian.PutUint32(value[8:], 1)
		set := func(option int, value []byte) unix.Errno {
			_, _, e := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), uintptr(f.level), uintptr(option),
				uintptr(unsafe.Pointer(&value[0])), uintptr(len(value)), 0)
			return e
		}
		for _, o := range f.options {
			fmt.Println(o, set(o, value))
		}
		fmt.Println("another:", set(f.other, []byte{1, 0, 0, 0}))
	}
}

// TestAttackGroups: a process that ends leaves its multicast groups, for which the kernel walks the
// list of all groups. One that has very many could not be killed for minutes.
func TestAttackGroups(t *testing.T) {
	const want = `35 no such device
39 no such device
41 no such device
42 no such device
46 no such device
48 no such device
another: errno 0
20 no such device
27 no such device
32 no such device
42 no such device
46 no such device
48 no such device
another: errno 0
`
	if got := attack(t, "groups"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// trySignals asks for signals of files in each way, and for very many files.
func trySignals() {
	r, w, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
	}
	defer w.Close()
	fmt.Println("FIOASYNC:", unix.IoctlSetPointerInt(int(r.Fd()), 0x5452, 1))
	set := func(f *os.File, command, argument int) error {
		_, err := unix.FcntlInt(f.Fd(), command, argument)
		return err
	}
	fmt.Println("O_ASYNC:", set(r, unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK))
	fmt.Println("O_NONBLOCK:", set(r, unix.F_SETFL, unix.O_NONBLOCK))
	dir, err := os.Open("/tmp")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println("F_NOTIFY:", set(dir, unix.F_NOTIFY, 4))
	file, err := os.Create("/tmp/leased")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println("F_SETLEASE:", set(file, unix.F_SETLEASE, unix.F_WRLCK))
	_, err = unix.FcntlInt(mostFiles, unix.F_SETDELEG, 0) // no such file: all kernels say so
	fmt.Println("F_SETDELEG:", err)
	_, err = unix.FcntlInt(mostFiles, unix.F_GETFD, 0)
	fmt.Println("F_GETFD:", err)
	var files unix.Rlimit
	fmt.Println("files:", unix.Getrlimit(unix.RLIMIT_NOFILE, &files), files.Max <= mostFiles, files.Cur <= files.Max)
}

// TestAttackSignals: for each file with signals that a process has open at its end, the kernel walks
// the list of all of them. The number of files is limited, too.
func TestAttackSignals(t *testing.T) {
	const want = `FIOASYNC: invalid argument
O_ASYNC: invalid argument
O_NONBLOCK: <nil>
F_NOTIFY: invalid argument
F_SETLEASE: invalid argument
F_SETDELEG: invalid argument
F_GETFD: bad file descriptor
files: <nil> true true
`
	if got := attack(t, "signals"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// tryCores asks for core dumps.
func tryCores() {
	fmt.Println("setrlimit:", syscall.Setrlimit(unix.RLIMIT_CORE, &syscall.Rlimit{}))
	_, _, e := unix.RawSyscall(unix.SYS_SETRLIMIT, unix.RLIMIT_CORE, uintptr(unsafe.Pointer(&unix.Rlimit{})), 0)
	fmt.Println("setrlimit:", e)
	text, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		fmt.Println(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "Max core") {
			fmt.Println(strings.Join(strings.Fields(line), " "))
		}
	}
}

// tryClosing makes what takes long to close.
func tryClosing() {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM, 0)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println("SO_LINGER:", unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1, Linger: 600}))
	off, err := unix.GetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER)
	fmt.Println("SO_LINGER:", *off, err)
	_, err = os.OpenFile("/proc/pressure/memory", os.O_RDWR, 0)
	fmt.Println("/proc/pressure:", errors.Is(err, unix.EROFS) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission))
	fmt.Println("IPV6_2292PKTOPTIONS:", unix.SetsockoptString(fd, unix.IPPROTO_IPV6, 6, string(make([]byte, 16))))
}

// TestAttackCores: a crash starts no program outside of the Room, which the machine may have for core
// dumps, and nothing can change that.
func TestAttackCores(t *testing.T) {
	const want = `setrlimit: operation not permitted
setrlimit: operation not permitted
Max core file size 1 1 bytes
`
	if got := attack(t, "cores"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestAttackClosing: a job leaves no socket whose close waits for the other side, no watch of
// /proc/pressure, which takes the kernel long to remove, and no option that it counts for nobody.
func TestAttackClosing(t *testing.T) {
	const want = `SO_LINGER: <nil>
SO_LINGER: {0 0} <nil>
/proc/pressure: true
IPV6_2292PKTOPTIONS: operation not permitted
`
	if got := attack(t, "closing"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// crowd has many processes run, and one that makes too many locks.
func crowd() {
	for range 50 {
		c := exec.Command("/bin/sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			fmt.Println(err)
		}
	}
	manyLocks()
}

// TestAttackCrowd: a job that has to end does so at once, however many of its processes run: those
// of the cgroup are killed, not only the first one of the Room.
func TestAttackCrowd(t *testing.T) {
	s := openSandbox(t, Limits{})
	if s.Weaker() != "" {
		t.Skip("no cgroup knows the processes here: " + s.Weaker())
	}
	a := startAttack(t, s, "crowd")
	if err := a.room.Watch(t.Context()); !errors.Is(err, ErrKernel) {
		t.Errorf("%v", err)
	}
	_ = a.cmd.Wait() // nobody else kills it: without Watch it would not return
	must(t, a.room.Close())
}
