// Package isolate runs untrusted programs in a sandbox: bubblewrap (bwrap) gives them namespaces of
// their own, cgroups limit what they use, and a proxy is their only network, if they have one.
//
// A Sandbox is the machine's ability to isolate. A Room is the sandbox of one job.
//
// Invariants:
//   - Open starts a program to check every protection before it returns a Sandbox.
//   - The processes of a Room end with Close, and with this process, however it ends.
//   - Of a Room's files only those in folders bound as writable outlive Close.
//   - The environment of this process never reaches a Room.
//
// Only Linux can isolate. Elsewhere Open returns an error.
package isolate

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// ErrNot is wrapped by Open's errors if this machine cannot isolate.
var ErrNot = errors.New("programs cannot be isolated here")

// ErrNoDisk is wrapped by Room's error if there is no disk for it now.
var ErrNoDisk = errors.New("there is no disk for a job")

// Limits are for all processes of one Room together.
type Limits struct {
	Memory    int64   // bytes; 0: DefaultMemory
	Disk      int64   // bytes of what a Room writes, and of any single file; 0: DefaultDisk
	Processes int     // processes and threads; 0: DefaultProcesses
	CPUs      float64 // cores; 0: all of them
	Nice      int     // niceness, 0 to 19 as in nice(1)
}

// The default limits. Two test JVMs and a Maven run in 4 GiB.
const (
	DefaultMemory    = 4 << 30
	DefaultDisk      = 10 << 30
	DefaultProcesses = 2048
	// DefaultNice leaves a job about a tenth of a busy processor.
	DefaultNice = 10
)

func (l *Limits) fill() {
	if l.Memory <= 0 {
		l.Memory = DefaultMemory
	}
	if l.Disk <= 0 {
		l.Disk = DefaultDisk
	}
	if l.Processes <= 0 {
		l.Processes = DefaultProcesses
	}
}

// Options are for Open.
type Options struct {
	// Helper is a program that calls Main first. It starts bwrap, and Open starts it in a Room.
	Helper string
	Limits Limits
	// Dir is where work folders are made; empty: the system's temporary folder.
	Dir string
}

// Sandbox is this machine's ability to isolate.
type Sandbox struct {
	o        Options
	bwrap    string
	root     bool // this process is root: untrusted programs get another user
	groups   hierarchies
	diskSize int64  // of Rooms' disks, in bytes
	deny     []byte // seccomp filter; nil: there is none for this processor
	proc     string // /proc
	shared   string // why Rooms share the disk of Options.Dir; empty: each has one of its own
	free     func(dir string) (bytes int64, known bool)

	locks          locks
	making         sync.Mutex // held while a disk is made
	mu             sync.Mutex
	left           []*group // of closed Rooms, whose processes took long to end
	disks          []*disk  // of closed Rooms
	used, mostUsed int      // disks of Rooms, now and at most
}

// About describes the protections that hold and those that do not, for logs.
func (s *Sandbox) About() []string {
	user := "as this user, in a user namespace"
	if s.root {
		user = "as an unprivileged user of its own"
	}
	out := []string{"bubblewrap, " + user}
	l := s.o.Limits
	caps := fmt.Sprintf("%d MiB of memory and %d processes", l.Memory>>20, l.Processes)
	if why := s.groups.missing(); why != "" {
		out = append(out, caps+" for each process only, not for all of a job: "+why)
	} else {
		out = append(out, caps+" for all of a job, by cgroup "+s.groups.version())
	}
	if s.shared == "" {
		out = append(out, fmt.Sprintf("a disk of its own with %d MiB", l.Disk>>20))
	} else {
		out = append(out, fmt.Sprintf("%d MiB of a disk that all jobs share, measured each second: %s", l.Disk>>20, s.shared))
	}
	if s.deny == nil {
		out = append(out, "no filter of system calls for "+runtime.GOARCH)
	}
	return out
}

// sources is for the sources of a job, which are on the same disk.
const sources = 1 << 30

// Space is the free space below Options.Dir in bytes, and what this number of jobs needs to have
// disks of their own. need is 0 if they share one.
func (s *Sandbox) Space(jobs int) (have, need int64) {
	if s.shared != "" {
		return 0, 0
	}
	have, _ = s.free(s.o.Dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	return have + s.o.Limits.Disk*int64(len(s.disks)), (s.o.Limits.Disk + sources) * int64(jobs)
}

// SharedDisk is the reason why the Rooms of a root process share a disk; empty if they do not, or if
// this process is not root.
func (s *Sandbox) SharedDisk() string {
	if !s.root {
		return ""
	}
	return s.shared
}

// Contained reports whether the cgroup around this process limits memory and processes. Then these
// limits hold for all jobs together, and for this process.
func (s *Sandbox) Contained() bool { return s.groups.limited() }

// Weaker is the reason why some limits do not hold; empty if all hold.
func (s *Sandbox) Weaker() string { return s.groups.missing() }
