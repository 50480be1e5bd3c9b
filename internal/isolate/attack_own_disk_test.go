//go:build linux

package isolate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/odfix/odfix/internal/child"
)

func init() {
	attacks["reserve"], attacks["names"], attacks["wait"], attacks["cycle"] = reserveAll, useNames, wait, sendInCircles
}

const ownSize = 256 << 20

// ownDisks opens a Sandbox whose Rooms have disks of their own.
func ownDisks(t *testing.T) *Sandbox {
	t.Helper()
	s := openSandbox(t, Limits{Disk: ownSize})
	if s.shared != "" {
		t.Skip("jobs share a disk here: ", s.shared)
	}
	return s
}

// running is a program in a Room that has done its work, and waits.
type running struct {
	room *Room
	cmd  *exec.Cmd
	in   io.WriteCloser
}

func startAttack(t *testing.T, s *Sandbox, name string) *running {
	t.Helper()
	room, err := s.Room(t.Context(), Want{Env: attacker(name)})
	must(t, err)
	cmd, err := room.Command(s.o.Helper, "")
	must(t, err)
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, child.Start(cmd))
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q %v", line, err)
	}
	return &running{room, cmd, in}
}

func (r *running) end(t *testing.T) {
	t.Helper()
	must(t, r.in.Close())
	must(t, r.cmd.Wait())
	must(t, r.room.Close())
}

// wait says that all is ready, and goes on until the input ends.
func wait() {
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// reserveAll takes all space without writing, in a file that has no name any more.
func reserveAll() {
	f, err := os.Create(filepath.Join(Home, "file"))
	if err == nil {
		err = os.Remove(f.Name())
	}
	for at, size := int64(0), int64(64<<20); err == nil && size >= 4096; {
		if unix.Fallocate(int(f.Fd()), 0, at, size) == nil {
			at += size
		} else {
			size /= 2
		}
	}
	if err != nil {
		fmt.Println(err)
	}
	wait()
	f.Close()
}

// useNames makes empty files until there are no more inodes, in folders that cannot be entered.
func useNames() {
	var err error
	for n := 0; err == nil; n++ {
		dir := filepath.Join(Home, fmt.Sprint(n))
		err = os.Mkdir(dir, 0o700)
		for i := 0; err == nil && i < 1000; i++ {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0)
		}
		if err == nil {
			err = os.Chmod(dir, 0)
		}
	}
	if !errors.Is(err, unix.ENOSPC) {
		fmt.Println(err)
	}
	wait()
}

