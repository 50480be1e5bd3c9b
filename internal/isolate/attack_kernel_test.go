//go:build linux

package isolate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() {
	attacks["filters"], attacks["keys"], attacks["protocols"] = tryFilters, tryKeys, tryProtocols
	attacks["netlink"], attacks["unread"], attacks["locks"], attacks["lock"] = manySockets, fillNetlink, manyLocks, tryLocks
}

// setOption sets an option of a new TCP socket.
func setOption(level, name int, value []byte) unix.Errno {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		fmt.Println(err)
	}
	defer unix.Close(fd)
	_, _, e := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), uintptr(level), uintptr(name),
		uintptr(unsafe.Pointer(&value[0])), uintptr(len(value)), 0)
	return e
}

// tryFilters tries each way to have the kernel translate a filter, and what is beside them.
func tryFilters() {
	allow := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}
	program := unix.SockFprog{Len: 1, Filter: &allow[0]}
	value := unsafe.Slice((*byte)(unsafe.Pointer(&program)), unsafe.Sizeof(program))
	for _, name := range []int{26, 50, 51, 52} {
		fmt.Printf("option %d: %v\n", name, setOption(unix.SOL_SOCKET, name, value))
	}
	_, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	fmt.Println("seccomp:", e)
	fmt.Println("prctl:", unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0))
	var ring uintptr
	_, _, e = unix.RawSyscall(unix.SYS_IO_SETUP, 1, uintptr(unsafe.Pointer(&ring)), 0)
	fmt.Println("io_setup:", e)
	_, err := unix.MemfdCreate("m", unix.MFD_HUGETLB)
	fmt.Println("huge pages:", err)
	_, err = unix.Mmap(-1, 0, 2<<20, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_HUGETLB|unix.MAP_NORESERVE)
	fmt.Println("huge pages:", err)
	_, err = unix.MemfdCreate("m", unix.MFD_CLOEXEC)
	fmt.Println("a file in memory:", err)
	fmt.Println("SO_REUSEPORT:", setOption(unix.SOL_SOCKET, unix.SO_REUSEPORT, []byte{1, 0, 0, 0}))
	fmt.Println("PR_SET_DUMPABLE:", unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0))
}

