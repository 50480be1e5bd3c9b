package isolate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// box builds bwrap's arguments.
type box struct {
	args  []string
	stage []string // what the helper has to bind first, as root
	root  bool
}

func (b *box) add(words ...string) { b.args = append(b.args, words...) }

// show binds what is at path outside to at inside.
func (b *box) show(how, path, at string) {
	if b.root {
		b.stage = append(b.stage, path)
		path = filepath.Join(stageDir, strconv.Itoa(len(b.stage)-1))
	}
	b.add(how, path, at)
}

func (b *box) readOnly(paths ...string) {
	for _, p := range paths {
		b.show("--ro-bind", p, p)
	}
}

// namespaces are a Room's namespaces.
var namespaces = []string{"--unshare-user", "--disable-userns", "--unshare-pid", "--as-pid-1", "--unshare-net",
	"--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
	"--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv", "--hostname", "sandbox",
	"--uid", strconv.Itoa(user), "--gid", strconv.Itoa(user)}

const (
	tmpSize = 1 << 30
	shmSize = 64 << 20
)

// Command runs program, a file outside that calls Main first, in the Room; way is the socket of an Exit, or empty. The
// environment of the command is set, the caller sets the rest, and starts it with child.Start.
func (r *Room) Command(program, way string) (*exec.Cmd, error) {
	t := findTools(r.w.Java)
	b := &box{root: r.s.root}
	b.add(namespaces...)
	b.system()
	b.readOnly(t.show...)
	b.show("--ro-bind", program, Program)
	b.add("--perms", "1777", "--size", strconv.Itoa(tmpSize), "--tmpfs", "/tmp", "--dir", "/var/tmp")
	for _, f := range []string{"passwd", "group", "hosts", "nsswitch.conf", "resolv.conf"} {
		b.show("--ro-bind", filepath.Join(r.dir, "etc", f), "/etc/"+f)
	}
	rc := "mavenrc"
	if way == "" {
		rc = "mavenrc.off"
	}
	b.show("--ro-bind", filepath.Join(r.dir, "etc", rc), "/etc/mavenrc")
	b.readOnly(r.w.ReadOnly...)
	b.show("--bind", r.Work(), r.Work())
	b.show("--bind", r.home(), Home)
	r.showMaven(b)
	r.showGradle(b, way != "")
	if way != "" {
		b.show("--ro-bind", way, Way)
	}
	for _, e := range r.environment(t, way != "") {
		name, value, _ := strings.Cut(e, "=")
		b.add("--setenv", name, value)
	}
	b.add("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", Home)
	return r.command(b)
}

// system binds programs and libraries, read-only, and creates /proc and /dev.
func (b *box) system() {
	b.readOnly("/usr")
	for _, d := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		if to, err := os.Readlink(d); err == nil {
			b.add("--symlink", to, d)
		} else if _, err := os.Stat(d); err == nil {
			b.readOnly(d)
		}
	}
	b.readOnly(systemSettings()...)
	b.add("--proc", "/proc")
	if _, err := os.Stat("/proc/pressure"); err == nil {
		b.readOnly("/proc/pressure") // what watches it takes the kernel long to close
	}
	b.add("--dev", "/dev", "--size", strconv.Itoa(shmSize), "--tmpfs", "/dev/shm")
}

// showMaven binds the machine's Maven repository as the Room's, or both layers as the beginning of
// the Room's own.
func (r *Room) showMaven(b *box) {
	layers := []layer{{r.w.Maven, Repository}}
	if r.w.Own {
		b.show("--bind", r.maven(), Repository)
		layers = r.layers()
	}
	for _, l := range layers {
		for _, part := range mavenParts {
			if from := filepath.Join(l.dir, part); l.dir != "" && exists(from) {
				b.show("--ro-bind", from, filepath.Join(l.seed, part))
			}
		}
	}
}

// showGradle binds the machine's distributions of Gradle. Without a way out, Gradle is offline.
func (r *Room) showGradle(b *box, way bool) {
	if r.w.Gradle == nil {
		return
	}
	if from := filepath.Join(*r.w.Gradle, dists); *r.w.Gradle != "" && exists(from) {
		b.show("--ro-bind", from, GradleSeed)
	}
	script := "first.gradle"
	if !way {
		script = "off.gradle"
	}
	b.show("--ro-bind", filepath.Join(r.dir, "etc", script), GradleScript)
}

func (r *Room) command(b *box) (_ *exec.Cmd, err error) {
	s := spec{Parent: os.Getpid(), Groups: r.group.files(), Stage: b.stage, User: r.user, Program: r.s.bwrap,
		Limits: r.limits(), Nice: r.s.o.Limits.Nice}
	cmd := &exec.Cmd{Path: r.s.o.Helper, Env: []string{}}
	defer func() {
		if err != nil {
			for _, f := range cmd.ExtraFiles {
				f.Close()
			}
		}
	}()
	give := func(content []byte) (fd string, err error) {
		f, err := memoryFile(content)
		if err == nil {
			cmd.ExtraFiles = append(cmd.ExtraFiles, f)
		}
		return strconv.Itoa(2 + len(cmd.ExtraFiles)), err
	}
	if r.s.deny != nil {
		fd, err := give(r.s.deny)
		if err != nil {
			return nil, err
		}
		b.add("--seccomp", fd)
	}
	// Other users of the machine can read the arguments of processes. These have the environment.
	text := strings.Join(b.args, "\x00") + "\x00"
	if strings.Count(text, "\x00") != len(b.args) { // what follows would be an argument
		return nil, errors.New("the environment of a job, or a path, has a NUL character")
	}
	fd, err := give([]byte(text))
	if err != nil {
		return nil, err
	}
	s.Keep = 3 + len(cmd.ExtraFiles) // bwrap reads these to the end, and closes them
	s.Args = []string{"bwrap", "--args", fd, "--", Program, initMarker}
	plan, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	cmd.Args = []string{r.s.o.Helper, marker, string(plan)}
	if r.s.root {
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	}
	r.cmd = cmd
	return cmd, nil
}

// noCore is a limit of core dumps with which the kernel also starts no program that takes them
// (core_pattern with a pipe, see fs/coredump.c). With 0, it starts one as root, outside of the Room.
const noCore = 1

// mostFiles is how many files a process may have open. Tests use much less, and the kernel can take
// long to close very many.
const mostFiles = 4096

// limits are the limits of each process.
func (r *Room) limits() []limit {
	l := r.s.o.Limits
	out := []limit{{unix.RLIMIT_CORE, noCore}, {unix.RLIMIT_FSIZE, uint64(l.Disk)}, {unix.RLIMIT_NOFILE, mostFiles}}
	if r.s.groups.missing() != "" {
		out = append(out, limit{unix.RLIMIT_DATA, uint64(l.Memory)})
		if r.s.root { // the user has no other processes
			out = append(out, limit{unix.RLIMIT_NPROC, uint64(l.Processes)})
		}
	}
	return out
}

// memoryFile holds a few bytes for a child to read.
func memoryFile(b []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("odfix", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("a file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "memory")
	if _, err = f.Write(b); err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
