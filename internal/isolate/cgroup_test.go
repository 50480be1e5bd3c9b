//go:build linux

package isolate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Version 2 as far as files can play it: the kernel's own files are made beforehand.
func TestUnifiedHierarchy(t *testing.T) {
	mount := t.TempDir()
	at := filepath.Join(mount, "system.slice", "odfix.service")
	child := filepath.Join(at, "job")
	must(t, os.MkdirAll(at, 0o755))
	for _, f := range []string{filepath.Join(mount, "cgroup.controllers"), filepath.Join(at, "cgroup.subtree_control")} {
		must(t, os.WriteFile(f, nil, 0o644))
	}
	h := hierarchies{v2: at}
	if g, err := h.open("job", Limits{Memory: 5 << 20, Processes: 7, CPUs: 1.5}); err == nil || g != nil {
		t.Error("a folder without the kernel's files passes for a cgroup")
	}
	if text := read(t, filepath.Join(at, "cgroup.subtree_control")); text != "+memory +pids +cpu" {
		t.Errorf("handed down: %q", text)
	}
	if exists(child) {
		t.Error("what could not be used is still there")
	}
}

// TestUnifiedLimits: what the kernel is told of a job, with its files made as it would make them.
func TestUnifiedLimits(t *testing.T) {
	at := t.TempDir()
	must(t, os.WriteFile(filepath.Join(at, "cgroup.subtree_control"), []byte("cpu io memory pids\n"), 0o644))
	h := hierarchies{v2: at, mkdir: func(dir string, mode os.FileMode) error {
		must(t, os.Mkdir(dir, mode))
		for _, f := range []string{"memory.max", "memory.swap.max", "pids.max", "cpu.weight", "cpu.max", "cgroup.procs", "cgroup.kill"} {
			must(t, os.WriteFile(filepath.Join(dir, f), nil, 0o644))
		}
		return nil
	}}
	g, err := h.open("job", Limits{Memory: 5 << 20, Processes: 7, CPUs: 1.5, Nice: 10})
	must(t, err)
	for file, want := range map[string]string{"memory.max": "5242880", "memory.swap.max": "0", "pids.max": "7",
		"cpu.weight": "11", "cpu.max": "150000 100000"} {
		if got := read(t, filepath.Join(at, "job", file)); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	if files := g.files(); len(files) != 1 || files[0] != filepath.Join(at, "job", "cgroup.procs") {
		t.Errorf("members are written to %v", files)
	}
	if text := read(t, filepath.Join(at, "cgroup.subtree_control")); text != "cpu io memory pids\n" {
		t.Errorf("controllers that are there were asked for again: %q", text)
	}
	g.kill()
	if got := read(t, filepath.Join(at, "job", "cgroup.kill")); got != "1" {
		t.Errorf("cgroup.kill: %q", got)
	}
}

// TestGroupsWeighTheirNiceness: between groups niceness counts for nothing, so the group has it.
func TestGroupsWeighTheirNiceness(t *testing.T) {
	for nice, want := range map[int]int{0: 100, 10: 11, 19: 2} {
		if got := (Limits{Nice: nice}).weigh(100); got != want {
			t.Errorf("nice %d weighs %d of 100, want %d", nice, got, want)
		}
	}
}

func TestWhereWeAre(t *testing.T) {
	mount := t.TempDir()
	for _, c := range controllers {
		must(t, os.MkdirAll(filepath.Join(mount, c, "ours"), 0o755))
	}
	own := filepath.Join(t.TempDir(), "cgroup")
	must(t, os.WriteFile(own, []byte("4:memory:/ours\n3:cpu,cpuacct:/\n2:pids:/on/the/host\nnonsense\n0::/\n"), 0o644))
	h := findHierarchies(mount, own)
	if h.v2 != "" || h.v1["memory"] != filepath.Join(mount, "memory", "ours") || h.v1["pids"] != filepath.Join(mount, "pids") {
		t.Errorf("%+v", h)
	}
	if !strings.Contains(h.missing(), "cannot be made") {
		t.Errorf("plain folders are taken for cgroups: %q", h.missing())
	}
	if h := findHierarchies(mount, filepath.Join(mount, "nothing")); h.missing() == "" {
		t.Error("no cgroups, and nothing missing")
	}
}

// TestLimitsOfTheContainer: they count only if both memory and processes have one.
func TestLimitsOfTheContainer(t *testing.T) {
	for name, c := range map[string]struct {
		memory, pids string
		want         bool
	}{"both": {"6442450944", "3000", true}, "memory only": {"6442450944", "max", false}, "processes only": {"max", "3000", false},
		"none of version 1": {"9223372036854771712", "max", false}, "no files": {"", "", false}} {
		at := t.TempDir()
		for file, text := range map[string]string{"memory.max": c.memory, "memory.limit_in_bytes": c.memory, "pids.max": c.pids} {
			if text != "" {
				must(t, os.WriteFile(filepath.Join(at, file), []byte(text+"\n"), 0o644))
			}
		}
		for _, h := range []hierarchies{{v2: at}, {v1: map[string]string{"memory": at, "pids": at}}} {
			if got := h.limited(); got != c.want {
				t.Errorf("%s, %+v: %v", name, h, got)
			}
		}
	}
}

func TestOldGroupsAreSwept(t *testing.T) {
	at := t.TempDir()
	left, foreign := filepath.Join(at, folderPrefix+"1"), filepath.Join(at, "foreign")
	must(t, os.Mkdir(left, 0o755))
	must(t, os.Mkdir(foreign, 0o755))
	h := hierarchies{v1: map[string]string{"memory": at}}
	h.sweep(time.Now())
	if !exists(left) {
		t.Error("a young group was removed: its job may be between two processes")
	}
	h.sweep(time.Now().Add(2 * stale))
	if exists(left) || !exists(foreign) {
		t.Error("the wrong ones were removed")
	}
}

func TestOutOfMemoryIsSeen(t *testing.T) {
	dir := t.TempDir()
	g := &group{dirs: []string{dir}}
	must(t, os.WriteFile(filepath.Join(dir, "memory.oom_control"), []byte("oom_kill_disable 0\nunder_oom 0\noom_kill 0\n"), 0o644))
	if g.full() {
		t.Error("nothing was killed")
	}
	must(t, os.WriteFile(filepath.Join(dir, "memory.events"), []byte("max 12\noom 1\noom_kill 1\n"), 0o644))
	if !g.full() {
		t.Error("a process was killed")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	must(t, err)
	return string(b)
}

// TestGroupsThatTakeLong: a cgroup whose processes still end when its Room is closed is removed with a
// later Room.
func TestGroupsThatTakeLong(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "group")
	must(t, os.MkdirAll(filepath.Join(dir, "process"), 0o755))
	s := &Sandbox{}
	s.later(&group{dirs: []string{dir}})
	if s.removeLeft(); len(s.left) != 1 {
		t.Error("a cgroup that stays is forgotten")
	}
	must(t, os.Remove(filepath.Join(dir, "process")))
	if s.removeLeft(); len(s.left) != 0 || exists(dir) {
		t.Error("the cgroup is still there")
	}
}
