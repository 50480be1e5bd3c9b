package isolate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// What the kernel keeps for a Room outside of its memory, and how much of it ends the Room. Tests
// use much less.
const (
	mostNetlink      = 1000     // sockets
	mostNetlinkBytes = 64 << 20 // that wait in them to be read
	mostLocks        = 2000     // of files
)

// readLocks bounds the lines of the kernel's list of locks that are read. For each page of them it
// walks the list from its beginning.
const readLocks = 20_000

// kernelEvery is the time between two looks at a Room's netlink sockets. A program can have the
// kernel keep 550 MB for them in a second.
const kernelEvery = 200 * time.Millisecond

// ErrKernel is wrapped by Watch's error if the kernel keeps too much for the Room's programs that
// their limit of memory does not count.
var ErrKernel = errors.New("the kernel keeps too much for the job")

// kernelError is the reason why a Room has to end for what the kernel keeps for its programs.
func (w *watch) kernelError(now time.Time) error {
	r := w.room
	if now.Before(w.nextKernel) || r.cmd == nil || r.cmd.Process == nil {
		return nil
	}
	w.nextKernel = now.Add(kernelEvery)
	if w.first == 0 {
		w.first = r.s.child(r.cmd.Process.Pid)
	}
	if err := r.s.netlinkError(w.first); err != nil {
		return err
	}
	return r.s.locks.look(r.s.proc, now).exceeded(r.cmd.Process.Pid)
}

// child is the process that another one has started: that of bwrap is the first of a Room's
// namespaces. 0: there is none yet.
func (s *Sandbox) child(of int) int {
	for pid, parent := range parents(s.proc) {
		if parent == of {
			return pid
		}
	}
	return 0
}

// netlinkError looks at the netlink sockets of the network of a process.
func (s *Sandbox) netlinkError(pid int) error {
	dir := filepath.Join(s.proc, strconv.Itoa(pid), "net")
	protocols, _ := os.ReadFile(filepath.Join(dir, "protocols"))
	if netlinkSockets(string(protocols)) > mostNetlink {
		return fmt.Errorf("%w: more than %d netlink sockets", ErrKernel, mostNetlink)
	}
	f, err := os.Open(filepath.Join(dir, "netlink"))
	if err != nil {
		return nil // the process has ended
	}
	defer f.Close()
	if netlinkBytes(f) > mostNetlinkBytes {
		return fmt.Errorf("%w: more than %d MiB in netlink sockets that nobody reads", ErrKernel, mostNetlinkBytes>>20)
	}
	return nil
}

// netlinkSockets reads their number in a text as in /proc/net/protocols: name, size and sockets of
// each protocol. The list in /proc/net/netlink lacks sockets without an address.
func netlinkSockets(protocols string) int {
	for line := range strings.Lines(protocols) {
		if field := strings.Fields(line); len(field) > 2 && field[0] == "NETLINK" {
			n, _ := strconv.Atoi(field[2])
			return n
		}
	}
	return 0
}

// netlinkBytes adds what waits to be read, until that is too much: the fifth column, Rmem, of a
// list as in /proc/net/netlink.
func netlinkBytes(list io.Reader) int {
	bytes := 0
	for in := bufio.NewScanner(list); bytes <= mostNetlinkBytes && in.Scan(); {
		if field := strings.Fields(in.Text()); len(field) > 4 {
			n, _ := strconv.Atoi(field[4]) // 0 in the header
			bytes += n
		}
	}
	return bytes
}

// locks are those of files on the whole machine, looked at each second for all Rooms together.
type locks struct {
	mu   sync.Mutex
	next time.Time
	last holders
}

func (l *locks) look(proc string, now time.Time) holders {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.next) {
		return l.last
	}
	l.next, l.last = now.Add(measureEvery), holders{}
	f, err := os.Open(filepath.Join(proc, "locks"))
	if err != nil {
		return l.last
	}
	defer f.Close()
	if held := countLocks(f); held != nil {
		l.last = holders{held, parents(proc)}
	}
	return l.last
}

// holders are the processes that hold locks, if there are many on the machine.
type holders struct {
	held    map[int]int // by process: the number of locks
	parents map[int]int
}

// countLocks reads a list as in /proc/locks, see proc_locks(5). It returns nil if the list has no
// more lines than one Room may have locks.
func countLocks(list io.Reader) map[int]int {
	held, lines := map[int]int{}, 0
	for in := bufio.NewScanner(list); lines < readLocks && in.Scan(); lines++ {
		field := strings.Fields(in.Text())
		if len(field) < 8 {
			continue
		}
		// The last four are process, file, start and end. There are more in front if it waits.
		if pid, err := strconv.Atoi(field[len(field)-4]); err == nil {
			held[pid]++
		}
	}
	if lines <= mostLocks {
		return nil
	}
	return held
}

// exceeded is the reason why a Room has to end whose processes all descend from this one. Locks of
// a process that has ended, which its children can keep, may be of any Room.
func (h holders) exceeded(top int) error {
	mine, nobodys := 0, 0
	for pid, n := range h.held {
		switch {
		case h.descends(pid, top):
			mine += n
		case ended(pid):
			nobodys += n
		}
	}
	switch {
	case mine > mostLocks:
		return fmt.Errorf("%w: more than %d locks of files", ErrKernel, mostLocks)
	case nobodys > mostLocks:
		return fmt.Errorf("%w: processes that have ended hold more than %d locks of files", ErrMachine, mostLocks)
	}
	return nil
}

func (h holders) descends(pid, top int) bool {
	for range len(h.parents) { // what changes while it is read could be a circle
		if pid == top {
			return true
		}
		if pid = h.parents[pid]; pid == 0 {
			break
		}
	}
	return false
}

// ended reports whether there is no such process, also where others' processes are not seen.
func ended(pid int) bool {
	if pid <= 0 { // not the number of a process
		return false
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Signal(syscall.Signal(0))
		_ = p.Release()
	}
	return errors.Is(err, os.ErrProcessDone)
}

// parents are the parents of all processes.
func parents(proc string) map[int]int {
	out := map[int]int{}
	dir, err := os.Open(proc)
	if err != nil {
		return out
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		text, _ := os.ReadFile(filepath.Join(proc, name, "status"))
		_, after, _ := strings.Cut(string(text), "\nPPid:\t") // a name has no line feed there
		parent, _, _ := strings.Cut(after, "\n")
		if out[pid], err = strconv.Atoi(parent); err != nil {
			delete(out, pid) // it has ended
		}
	}
	return out
}

// memoryError is the reason why all Rooms have to end if the machine has nearly no memory left. It
// is the last of the limits: it also holds for what the kernel counts for nobody.
func (s *Sandbox) memoryError() error {
	text, _ := os.ReadFile(filepath.Join(s.proc, "meminfo"))
	if left, least := memory(string(text)); left < least {
		return fmt.Errorf("%w: %d MiB of memory are left", ErrMachine, left>>20)
	}
	return nil
}

// memory reads what is left of the machine's memory, in bytes, as in /proc/meminfo, and below which
// value jobs end; 0 if one of them is not known.
func memory(meminfo string) (left, least int64) {
	for line := range strings.Lines(meminfo) {
		name, value, _ := strings.Cut(line, ":")
		n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch {
		case err != nil:
		case name == "MemTotal":
			least = min(floor, n<<10/20)
		case name == "MemAvailable":
			return n << 10, least
		}
	}
	return 0, 0
}
