package isolate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// RunnerName is the name, without its folder, under which odfix starts itself as the runner.
const RunnerName = "odfix-runner"

// Paths in a Room.
const (
	// Home is the home folder, in the work folder.
	Home = "/home/odfix"
	// Program is where the Room's program is.
	Program = "/odfix/" + RunnerName
	// Seed is where the machine's .m2 is, read-only, if the Room has its own Maven repository.
	Seed = "/odfix/m2"
	// PrivateSeed is the same for the .m2 folder of the job's installation.
	PrivateSeed = "/odfix/m2-private"
	// GradleScript is the script that Gradle runs first. A build can replace the link to it, but not
	// this file.
	GradleScript = "/odfix/first.gradle"
	// GradleSeed is where the machine's distributions of Gradle are, read-only.
	GradleSeed = "/odfix/gradle"
	// Repository is the folder to which the links in ~/.m2 point.
	Repository = "/odfix/maven"
	// Way is the socket of the proxy, if there is one.
	Way  = "/odfix/way"
	user = 1000 // the user of programs, as they see it
)

// Want describes what a Room needs.
type Want struct {
	ReadOnly []string // folders and files, under their own names
	Java     string   // JDK; empty: the environment's
	// Maven is the machine's .m2 folder; empty: none. Its repository is read-only. If Own is set,
	// the Room gets a second, writable repository, which at first has the same files.
	Maven string
	// Private is a .m2 folder that only some Rooms may read, such as those of one customer; empty:
	// none. It is read-only and precedes Maven. It needs Own.
	Private string
	Own     bool
	// Gradle is set for builds of Gradle: the machine's .gradle folder; empty: none. Its
	// distributions, which wrappers have downloaded, are read-only. The Room sees nothing else of it.
	Gradle *string
	Env    []string // further environment variables ("NAME=value")
}

// Room is the sandbox in which one job's programs run, one after the other. It has a work folder,
// which is empty at first and has the same path outside.
type Room struct {
	s     *Sandbox
	w     Want
	dir   string  // holds etc and, below rw, what the Room may write
	top   *folder // the folder dir
	user  int     // the user of its programs outside the Room; 0: the user of odfix
	group *group
	disk  *disk     // its own; nil: it shares that of Options.Dir
	cmd   *exec.Cmd // the newest of Command
}