// TestAttackFilters: filters of all programs of the machine have one limit of memory. Without it no
// other job could start. Requests of io_setup and huge pages are the machine's, too.
func TestAttackFilters(t *testing.T) {
	const want = `option 26: operation not permitted
option 50: operation not permitted
option 51: operation not permitted
option 52: operation not permitted
seccomp: operation not permitted
prctl: invalid argument
io_setup: operation not permitted
huge pages: invalid argument
huge pages: invalid argument
a file in memory: <nil>
SO_REUSEPORT: errno 0
PR_SET_DUMPABLE: <nil>
`
	if got := attack(t, "filters"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// tryKeys gives a socket keys that sign packets.
func tryKeys() {
	value := make([]byte, 216) // struct tcp_md5sig; the other one is refused before it is read
	binary.NativeEndian.PutUint16(value, unix.AF_INET)
	binary.BigEndian.PutUint32(value[4:], 0x7f000001)
	binary.NativeEndian.PutUint16(value[130:], 80)
	for _, name := range []int{14, 32, 38} {
		fmt.Printf("option %d: %v\n", name, setOption(unix.IPPROTO_TCP, name, value))
	}
	fmt.Println("TCP_NODELAY:", setOption(unix.IPPROTO_TCP, unix.TCP_NODELAY, []byte{1, 0, 0, 0}))
}

// TestAttackKeys: keys of TCP sockets are no memory of the job. It can have none.
func TestAttackKeys(t *testing.T) {
	const want = `option 14: operation not permitted
option 32: operation not permitted
option 38: operation not permitted
TCP_NODELAY: errno 0
`
	if got := attack(t, "keys"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func tryProtocols() {
	for _, s := range [][3]int{
		{unix.AF_INET, unix.SOCK_STREAM, 6}, {unix.AF_INET6, unix.SOCK_STREAM, 6}, {unix.AF_INET, unix.SOCK_DGRAM, 17},
		{unix.AF_INET, unix.SOCK_DGRAM, 1}, {unix.AF_INET6, unix.SOCK_DGRAM, 58}, // whether it may ping is another question
		{unix.AF_INET, unix.SOCK_STREAM, 132}, {unix.AF_INET6, unix.SOCK_STREAM, 262}, {unix.AF_INET, unix.SOCK_DGRAM, 136},
		{unix.AF_INET, unix.SOCK_DCCP, 33}, {unix.AF_INET6, unix.SOCK_DGRAM, 115}, {unix.AF_INET, unix.SOCK_RAW, 255},
	} {
		fd, err := unix.Socket(s[0], s[1], s[2])
		fmt.Printf("%d/%d %v\n", s[0], s[2], errors.Is(err, unix.EPROTONOSUPPORT))
		if err == nil {
			_ = unix.Close(fd)
		}
	}
}

// TestAttackProtocols: internet sockets are of usual protocols. The kernel loads no rarely tested
// part of it for a job.
func TestAttackProtocols(t *testing.T) {
	const want = "2/6 false 10/6 false 2/17 false 2/1 false 10/58 false 2/132 true 10/262 true 2/136 true 2/33 true 10/115 true 2/255 true"
	if got := strings.Join(strings.Split(strings.TrimSpace(attack(t, "protocols")), "\n"), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// manySockets opens netlink sockets.
func manySockets() {
	for range mostNetlink + 100 {
		if _, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE); err != nil {
			fmt.Println(err)
		}
	}
	wait()
}

// fillNetlink has the kernel answer with what it was sent, and does not read that.
func fillNetlink() {
	m := make([]byte, 100<<10)
	binary.NativeEndian.PutUint32(m, uint32(len(m)))
	binary.NativeEndian.PutUint16(m[4:], 5000) // no such type
	binary.NativeEndian.PutUint16(m[6:], unix.NLM_F_REQUEST)
	for range mostNetlink / 2 {
		fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
		if err != nil {
			fmt.Println(err)
			break
		}
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 1<<20)
		for range 5 {
			_ = unix.Sendto(fd, m, unix.MSG_DONTWAIT, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
		}
	}
	wait()
}

// manyLocks locks bytes of a file that are not beside each other.
func manyLocks() {
	fd, err := unix.Open("/tmp/file", unix.O_RDWR|unix.O_CREAT, 0o600)
	for at := int64(mostLocks + 1000); err == nil && at > 0; at-- { // the kernel looks for a lock's place from the beginning
		err = unix.FcntlFlock(uintptr(fd), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Start: 2 * at, Len: 1})
	}
	if err != nil {
		fmt.Println(err)
	}
	wait()
}

// TestAttackKernelMemory: what the kernel keeps for programs outside of their limit of memory ends
// a job that makes too much of it, and no other job.
func TestAttackKernelMemory(t *testing.T) {
	s := openSandbox(t, Limits{})
	honest := startAttack(t, s, "wait")
	now := time.Now()
	for name, want := range map[string]string{"netlink": "more than 1000 netlink sockets",
		"unread": "more than 64 MiB in netlink sockets", "locks": "more than 2000 locks"} {
		greedy := startAttack(t, s, name)
		now = now.Add(time.Minute)
		if err := newWatch(greedy.room).look(t.Context(), now); !errors.Is(err, ErrKernel) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		w := newWatch(honest.room)
		if err := w.look(t.Context(), now); err != nil || w.first == 0 {
			t.Errorf("%s ends another job: %v", name, err)
		}
		greedy.end(t)
	}
	honest.end(t)
}

// tryLocks tries a lock of an open file, and one of a process, as SQLite makes it.
func tryLocks() {
	f, err := os.Create("/tmp/file")
	for _, command := range []int{unix.F_OFD_SETLK, unix.F_OFD_SETLKW, unix.F_SETLK, unix.F_SETLKW, unix.F_GETLK} {
		if err == nil {
			fmt.Println(unix.FcntlFlock(f.Fd(), command, &unix.Flock_t{Type: unix.F_WRLCK, Len: 1}))
		}
	}
	fmt.Println(err, unix.Flock(int(f.Fd()), unix.LOCK_EX))
}

// TestAttackLocksOfFiles: each lock has a process for which it counts.
func TestAttackLocksOfFiles(t *testing.T) {
	if got := attack(t, "lock"); got != "invalid argument\ninvalid argument\n<nil>\n<nil>\n<nil>\n<nil> <nil>\n" {
		t.Errorf("got %s", got)
	}
}

// nobody is the number of no process: beyond the largest that a kernel gives.
const nobody = 1 << 23

// TestAttackLocksOfEndedProcesses: locks of processes that have ended are known to be of some job
// only. All jobs end. Other programs may have as many locks as they like.
func TestAttackLocksOfEndedProcesses(t *testing.T) {
	list := func(pids ...int) string {
		var b strings.Builder
		for n := range mostLocks + 1000 {
			fmt.Fprintf(&b, "%d: -> FLOCK  ADVISORY  WRITE %d fe:00:99 0 EOF\n", n, pids[n%len(pids)])
		}
		return b.String()
	}
	me := os.Getpid()
	for name, c := range map[string]struct {
		list string
		want error
	}{
		"ended":           {list(nobody), ErrMachine},
		"its own":         {list(me), ErrKernel},
		"a child's":       {list(me + 1), ErrKernel},
		"another's":       {list(os.Getppid()), nil},
		"of open files":   {list(-1), nil},
		"of many, shared": {list(me, nobody, os.Getppid()), nil},
		"few":             {"1: POSIX  ADVISORY  READ 9 fe:00:9982227 128 128\n", nil},
		"garbage":         {strings.Repeat("\n", 2*readLocks), nil},
	} {
		dir := plant(t, map[string]string{"locks": c.list, strconv.Itoa(me) + "/status": "Name:\tx\nPPid:\t1\n",
			strconv.Itoa(me+1) + "/status": "Name:\tPPid:\t7\nUmask:\t0022\nPPid:\t" + strconv.Itoa(me) + "\nUid:\t0\n"})
		if err := new(locks).look(dir, time.Now()).exceeded(me); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	circle := holders{map[int]int{5: 1}, map[int]int{5: 6, 6: 5}}
	if circle.descends(5, 7) {
		t.Error("a circle leads anywhere")
	}
}

// TestAttackListOfLocks: the list is read to a bound, and once a second for all jobs.
func TestAttackListOfLocks(t *testing.T) {
	const line = "1: POSIX  ADVISORY  WRITE 7 fe:00:99 0 1\n"
	if held := countLocks(strings.NewReader(strings.Repeat(line, 10*readLocks))); held[7] != readLocks {
		t.Errorf("%d lines were read", held[7])
	}
	dir, l, now := plant(t, map[string]string{"locks": strings.Repeat(line, mostLocks+1)}), locks{}, time.Now()
	l.look(dir, now)
	must(t, os.Remove(dir+"/locks"))
	if got := l.look(dir, now.Add(measureEvery-1)); len(got.held) != 1 {
		t.Error("read again at once")
	}
	if got := l.look(dir, now.Add(measureEvery)); len(got.held) != 0 {
		t.Error("not read again")
	}
}

// TestAttackListOfSockets: the kernel's lists are read, the one with all sockets until it has too
// much.
func TestAttackListOfSockets(t *testing.T) {
	const head = "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode\n"
	line := func(bytes int) string {
		return fmt.Sprintf("000000003645ecc9 0   4294963160 00000000 %-8d 0        0     2        0        4\n", bytes)
	}
	for text, want := range map[string]int{head: 0, head + line(100) + line(0): 100, "a b\n\n": 0,
		head + strings.Repeat(line(1<<20), 900): 65 << 20} {
		if got := netlinkBytes(strings.NewReader(text)); got != want {
			t.Errorf("%d bytes, want %d", got, want)
		}
	}
	for text, want := range map[string]int{
		"protocol  size sockets  memory\nTCP       2304      0       1   no\nNETLINK   1096   1100      -1   NI\n": 1100,
		"TCP       2304      9       1   no\nNETLINK\n":                                                            0,
	} {
		if got := netlinkSockets(text); got != want {
			t.Errorf("%d sockets, want %d", got, want)
		}
	}
}

// TestAttackMachinesMemory: all jobs end before the machine has no memory left.
func TestAttackMachinesMemory(t *testing.T) {
	for text, want := range map[string]error{
		"MemTotal:       24684084 kB\nMemFree: 1 kB\nMemAvailable:   524288 kB\n": nil,
		"MemTotal:       24684084 kB\nMemFree: 1 kB\nMemAvailable:   524287 kB\n": ErrMachine,
		"MemTotal:        2048000 kB\nMemAvailable:   102400 kB\n":                nil, // a twentieth
		"MemTotal:        2048000 kB\nMemAvailable:   102399 kB\n":                ErrMachine,
		"MemTotal:        2048000 kB\nMemFree:   1 kB\n":                          nil, // not known
		"MemAvailable:   1 kB\n": nil,
		"":                       nil,
	} {
		s := &Sandbox{proc: plant(t, map[string]string{"meminfo": text}), free: func(string) (int64, bool) { return 1 << 40, true }}
		if err := newWatch(&Room{s: s}).look(t.Context(), time.Now()); !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
