//go:build linux

package isolate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/odfix/odfix/internal/child"
)

// attackEnv makes the test program an attacker in a Room: one of attacks.
const attackEnv = "ODFIX_ISOLATE_ATTACK"

var attacks = map[string]func(){"sockets": trySockets, "calls": tryCalls, "new": tryNew, "beRunner": beRunner, "peek": peek, "read": readCaches}

func TestMain(m *testing.M) {
	Main()
	if attack, ok := attacks[os.Getenv(attackEnv)]; ok {
		attack()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// openSandbox opens one. It skips only where bwrap is installed and this machine refuses it.
func openSandbox(t *testing.T, l Limits) *Sandbox {
	t.Helper()
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Fatal("bubblewrap is not installed; .ci/bubblewrap installs it")
	}
	exe, err := os.Executable()
	must(t, err)
	if l.Disk == 0 {
		l.Disk = 256 << 20 // reserved for each Room
	}
	s, err := Open(t.Context(), Options{Helper: exe, Dir: t.TempDir(), Limits: l})
	if errors.Is(err, ErrNot) {
		if out, plain := exec.Command("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true").CombinedOutput(); plain != nil {
			t.Skipf("this machine refuses what the sandbox needs: %v; %s", err, out)
		}
	}
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// attack runs one of attacks in a Room and returns its output.
func attack(t *testing.T, name string) string {
	t.Helper()
	return attackIn(t, name, Want{})
}

func attackIn(t *testing.T, name string, w Want) string {
	t.Helper()
	out, _, err := runAttack(t, openSandbox(t, Limits{}), name, w)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return out
}

// attacker is the environment of an attack. With the race detector a process would sleep a second
// before it ends.
func attacker(name string) []string {
	return []string{attackEnv + "=" + name, "GORACE=atexit_sleep_ms=0"}
}

// runAttack also returns whether the Room ran out of memory, and the error of the program.
func runAttack(t *testing.T, s *Sandbox, name string, w Want) (text string, full bool, err error) {
	t.Helper()
	w.Env = append(w.Env, attacker(name)...)
	r, err := s.Room(t.Context(), w)
	must(t, err)
	defer func() { must(t, r.Close()) }()
	cmd, err := r.Command(s.o.Helper, "")
	must(t, err)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	must(t, child.Start(cmd))
	err = cmd.Wait()
	return out.String(), r.Full(), err
}

func trySockets() {
	for _, s := range [][3]int{
		{unix.AF_UNIX, unix.SOCK_STREAM, 0}, {unix.AF_INET, unix.SOCK_STREAM, 0}, {unix.AF_INET6, unix.SOCK_DGRAM, 0},
		{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, {unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER},
		{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT},
		{unix.AF_VSOCK, unix.SOCK_STREAM, 0}, {unix.AF_ALG, unix.SOCK_SEQPACKET, 0}, {unix.AF_BLUETOOTH, unix.SOCK_RAW, 0},
	} {
		fd, err := unix.Socket(s[0], s[1], s[2])
		fmt.Printf("%d/%d %v\n", s[0], s[2], err)
		if err == nil {
			_ = unix.Close(fd)
		}
	}
	_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	fmt.Println("pair", err)
}

// TestAttackSocketFamilies: a virtual machine's sockets and others that bypass the network
// namespace, or that are rarely tested parts of the kernel, do not open.
func TestAttackSocketFamilies(t *testing.T) {
	const none = "address family not supported by protocol"
	want := strings.Join([]string{"1/0 <nil>", "2/0 <nil>", "10/0 <nil>", "16/0 <nil>", "16/12 " + none, "16/15 " + none,
		"40/0 " + none, "38/0 " + none, "31/0 " + none, "pair <nil>", ""}, "\n")
	if got := attack(t, "sockets"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// forbidden are calls by which a process reaches another one, or parts of the kernel that builds do
// not need.
var forbidden = map[string]uintptr{
	"ptrace": unix.SYS_PTRACE, "pidfd_getfd": unix.SYS_PIDFD_GETFD, "kcmp": unix.SYS_KCMP,
	"process_vm_readv": unix.SYS_PROCESS_VM_READV, "process_vm_writev": unix.SYS_PROCESS_VM_WRITEV,
	"process_madvise": unix.SYS_PROCESS_MADVISE, "process_mrelease": unix.SYS_PROCESS_MRELEASE,
	"move_pages": unix.SYS_MOVE_PAGES, "migrate_pages": unix.SYS_MIGRATE_PAGES,
	"add_key": unix.SYS_ADD_KEY, "request_key": unix.SYS_REQUEST_KEY, "keyctl": unix.SYS_KEYCTL,
	"bpf": unix.SYS_BPF, "userfaultfd": unix.SYS_USERFAULTFD, "perf_event_open": unix.SYS_PERF_EVENT_OPEN,
	"io_uring_setup": unix.SYS_IO_URING_SETUP, "io_uring_enter": unix.SYS_IO_URING_ENTER, "io_uring_register": unix.SYS_IO_URING_REGISTER,
}

// tryCalls makes each call with arguments that the kernel's own code refuses with another error.
func tryCalls() {
	const wrong = ^uintptr(0)
	for name, number := range forbidden {
		if _, _, e := unix.RawSyscall6(number, wrong, wrong, wrong, wrong, wrong, wrong); e != unix.EPERM {
			fmt.Println(name, e)
		}
	}
}

// tryNew tries what this filter has not heard of, and what btrfs offers to everybody.
func tryNew() {
	_, _, e := unix.RawSyscall(newest+1, 0, 0, 0)
	fmt.Println("newer:", e)
	for _, request := range []uintptr{0x5000_9401, 0x5000_940e, 0x5000_9417, 0x5000_9418, unix.FICLONE, unix.TCGETS} {
		_, _, e := unix.Syscall(unix.SYS_IOCTL, 99, request, 0)
		fmt.Printf("ioctl %x: %v\n", request, e)
	}
}

// TestAttackNewCalls: what later kernels add is not there, and no job makes a subvolume of btrfs,
// which odfix could not remove.
func TestAttackNewCalls(t *testing.T) {
	const want = `newer: function not implemented
ioctl 50009401: operation not permitted
ioctl 5000940e: operation not permitted
ioctl 50009417: operation not permitted
ioctl 50009418: operation not permitted
ioctl 40049409: bad file descriptor
ioctl 5401: bad file descriptor
`
	if got := attack(t, "new"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestAttackOtherProcesses: tests run beside the runner as the same user. No call leads from them
// into the runner's memory or files.
func TestAttackOtherProcesses(t *testing.T) {
	if got := attack(t, "calls"); got != "" {
		t.Errorf("these calls reach the kernel:\n%s", got)
	}
}

// beRunner hides, as the runner does, and starts an attacker beside it.
func beRunner() {
	if err := Hide(); err != nil {
		fmt.Println(err)
	}
	cmd := exec.Command(Program)
	cmd.Env = []string{attackEnv + "=peek"}
	out, err := cmd.CombinedOutput()
	fmt.Printf("%s%v\n", out, err)
}

// peek tries to open the memory and the output of all other processes.
func peek() {
	all, _ := filepath.Glob("/proc/[0-9]*")
	fmt.Println(len(all) > 1)
	for _, p := range all {
		if filepath.Base(p) == fmt.Sprint(os.Getpid()) {
			continue
		}
		for _, file := range []string{"mem", "fd/0", "fd/1", "fd/2"} {
			if f, err := os.OpenFile(filepath.Join(p, file), os.O_WRONLY, 0); err == nil {
				fmt.Println(filepath.Join(p, file))
				f.Close()
			}
		}
	}
}

// TestAttackRunnersFiles: a test that writes into the runner's output, or memory, forges the
// result of a job.
func TestAttackRunnersFiles(t *testing.T) {
	if got := attack(t, "beRunner"); got != "true\n<nil>\n" {
		t.Errorf("a test opens files of other processes:\n%s", got)
	}
}

// readCaches prints the content of all artifacts that a job can find, and changes them if it can.
func readCaches() {
	for _, dir := range []string{Repository, Seed, PrivateSeed, "/odfix", Home, os.Getenv("ATTACKED")} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".jar" {
				text, _ := os.ReadFile(path)
				fmt.Printf("%s ", text)
				_ = os.WriteFile(path, []byte("changed"), 0o600)
			}
			return nil
		})
	}
}

// TestAttackOtherInstallation: artifacts of another installation are not in a job's sandbox. Those
// of its own precede the public ones, and stay as they are.
func TestAttackOtherInstallation(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o755))
	for name, text := range map[string]string{"public/a": "public-a", "public/b": "public-b", "1/a": "mine", "2/a": "others"} {
		of, artifact, _ := strings.Cut(name, "/")
		file := filepath.Join(dir, of, "repository", artifact+".jar")
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(text), 0o644))
	}
	got := attackIn(t, "read", Want{Maven: filepath.Join(dir, "public"), Private: filepath.Join(dir, "1"), Own: true,
		Env: []string{"ATTACKED=" + dir}})
	if !strings.HasPrefix(got, "mine public-b ") || strings.Contains(got, "others") {
		t.Errorf("read: %s", got)
	}
	if text := read(t, filepath.Join(dir, "1", "repository", "a.jar")); text != "mine" {
		t.Errorf("changed to %q", text)
	}
}

