//go:build linux

package isolate

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/odfix/odfix/internal/child"
)

func init() {
	attacks["keep"], attacks["send"], attacks["reserve"], attacks["nothing"] = keepDeleted, sendDeleted, reserveSpace, wait
}

// fakeDisk has this much free space.
func fakeDisk(left *int64) *disk {
	d := newDisk()
	d.free, d.within = func(string) (int64, bool) { return *left, true }, time.Hour
	return d
}

// fakeRoom may use 10 MiB of a disk, and uses this much. It has no programs.
func fakeRoom(t *testing.T, d *disk, size int) *Room {
	t.Helper()
	s := &Sandbox{o: Options{Limits: Limits{Disk: 10 << 20}}, disk: d}
	r := &Room{s: s, dir: t.TempDir(), over: make(chan error, 1)}
	must(t, os.MkdirAll(r.Work(), 0o755))
	must(t, os.MkdirAll(r.home(), 0o755))
	fill(t, r, size)
	d.enter(r)
	return r
}

func fill(t *testing.T, r *Room, size int) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(r.Work(), "file"), make([]byte, size), 0o600))
}

// over returns why a Room has to end for others.
func over(r *Room) error {
	select {
	case err := <-r.over:
		return err
	default:
		return nil
	}
}

// TestAttackPulse: a job fills the disk between two measurements of its own files, and gives the
// space back before each. Looks at the free space cannot be foreseen, while files are measured as
// rarely as before.
func TestAttackPulse(t *testing.T) {
	begun := time.Now()
	now, left := begun, int64(floor+100<<20)
	d := newDisk()
	looks := 0
	d.free = func(string) (int64, bool) {
		looks++
		if at := now.Sub(begun) % time.Second; at > 120*time.Millisecond && at < 850*time.Millisecond {
			return left, true
		}
		return floor + 100<<20, true
	}
	r := fakeRoom(t, d, 1<<20)
	w := watch{room: r}
	walks, times := 0, map[time.Duration]bool{}
	pass := func(long time.Duration) {
		for end := now.Add(long); now.Before(end); {
			before, wait := w.next, glance()
			if wait < 10*time.Millisecond || wait >= 40*time.Millisecond {
				t.Fatal("a look after ", wait)
			}
			times[wait] = true
			now = now.Add(wait)
			must(t, w.look(now))
			if w.next != before {
				walks++
			}
		}
	}
	pass(20 * time.Second)
	if looks < 20*25 || len(times) < looks/2 || walks < 1 || walks > 41 || over(r) != nil {
		t.Errorf("%d looks after %d times, %d measurements", looks, len(times), walks)
	}
	left = floor - 1
	pass(time.Second)
	if err := over(r); !errors.Is(err, ErrDisk) {
		t.Errorf("the disk was full for most of a second: %v", err)
	}
}

// TestAttackFullDisk: of the jobs on a full disk only the one that uses most is ended. The next one
// is ended when that one's space has had time to come back, and did not suffice.
func TestAttackFullDisk(t *testing.T) {
	left, now := int64(floor-1), time.Now()
	d := fakeDisk(&left)
	rooms := []*Room{fakeRoom(t, d, 1<<20), fakeRoom(t, d, 4<<20), fakeRoom(t, d, 2<<20), fakeRoom(t, d, 3<<20)}
	ended := func(after time.Duration, want int) {
		t.Helper()
		now = now.Add(after)
		for _, r := range rooms {
			must(t, (&watch{room: r}).look(now))
		}
		for i, r := range rooms {
			if err := over(r); (err != nil) != (i == want) || err != nil && !errors.Is(err, ErrDisk) {
				t.Errorf("job %d: %v", i, err)
			}
		}
	}
	ended(0, 1)
	ended(closeWithin-time.Millisecond, -1)
	d.leave(rooms[1], now)
	ended(settle-time.Millisecond, -1)
	ended(time.Millisecond, 3)
	ended(closeWithin, 2) // the one before is not closed in time
	left = floor
	ended(time.Hour, -1)
}

// TestAttackShortPulse: nobody is ended if the space comes back while files are measured.
func TestAttackShortPulse(t *testing.T) {
	left := int64(0)
	d := fakeDisk(&left)
	r := fakeRoom(t, d, 1<<20)
	d.free = func(string) (int64, bool) { left += floor; return left - 1, true }
	if d.relieve(time.Now()); over(r) == nil {
		t.Error("a full disk was not noticed")
	}
	d.until, d.rooms[r] = time.Time{}, false
	if d.relieve(time.Now()); over(r) != nil {
		t.Error("ended for others though there is space again")
	}
}

// TestAttackHiddenWeight: a job that makes its files immeasurable uses most.
func TestAttackHiddenWeight(t *testing.T) {
	left := int64(floor - 1)
	d := fakeDisk(&left)
	honest, deep := fakeRoom(t, d, 4<<20), fakeRoom(t, d, 1<<20)
	deepFolder(t, deep.Work(), deepest+1, "d", 1)
	if d.relieve(time.Now()); over(deep) == nil || over(honest) != nil {
		t.Error("the wrong job was ended")
	}
}

