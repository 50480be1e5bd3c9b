package isolate

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// hierarchies are where cgroups can be created: below the cgroup of this process, so that its
// limits hold for them, too.
type hierarchies struct {
	v2   string            // this process's folder in the unified hierarchy; empty: v1, or none
	v1   map[string]string // the same for each controller
	lack string            // why there are none
	// mkdir creates a cgroup; nil: os.Mkdir. The kernel creates files in it; a test does so itself.
	mkdir func(string, os.FileMode) error
}

// controllers are the ones that a cgroup needs. Version 1 has a folder for each.
var controllers = []string{"memory", "pids", "cpu"}

// findHierarchies reads the cgroups of this process (own, in the format of /proc/PID/cgroup, see
// proc(5)) and tries to create a cgroup in them.
func findHierarchies(mount, own string) hierarchies {
	text, err := os.ReadFile(own)
	if err != nil {
		return hierarchies{lack: "no cgroups: " + err.Error()}
	}
	h := hierarchies{v1: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		if part[0] == "0" && exists(filepath.Join(mount, "cgroup.controllers")) {
			h.v2 = place(mount, part[2])
		}
		for _, c := range strings.Split(part[1], ",") {
			if slices.Contains(controllers, c) && exists(filepath.Join(mount, c)) {
				h.v1[c] = place(filepath.Join(mount, c), part[2])
			}
		}
	}
	h.lack = h.try()
	return h
}

// place is this process's folder in a hierarchy. In a container the path may be the host's.
func place(mount, path string) string {
	if full := filepath.Join(mount, path); exists(full) {
		return full
	}
	return mount
}

// try creates a cgroup and removes it.
func (h *hierarchies) try() string {
	if h.v2 == "" && len(h.v1) < len(controllers) {
		return "no cgroup hierarchy has memory, pids and cpu"
	}
	g, err := h.open(fmt.Sprintf("odfix-try-%d", os.Getpid()), Limits{Memory: 1 << 30, Processes: 64})
	if err == nil {
		err = g.close()
	}
	if err != nil {
		return "cgroups cannot be made: " + err.Error()
	}
	return ""
}

// stale is the age at which a cgroup cannot have a job any more.
const stale = 24 * time.Hour

// sweep removes the empty cgroups that a killed odfix left.
func (h *hierarchies) sweep(now time.Time) {
	for _, parent := range slices.AppendSeq([]string{h.v2}, maps.Values(h.v1)) {
		left, _ := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
		for _, dir := range left {
			if info, err := os.Stat(dir); parent != "" && err == nil && now.Sub(info.ModTime()) > stale {
				_ = syscall.Rmdir(dir) // the kernel refuses where there are processes
			}
		}
	}
}

// limited reports whether the cgroup of this process limits memory and processes.
func (h *hierarchies) limited() bool {
	if h.v2 != "" {
		return finite(filepath.Join(h.v2, "memory.max")) && finite(filepath.Join(h.v2, "pids.max"))
	}
	return finite(filepath.Join(h.v1["memory"], "memory.limit_in_bytes")) && finite(filepath.Join(h.v1["pids"], "pids.max"))
}

// finite reports whether a file of the kernel holds a limit. Version 1 has a very large number for
// none.
func finite(file string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return err == nil && n < 1<<60
}

func (h *hierarchies) missing() string { return h.lack }

func (h *hierarchies) version() string {
	if h.v2 != "" {
		return "version 2"
	}
	return "version 1"
}

// group is one job's cgroup: a folder, or several of version 1. Nil is none.
type group struct{ dirs []string }

// open creates a cgroup with these limits; nil if there are no cgroups.
func (h *hierarchies) open(name string, l Limits) (*group, error) {
	switch {
	case h.lack != "":
		return nil, nil
	case h.v2 != "":
		return h.open2(name, l)
	}
	g := &group{}
	for _, c := range controllers {
		dir := filepath.Join(h.v1[c], name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, errors.Join(err, g.close())
		}
		g.dirs = append(g.dirs, dir)
	}
	set := map[string]string{
		"memory/memory.limit_in_bytes": strconv.FormatInt(l.Memory, 10),
		"pids/pids.max":                strconv.Itoa(l.Processes),
		// A process outside any group has a weight of 1024. A job gets that for each core.
		"cpu/cpu.shares": strconv.Itoa(l.weigh(1024 * runtime.NumCPU())),
	}
	if l.CPUs > 0 {
		set["cpu/cpu.cfs_quota_us"] = strconv.Itoa(int(l.CPUs * 100_000))
	}
	for file, value := range set {
		c, file, _ := strings.Cut(file, "/")
		if err := put(filepath.Join(h.v1[c], name, file), value); err != nil {
			return nil, errors.Join(err, g.close())
		}
	}
	// Swap counts as memory. Kernels without swap have no such file.
	_ = put(filepath.Join(h.v1["memory"], name, "memory.memsw.limit_in_bytes"), strconv.FormatInt(l.Memory, 10))
	// In version 1 memory does not count TCP buffers, which have a limit for the whole machine.
	_ = put(filepath.Join(h.v1["memory"], name, "memory.kmem.tcp.limit_in_bytes"), strconv.Itoa(jobSockets))
	return g, nil
}

