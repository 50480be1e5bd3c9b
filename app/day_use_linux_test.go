package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/pause"
)

// processUse is what processes use, by name: all lives of a process together.
type processUse struct {
	mu       sync.Mutex
	pids     map[string]int
	peaks    map[string]int           // of resident memory, in KiB
	earlier  map[string]time.Duration // processor time of earlier lives
	now      map[string]time.Duration // of this life
	database int                      // pid of PostgreSQL
}

func newProcessUse(place string) *processUse {
	u := &processUse{pids: map[string]int{}, peaks: map[string]int{}, earlier: map[string]time.Duration{}, now: map[string]time.Duration{}}
	if at, err := url.Parse(place); err == nil {
		text, _ := os.ReadFile(filepath.Join(at.Query().Get("host"), "data", "postmaster.pid"))
		line, _, _ := strings.Cut(string(text), "\n")
		u.database, _ = strconv.Atoi(line)
	}
	return u
}

// add says that a process lives under a new id.
func (u *processUse) add(name string, pid int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pids[name] = pid
	u.earlier[name] += u.now[name]
	u.now[name] = 0
}

// watch reads the usage until the context ends.
func (u *processUse) watch(ctx context.Context) {
	for pause.For(ctx, 500*time.Millisecond) {
		u.read()
	}
}

func (u *processUse) read() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for name, pid := range u.pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // it may have ended
		if _, after, ok := strings.Cut(string(text), "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.Fields(after)[0])
			u.peaks[name] = max(u.peaks[name], n)
		}
		if s := statOf(pid); s != nil {
			u.now[name] = ticks(s, 11, 12)
		}
	}
	if s := statOf(u.database); s != nil {
		u.now["postgres"] = ticks(s, 11, 12, 13, 14) // also of its processes that have ended
		others, _ := filepath.Glob("/proc/[0-9]*")
		for _, dir := range others {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			if s := statOf(pid); s != nil && s[1] == strconv.Itoa(u.database) {
				u.now["postgres"] += ticks(s, 11, 12)
			}
		}
	}
}

// statOf are the fields of a process's stat from the state on; nil: it has ended.
func statOf(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text)[strings.LastIndexByte(string(text), ')')+1:])
}

// ticks sums up fields of a stat that are in hundredths of a second.
func ticks(stat []string, fields ...int) (sum time.Duration) {
	for _, f := range fields {
		n, _ := strconv.Atoi(stat[f])
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}

// processor is the processor time by name.
func (u *processUse) processor() map[string]time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := map[string]time.Duration{}
	for name, d := range u.now {
		out[name] = d + u.earlier[name]
	}
	return out
}