// Room makes a Room. The caller closes it. The context bounds the wait for a disk.
func (s *Sandbox) Room(ctx context.Context, w Want) (*Room, error) {
	s.removeLeft()
	top, err := newFolder(s.o.Dir)
	if err != nil {
		return nil, err
	}
	r := &Room{s: s, w: w, dir: top.path, top: top}
	if s.root {
		// systemd keeps this range for dynamic users.
		r.user = 61184 + rand.IntN(65519-61184)
	}
	if err := r.furnish(ctx); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Work is the writable folder.
func (r *Room) Work() string { return filepath.Join(r.writable(), "work") }

// home and Work are in a folder that the Room does not see, so that programs cannot replace them
// between two starts.
func (r *Room) home() string { return filepath.Join(r.writable(), "home") }

// maven is the Room's own Maven repository, if it wants one.
func (r *Room) maven() string { return filepath.Join(r.writable(), "maven") }

func (r *Room) writable() string { return filepath.Join(r.dir, writableName) }

func (r *Room) furnish(ctx context.Context) error {
	if r.s.shared == "" {
		if err := r.takeDisk(ctx); err != nil {
			return err
		}
	}
	m2 := filepath.Join(r.home(), ".m2")
	for _, d := range []string{filepath.Join(r.dir, "etc"), r.Work(), m2} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	if err := r.writeEtc(); err != nil {
		return err
	}
	for _, part := range mavenParts {
		if err := os.Symlink(filepath.Join(Repository, part), filepath.Join(m2, part)); err != nil {
			return err
		}
	}
	if r.w.Own {
		if err := r.plantMaven(); err != nil {
			return fmt.Errorf("a Maven repository: %w", err)
		}
	}
	if r.w.Gradle != nil {
		if err := r.plantGradle(*r.w.Gradle); err != nil {
			return fmt.Errorf("a folder of Gradle: %w", err)
		}
	}
	if r.user != 0 {
		if err := own(r.writable(), r.user); err != nil {
			return err
		}
	}
	var err error
	r.group, err = r.s.groups.open(filepath.Base(r.dir), r.s.o.Limits)
	return err
}

// mavenParts are the parts of .m2 without secrets. settings.xml may hold passwords.
var mavenParts = []string{"repository", "wrapper"}

func (r *Room) plantMaven() error {
	for _, part := range mavenParts {
		dir := filepath.Join(r.maven(), part)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for _, l := range r.layers() {
			if from := filepath.Join(l.dir, part); exists(from) {
				if err := Plant(from, dir, filepath.Join(l.seed, part)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// layer is a .m2 folder with which a Room's own begins.
type layer struct{ dir, seed string }

// layers are in the order in which their files count.
func (r *Room) layers() []layer {
	var out []layer
	if r.w.Private != "" {
		out = append(out, layer{r.w.Private, PrivateSeed})
	}
	if r.w.Maven != "" {
		out = append(out, layer{r.w.Maven, Seed})
	}
	return out
}

// writeEtc creates the few files that programs need in /etc.
func (r *Room) writeEtc() error {
	for name, text := range map[string]string{
		"passwd":        fmt.Sprintf("odfix:x:%d:%d::%s:/bin/sh\n", user, user, Home),
		"group":         fmt.Sprintf("odfix:x:%d:\n", user),
		"hosts":         "127.0.0.1 localhost sandbox\n::1 localhost\n",
		"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
		"resolv.conf":   "",
		"mavenrc":       mavenrc(false),
		"mavenrc.off":   mavenrc(true),
		"first.gradle":  "",
		"off.gradle":    "gradle.startParameter.offline = true\n",
	} {
		if err := os.WriteFile(filepath.Join(r.dir, "etc", name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Close kills the Room's remaining processes and removes its folders.
func (r *Room) Close() error {
	err := r.group.close()
	if err != nil {
		r.s.later(r.group)
	}
	r.leaveDisk()
	return errors.Join(err, r.top.close())
}

// takeDisk mounts a disk as the Room's: one that an earlier Room has left, or a new one.
func (r *Room) takeDisk(ctx context.Context) (err error) {
	if r.disk, err = r.s.freeDisk(ctx); err == nil {
		err = r.disk.mount(ctx, r.writable())
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNoDisk, err)
	}
	return err
}

// soonFree is how long the kernel usually needs at most until the disk of a closed Room is free.
var soonFree = 3 * time.Second // a variable for tests

// freeDisk returns a disk that nothing uses. Processes of an earlier Room may still use theirs when
// that is closed, or the kernel for them. If that takes long, freeDisk makes another disk; if there
// is no space for that, it waits.
func (s *Sandbox) freeDisk(ctx context.Context) (*disk, error) {
	ctx, cancel := context.WithTimeout(ctx, diskTime)
	defer cancel()
	began := time.Now()
	for {
		d, left := s.unusedDisk()
		if d != nil {
			return d, nil
		}
		err := errors.New("all are in use")
		if left == 0 || time.Since(began) > soonFree {
			if d, err = s.makeDisk(); err == nil || left == 0 {
				return d, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(50 * time.Millisecond):
		}
		collectSockets()
	}
}

// makeDisk makes a new disk if that leaves space for sources.
func (s *Sandbox) makeDisk() (*disk, error) {
	s.making.Lock() // the check and the reservation are one step
	defer s.making.Unlock()
	also := min(sources, s.diskSize)
	if have, known := s.free(s.o.Dir); known && have < s.diskSize+also {
		return nil, fmt.Errorf("a job needs %d MiB (--job-disk) and %d MiB for its sources in %s, and %d MiB are free: %w",
			s.diskSize>>20, also>>20, s.o.Dir, have>>20, syscall.ENOSPC)
	}
	d, err := newDisk(s.o.Dir, s.diskSize)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.use()
	}
	return d, err
}

// use counts a disk that a Room uses. The caller holds the lock.
func (s *Sandbox) use() {
	s.used++
	s.mostUsed = max(s.mostUsed, s.used)
}

// unusedDisk takes a disk that nothing uses any more. It returns how many are left.
func (s *Sandbox) unusedDisk() (*disk, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.disks, func(d *disk) bool { return !d.busy() })
	if i < 0 {
		return nil, len(s.disks)
	}
	d := s.disks[i]
	s.disks = slices.Delete(s.disks, i, i+1)
	s.use()
	return d, len(s.disks)
}

// leaveDisk unmounts the Room's disk and keeps it for a later Room. Disks beyond those that Rooms
// have used at once, which were made because others were in use for long, are given back.
func (r *Room) leaveDisk() {
	if r.disk == nil {
		return
	}
	unmount(r.writable())
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disks, r.disk = append(s.disks, r.disk), nil
	s.used--
	extra := s.used - s.mostUsed // of those that nothing uses
	s.disks = slices.DeleteFunc(s.disks, func(d *disk) bool {
		if d.busy() {
			return false
		}
		if extra++; extra <= 0 {
			return false
		}
		go func() { _ = d.close() }() // it can take the kernel minutes
		return true
	})
}

// Close gives back the disks of closed Rooms, and removes their cgroups.
func (s *Sandbox) Close() error {
	s.removeLeft()
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, d := range s.disks {
		err = errors.Join(err, d.close())
	}
	s.disks = nil
	return err
}

// own makes a user the owner of a tree.
func own(dir string, user int) error {
	return filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, user, user)
	})
}

// removeAll removes the folder of a Room, and tries again while killed processes end. The folder's lock goes
// last, so that a folder that stays is not mistaken for another's.
func removeAll(dir string) error {
	unmount(filepath.Join(dir, writableName))
	var err error
	for range 20 {
		if err = removeTree(dir, lockName); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// environment is the whole environment of programs in a Room.
func (r *Room) environment(t tools, way bool) []string {
	env := []string{"HOME=" + Home, "USER=odfix", "LOGNAME=odfix", "SHELL=/bin/sh", "LANG=" + cmp.Or(os.Getenv("LANG"), "C.UTF-8"),
		"PATH=" + strings.Join(append(t.path, "/usr/local/bin", "/usr/bin", "/bin"), ":")}
	for _, name := range []string{"TZ", "LC_ALL", "LC_CTYPE"} {
		if v := os.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	if t.java != "" {
		env = append(env, "JAVA_HOME="+t.java)
	}
	if way {
		env = append(env, WayEnv+"="+Way)
	}
	return append(env, r.w.Env...)
}