// open2 is open for version 2. There the parent delegates controllers, and must have no processes:
// this process moves into a child.
func (h *hierarchies) open2(name string, l Limits) (*group, error) {
	if err := h.handDown(); err != nil {
		return nil, err
	}
	dir := filepath.Join(h.v2, name)
	mkdir := h.mkdir
	if mkdir == nil {
		mkdir = os.Mkdir
	}
	if err := mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	g := &group{dirs: []string{dir}}
	set := map[string]string{"memory.max": strconv.FormatInt(l.Memory, 10), "pids.max": strconv.Itoa(l.Processes),
		"cpu.weight": strconv.Itoa(l.weigh(100))}
	if l.CPUs > 0 {
		set["cpu.max"] = strconv.Itoa(int(l.CPUs*100_000)) + " 100000"
	}
	for file, value := range set {
		if err := put(filepath.Join(dir, file), value); err != nil {
			return nil, errors.Join(err, g.close())
		}
	}
	_ = put(filepath.Join(dir, "memory.swap.max"), "0") // absent if there is no swap
	return g, nil
}

// weigh lowers a weight by the limits' niceness. Between groups the kernel uses weights only; a
// step of niceness is a quarter, as in its table for processes.
func (l Limits) weigh(whole int) int {
	return max(2, int(math.Round(float64(whole)/math.Pow(1.25, float64(l.Nice)))))
}

func (h *hierarchies) handDown() error {
	file, down := filepath.Join(h.v2, "cgroup.subtree_control"), "+memory +pids +cpu"
	if has, err := os.ReadFile(file); err == nil &&
		!slices.ContainsFunc(controllers, func(c string) bool { return !slices.Contains(strings.Fields(string(has)), c) }) {
		return nil
	}
	err := put(file, down)
	if !errors.Is(err, syscall.EBUSY) {
		return err
	}
	self := filepath.Join(h.v2, "odfix-self")
	if err := os.Mkdir(self, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := put(filepath.Join(self, "cgroup.procs"), "0"); err != nil {
		return err
	}
	return put(file, down)
}

// files are where a process writes to become a member.
func (g *group) files() []string {
	if g == nil {
		return nil
	}
	var out []string
	for _, d := range g.dirs {
		out = append(out, filepath.Join(d, "cgroup.procs"))
	}
	return out
}

// full reports whether the kernel has killed a process because memory was used up.
func (g *group) full() bool {
	if g == nil {
		return false
	}
	for _, name := range []string{"memory.events", "memory.oom_control"} {
		text, _ := os.ReadFile(filepath.Join(g.dirs[0], name))
		for line := range strings.Lines(string(text)) {
			if n, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok && n != "0" {
				return true
			}
		}
	}
	return false
}

// close kills the members and removes the cgroup.
func (g *group) close() error {
	if g == nil {
		return nil
	}
	var err error
	for range 200 { // a killed process takes a moment to end
		if err = g.remove(); err == nil {
			return nil
		}
		g.kill()
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("a job's cgroup stays: %w", err)
}

// later keeps a cgroup whose processes still end, for removeLeft.
func (s *Sandbox) later(g *group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = append(s.left, g)
}

// removeLeft removes cgroups of earlier Rooms.
func (s *Sandbox) removeLeft() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = slices.DeleteFunc(s.left, func(g *group) bool { return g.remove() == nil })
}

func (g *group) remove() error {
	var err error
	for _, d := range g.dirs {
		if rerr := syscall.Rmdir(d); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("%s: %w", d, rerr))
		}
	}
	return err
}

// kill kills all processes of the group; none if there is no group.
func (g *group) kill() {
	if g == nil {
		return
	}
	for _, d := range g.dirs {
		if put(filepath.Join(d, "cgroup.kill"), "1") == nil {
			continue
		}
		text, _ := os.ReadFile(filepath.Join(d, "cgroup.procs"))
		for _, f := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(f); err == nil && pid > 1 {
				if p, err := os.FindProcess(pid); err == nil {
					_ = p.Kill()
				}
			}
		}
	}
}

// put writes to a file of the kernel, which must exist.
func put(file, value string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