// TestAttackArguments: other users of the machine can read the arguments of all processes. A job's
// environment is not there.
func TestAttackArguments(t *testing.T) {
	r, err := openSandbox(t, Limits{}).Room(t.Context(), Want{Env: []string{"PASSWORD=a-secret"}})
	must(t, err)
	defer func() { must(t, r.Close()) }()
	cmd, err := r.Command(r.s.o.Helper, "")
	must(t, err)
	if all := strings.Join(cmd.Args, " "); strings.Contains(all, "a-secret") || !strings.Contains(all, "bwrap") {
		t.Errorf("the arguments are %s", all)
	}
	for _, f := range cmd.ExtraFiles {
		must(t, f.Close())
	}
}

// TestAttackArgumentsInValues: a value of the environment is never an argument for bwrap.
func TestAttackArgumentsInValues(t *testing.T) {
	for _, value := range []string{"A=b\x00--bind\x00/\x00/host", "A=b\x00"} {
		r, err := openSandbox(t, Limits{}).Room(t.Context(), Want{Env: []string{value}})
		must(t, err)
		if _, err := r.Command(r.s.o.Helper, ""); err == nil || !strings.Contains(err.Error(), "NUL") {
			t.Errorf("%q: %v", value, err)
		}
		must(t, r.Close())
	}
}
