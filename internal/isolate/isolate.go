// Package isolate starts programs that strangers wrote, so that they reach
// nothing they were not given: bubblewrap (bwrap) puts them into namespaces of
// their own, cgroups cap what they use, and a proxy is the only way out where
// there is one at all.
//
// Invariants: a Sandbox exists only where a real start has shown that
// everything promised holds (Open); a Room's processes end with Close, and with this process
// however it ends; nothing of a Room outlives Close but what was bound
// writable by name. Our own environment never reaches a Room.
//
// Only Linux can do this. Elsewhere Open says so.
package isolate

import (
	"errors"
	"fmt"
	"runtime"
)

// ErrNot is what Open's errors are when this machine cannot isolate.
var ErrNot = errors.New("programs cannot be isolated here")

// Limits are what the processes of one Room may use together.
type Limits struct {
	Memory    int64   // bytes; 0: DefaultMemory
	Disk      int64   // bytes in the work folder, and in any single file; 0: DefaultDisk
	Processes int     // processes and threads; 0: DefaultProcesses
	CPUs      float64 // cores; 0: all of them
	Nice      int     // how far they stand back for everybody else, 0 to 19 as in nice(1)
}

// The limits of whoever names none. Two test JVMs beside a Maven run in 4 GiB.
const (
	DefaultMemory    = 4 << 30
	DefaultDisk      = 10 << 30
	DefaultProcesses = 2048
	// DefaultNice leaves a job about a tenth of the processor where others want all of it.
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
	// Helper is a program that calls Main first thing; it starts bwrap, and is
	// what Probe starts inside.
	Helper string
	Limits Limits
	// Dir is where work folders are made; empty: the system's temporary folder.
	Dir string
}

// Sandbox is this machine's way to isolate.
type Sandbox struct {
	o      Options
	bwrap  string
	root   bool // we are root: strangers get a user of their own
	groups hierarchies
	deny   []byte // seccomp filter; nil where there is none for this processor
}

// About says in words what holds and what does not, for logs.
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
	if s.deny == nil {
		out = append(out, "no filter of system calls for "+runtime.GOARCH)
	}
	return out
}

// Weaker says why a job's limits are not what they should be; empty where they are.
func (s *Sandbox) Weaker() string { return s.groups.missing() }