// sendInCircles leaves a file of its disk in sockets that only each other's queues have, and ends.
func sendInCircles() {
	f, err := os.Create(filepath.Join(Home, "file"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 50 {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err == nil {
			err = unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(pair[0], pair[1], int(f.Fd())), nil, 0)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	wait()
}

// freeNow is the free space of a disk and its free inodes.
func freeNow(t *testing.T, dir string) (space, inodes int64) {
	t.Helper()
	var st unix.Statfs_t
	must(t, unix.Statfs(dir, &st))
	return int64(st.Bavail) * st.Bsize, int64(st.Ffree)
}

// TestAttackOwnDisk: a job that takes all space or all inodes of its disk takes none from another job,
// nor from the machine. It ends, and the other one has all that it was promised.
func TestAttackOwnDisk(t *testing.T) {
	s := ownDisks(t)
	for _, how := range []string{"reserve", "names"} {
		honest, greedy := startAttack(t, s, "wait"), startAttack(t, s, "wait")
		greedy.end(t)
		_, inodes := freeNow(t, s.o.Dir)
		greedy = startAttack(t, s, how)
		if space, names := freeNow(t, greedy.room.Work()); space > 1<<20 && names > 16 {
			t.Fatalf("%s: %d bytes and %d inodes are left: the attack does not work", how, space, names)
		}
		if err := newWatch(greedy.room).look(t.Context(), time.Now()); err == nil || errors.Is(err, ErrMachine) {
			t.Errorf("%s: a job with a full disk goes on: %v", how, err)
		}
		if _, now := freeNow(t, s.o.Dir); now < inodes-10_000 {
			t.Errorf("%s: %d inodes of the machine's disk were used", how, inodes-now)
		}
		must(t, newWatch(honest.room).look(t.Context(), time.Now()))
		file, err := os.Create(filepath.Join(honest.room.Work(), "file"))
		must(t, err)
		must(t, unix.Fallocate(int(file.Fd()), 0, 0, ownSize*8/10))
		must(t, file.Close())
		greedy.end(t)
		honest.end(t)
	}
}

// TestAttackFilesThatStay: what a job made does not matter for the removal of its files, not even one
// that cannot be changed. The next job has the same space, without these files.
func TestAttackFilesThatStay(t *testing.T) {
	s := ownDisks(t)
	var before int64
	for n := range 3 {
		r, err := s.Room(t.Context(), Want{})
		must(t, err)
		name := filepath.Join(r.Work(), "file")
		if exists(name) {
			t.Error("it sees an earlier job's file")
		}
		f, err := os.Create(name)
		must(t, err)
		must(t, unix.Fallocate(int(f.Fd()), 0, 0, ownSize*8/10))
		must(t, unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, 0x8_0010)) // FS_EXTENT_FL and FS_IMMUTABLE_FL (linux/fs.h)
		must(t, f.Close())
		must(t, r.Close())
		if left, _ := filepath.Glob(filepath.Join(s.o.Dir, "*")); len(left) != 0 || mounted(t, "self", r.dir) {
			t.Errorf("job %d, left: %v", n, left)
		}
		if n == 0 {
			before, _ = freeNow(t, s.o.Dir) // with the disk that is kept
		}
	}
	if now, _ := freeNow(t, s.o.Dir); now < before-ownSize/2 {
		t.Errorf("%d bytes were used for jobs that have ended", before-now)
	}
}

// TestAttackBusyDisk: a program of a job does not end in time, or the kernel still has a file of its
// disk. The next job gets another disk. If there is no space for that, it waits.
func TestAttackBusyDisk(t *testing.T) {
	s := ownDisks(t)
	defer func(was time.Duration) { soonFree = was }(soonFree)
	soonFree = 50 * time.Millisecond
	undead := startAttack(t, s, "wait")
	busy := undead.room.disk
	undead.room.leaveDisk()
	next, err := s.Room(t.Context(), Want{})
	must(t, err)
	if next.disk == busy || !busy.busy() || len(s.disks) != 1 {
		t.Error("a disk that is in use was given to another job")
	}
	s.diskSize = 1 << 50
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if d, err := s.freeDisk(short); err == nil {
		t.Errorf("got %v", d)
	}
	s.diskSize = ownSize
	must(t, next.Close())
	if len(s.disks) != 2 {
		t.Errorf("the disk that works was given back, and %d kept", len(s.disks))
	}
	next, err = s.Room(t.Context(), Want{})
	must(t, err)
	undead.end(t)
	d, err := s.freeDisk(t.Context())
	if err != nil || d != busy {
		t.Errorf("the disk that is free now was not taken: %v", err)
	}
	must(t, d.close())
	must(t, next.Close())
}

// TestAttackSocketsThatStay: the kernel keeps a file of a job's disk after the end of all its processes.
// Each of the next jobs gets a disk all the same.
func TestAttackSocketsThatStay(t *testing.T) {
	s := ownDisks(t)
	for range 3 {
		startAttack(t, s, "cycle").end(t)
		startAttack(t, s, "wait").end(t)
	}
	if len(s.disks) > 1 {
		t.Errorf("%d disks were made for one job at a time", len(s.disks))
	}
}

// mounted reports whether a process sees a disk below dir.
func mounted(t *testing.T, pid, dir string) bool {
	t.Helper()
	return strings.Contains(read(t, filepath.Join("/proc", pid, "mountinfo")), dir)
}

// TestAttackDiskOfOthers: a job that began beside another one does not keep the other's disk, and so
// not its space.
func TestAttackDiskOfOthers(t *testing.T) {
	s := ownDisks(t)
	first := startAttack(t, s, "wait")
	second := startAttack(t, s, "wait")
	if pid := fmt.Sprint(second.cmd.Process.Pid); mounted(t, pid, first.room.dir) {
		t.Error("it sees the other's disk")
	}
	first.end(t)
	second.end(t)
}

// TestAttackDiskOfAKilledOdfix: the next odfix removes the disks of one that was killed.
func TestAttackDiskOfAKilledOdfix(t *testing.T) {
	s := ownDisks(t)
	r, err := s.Room(t.Context(), Want{})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(r.Work(), "file"), nil, 0o600))
	must(t, r.top.lock.Close())
	sweep(s.o.Dir)
	if exists(r.dir) || mounted(t, "self", r.dir) {
		t.Error("the disk is still there")
	}
	must(t, r.group.close())
}

// TestNoSpaceForADisk: a job that cannot have the disk it was promised does not begin.
func TestNoSpaceForADisk(t *testing.T) {
	s := ownDisks(t)
	must(t, s.Close()) // the disk of the Room that Open made
	s.o.Limits.Disk, s.diskSize = 1<<50, 1<<50
	if _, err := s.Room(t.Context(), Want{}); !errors.Is(err, ErrNoDisk) || !errors.Is(err, unix.ENOSPC) && !errors.Is(err, unix.EFBIG) {
		t.Errorf("%v", err)
	}
	if have, need := s.Space(2); need != 1<<51+2<<30 || have <= 0 {
		t.Errorf("%d of %d", have, need)
	}
	if left, _ := filepath.Glob(filepath.Join(s.o.Dir, "*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