// deleted opens a file of 4 MiB that has no name any more.
func deleted(name string) *os.File {
	f, err := os.Create(filepath.Join(Home, name))
	if err == nil {
		_, err = f.Write(make([]byte, 4<<20))
	}
	if err == nil {
		err = os.Remove(f.Name())
	}
	if err != nil {
		fmt.Println(err)
	}
	return f
}

// wait says that all is ready, and goes on until the input ends.
func wait() {
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// keepDeleted keeps a deleted file by two descriptors, one by a mapping, and one in memory.
func keepDeleted() {
	open := deleted("open")
	if _, err := unix.Dup(int(open.Fd())); err != nil {
		fmt.Println(err)
	}
	mapped := deleted("mapped")
	if _, err := unix.Mmap(int(mapped.Fd()), 0, 4096, unix.PROT_READ, unix.MAP_SHARED); err != nil {
		fmt.Println(err)
	}
	mapped.Close()
	if fd, err := unix.MemfdCreate("memory", 0); err != nil || unix.Ftruncate(fd, 1<<20) != nil {
		fmt.Println("memory", err)
	} else if _, err := unix.Write(fd, make([]byte, 1<<20)); err != nil {
		fmt.Println(err)
	}
	wait()
	open.Close()
}

// sendDeleted keeps a deleted file in a socket's queue.
func sendDeleted() {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		fmt.Println(err)
	}
	f := deleted("sent")
	if err := unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(int(f.Fd())), nil, 0); err != nil {
		fmt.Println(err)
	}
	f.Close()
	wait()
}

// using starts an attack, and returns what the Room uses beyond its folders while it lasts: with
// the processes of its cgroup, if it has one, and without.
func using(t *testing.T, name string) (sizes []int64, hidden []bool) {
	t.Helper()
	s := openSandbox(t, Limits{})
	r, err := s.Room(Want{Env: []string{attackEnv + "=" + name}})
	must(t, err)
	defer func() { must(t, r.Close()) }()
	cmd, err := r.Command(s.o.Helper, "")
	must(t, err)
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, child.Start(cmd))
	defer func() { _ = in.Close(); must(t, cmd.Wait()) }()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q %v", line, err)
	}
	for range 2 {
		n, hides, err := r.held(true)
		must(t, err)
		sizes, hidden = append(sizes, n), append(hidden, hides)
		defer func(was *group) { r.group = was }(r.group)
		r.group = nil
	}
	return sizes, hidden
}

// TestAttackDeletedFiles: files without a name count as long as a process keeps them open, once
// each. Only root can see the size of those that are mapped and not open.
func TestAttackDeletedFiles(t *testing.T) {
	want, hides := int64(2*(4<<20+perFile)), false
	if os.Geteuid() != 0 {
		want, hides = want/2, true
	}
	sizes, hidden := using(t, "keep")
	for i, n := range sizes {
		if n < want || n > want+1<<20-1 || hidden[i] != hides {
			t.Errorf("%d bytes where %d are kept, hidden: %v", n, want, hidden[i])
		}
	}
}

// TestHonestRoom: a Room whose programs keep no file without a name does not count as one that hides
// files, although odfix' own process in it is hidden from others.
func TestHonestRoom(t *testing.T) {
	sizes, hidden := using(t, "nothing")
	if slices.Contains(hidden, true) || slices.Max(sizes) > 1<<20 {
		t.Errorf("%d bytes, hidden: %v", sizes, hidden)
	}
}

// TestAttackSentFiles: files that were sent to a socket are in no process's table. Nobody can see
// their size.
func TestAttackSentFiles(t *testing.T) {
	_, hidden := using(t, "send")
	if slices.Contains(hidden, false) {
		t.Error("a file in a socket's queue was not noticed:", hidden)
	}
}

// reserveSpace tries to take space without writing, and to make threads with files of their own.
// The kernel's own code refuses the other calls with EINVAL.
func reserveSpace() {
	f, err := os.Create(filepath.Join(Home, "file"))
	if err != nil {
		fmt.Println(err)
	}
	const punch = unix.FALLOC_FL_PUNCH_HOLE | unix.FALLOC_FL_KEEP_SIZE
	for _, mode := range []uint32{0, unix.FALLOC_FL_KEEP_SIZE, unix.FALLOC_FL_ZERO_RANGE, unix.FALLOC_FL_INSERT_RANGE} {
		fmt.Printf("fallocate %x: %v\n", mode, unix.Fallocate(int(f.Fd()), mode, 0, 1<<20))
	}
	fmt.Println("punch:", errors.Is(unix.Fallocate(int(f.Fd()), punch, 0, 0), unix.EINVAL)) // an empty hole
	for _, request := range append(reserve, unix.TCGETS) {
		_, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), uintptr(request), 0)
		fmt.Printf("ioctl %x: %v\n", request, e)
	}
	for _, flags := range []uintptr{unix.CLONE_THREAD, unix.CLONE_THREAD | unix.CLONE_FILES} {
		_, _, e := unix.RawSyscall6(unix.SYS_CLONE, flags, 0, 0, 0, 0, 0)
		fmt.Printf("clone %x: %v\n", flags, e)
	}
	for _, flags := range []uintptr{unix.CLOSE_RANGE_UNSHARE, 0} {
		_, _, e := unix.Syscall(unix.SYS_CLOSE_RANGE, 200, 100, flags)
		fmt.Printf("close_range %x: %v\n", flags, e)
	}
}

