//go:build linux

package isolate

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { attacks["watches"] = takeWatches }

// takeWatches adds epoll watches until the kernel refuses one, and prints why. A file in
// /proc/sys takes the least memory.
func takeWatches() {
	const each = 4000
	var l unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &l)
	_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: l.Max, Max: l.Max})
	most := min(int(l.Max)-100, each) / 2
	file, err := unix.Open("/proc/sys/kernel/pid_max", unix.O_RDONLY, 0)
	var files []int
	for range most {
		var next int
		if err == nil {
			next, err = unix.Dup(file)
			files = append(files, next)
		}
	}
	for range most {
		var e int
		if err == nil {
			e, err = unix.EpollCreate1(0)
		}
		for _, f := range files {
			if err == nil {
				err = unix.EpollCtl(e, unix.EPOLL_CTL_ADD, f, &unix.EpollEvent{})
			}
		}
	}
	fmt.Println("refused:", err)
}

// TestAttackWatches: the kernel counts epoll watches for each user of the machine. A job that
// adds them without end is ended by its limit of memory first, so others still have some.
func TestAttackWatches(t *testing.T) {
	s := openSandbox(t, Limits{Memory: 128 << 20})
	if why := s.Weaker(); why != "" {
		t.Skip("no limit of memory holds for a whole job: ", why)
	}
	text, err := os.ReadFile(watchesFile)
	must(t, err)
	allowed, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	must(t, err)
	s.root = false // as root, each job has a user of its own, and the limit counts for it alone
	have, need := s.Watches(1)
	s.root = os.Geteuid() == 0
	if have != allowed || have < need {
		t.Skipf("this machine allows a user %d watches; a job of 128 MiB needs %d", have, need)
	}
	out, full, err := runAttack(t, s, "watches", Want{})
	if memory := strings.Contains(out, unix.ENOMEM.Error()); !memory && (err == nil || !full) {
		t.Errorf("not ended by its limit of memory: %v, %s", err, out)
	}
}

// TestWatches: the number grows with the memory of jobs and with their number.
func TestWatches(t *testing.T) {
	for name, c := range map[string]struct {
		s    *Sandbox
		jobs int
		want int64
	}{
		"one":         {&Sandbox{}, 1, 32 << 20},
		"three":       {&Sandbox{}, 3, 96 << 20},
		"root":        {&Sandbox{root: true}, 3, 0},
		"no counting": {&Sandbox{groups: hierarchies{lack: "none"}}, 3, 0},
	} {
		c.s.o.Limits.fill()
		if have, need := c.s.Watches(c.jobs); need != c.want || (have > 0) != (need > 0) {
			t.Errorf("%s: %d of %d, want %d", name, have, need, c.want)
		}
	}
}