// TestAttackReservedSpace: space of the disk is taken by writing only, and no thread has files that
// those of its process are not.
func TestAttackReservedSpace(t *testing.T) {
	const want = `fallocate 0: operation not supported
fallocate 1: operation not supported
fallocate 10: operation not supported
fallocate 20: operation not supported
punch: true
ioctl 40305828: operation not supported
ioctl 4030582a: operation not supported
ioctl 40305839: operation not supported
ioctl 4030580a: operation not supported
ioctl 4030580b: operation not supported
ioctl 40305824: operation not supported
ioctl 40305825: operation not supported
ioctl 5401: inappropriate ioctl for device
clone 10000: operation not permitted
clone 10400: invalid argument
close_range 2: function not implemented
close_range 0: invalid argument
`
	if got := attack(t, "reserve"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestAttackHeldFiles: what a job can do to the measurement of its deleted files makes them count as
// hidden: a mapping that moves, a very long name, long texts of the kernel, and many files.
func TestAttackHeldFiles(t *testing.T) {
	dir := t.TempDir()
	look := func(fds int, maps string, end time.Time) *held {
		must(t, os.RemoveAll(filepath.Join(dir, "fd")))
		must(t, os.MkdirAll(filepath.Join(dir, "fd"), 0o755))
		for i := range fds {
			must(t, os.WriteFile(filepath.Join(dir, "fd", fmt.Sprint(i)), nil, 0o600))
		}
		must(t, os.WriteFile(filepath.Join(dir, "maps"), []byte(maps), 0o600))
		h := &held{disks: map[uint64]bool{unix.Mkdev(8, 1): true}, seen: map[[2]uint64]bool{}, end: end}
		must(t, errors.Join(h.descriptors(dir), h.mappings(dir)))
		return h
	}
	soon, past := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	const gone = "7f0000000000-7f0000001000 r--s 00000000 08:01 42 /work/f (deleted)\n"
	for name, c := range map[string]struct {
		maps   string
		hidden bool
	}{
		"a mapping that has moved": {gone, true}, "of another disk": {strings.Replace(gone, "08:01", "00:05", 1), false},
		"a file with a name": {strings.Replace(gone, " (deleted)", "", 1), false},
		"a long name":        {strings.Replace(gone, "/work/f", strings.Repeat("\\012", 20_000), 1), true},
	} {
		if h := look(1, c.maps, soon); h.hidden != c.hidden {
			t.Errorf("%s: hidden is %t", name, h.hidden)
		}
	}
	if h := look(3, gone, past); !h.late() || h.looked > 2 {
		t.Errorf("%d files after the time is over", h.looked)
	}
	for text, want := range map[string]bool{"pos:\t0\nscm_fds:\t0\n": false, "pos:\t0\nscm_fds:\t3\n": true, "pos:\t0\n": false,
		"pos:\t0\n" + strings.Repeat("tfd:        5 events:       19\n", 500): true} {
		file := filepath.Join(dir, "info")
		must(t, os.WriteFile(file, []byte(text), 0o600))
		if got := underWay(file); got != want {
			t.Errorf("%.20q: %t", text, got)
		}
	}
}

// TestAttackInodes: a disk without inodes is full, however much space it has. Some file systems make
// inodes as they need them.
func TestAttackInodes(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		st   unix.Statfs_t
		full bool
	}{
		"no inodes":            {unix.Statfs_t{Bsize: 4096, Bavail: gib, Files: 1 << 20}, true},
		"few":                  {unix.Statfs_t{Bsize: 4096, Bavail: gib, Files: 1 << 20, Ffree: 100_000}, true},
		"many":                 {unix.Statfs_t{Bsize: 4096, Bavail: gib, Files: 1 << 20, Ffree: 1 << 20}, false},
		"inodes without limit": {unix.Statfs_t{Bsize: 4096, Bavail: gib}, false},
		"no space":             {unix.Statfs_t{Bsize: 4096, Bavail: 10, Files: 1 << 20, Ffree: 1 << 20}, true},
	} {
		if got := room(&c.st) < floor; got != c.full {
			t.Errorf("%s: %d bytes", name, room(&c.st))
		}
	}
}
