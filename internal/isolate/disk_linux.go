package isolate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/odfix/odfix/internal/child"
)

// diskTime bounds each command that makes or mounts a Room's disk.
const diskTime = time.Minute

// disk is the file system of Rooms, one after the other. It is on a loop device of a file without a
// name, of which the whole size is reserved: so a Room cannot take space or inodes from others, and
// always has what it was promised. The file is kept for the next Room, since removing one that a
// Room has written in pieces can take minutes. It goes when nobody uses the device or its file
// system any more. If this process is killed, that is when the next one has unmounted it.
type disk struct {
	device, file *os.File
	size         int64
}

// newDisk makes a disk of this size in bytes. The file is in dir.
func newDisk(dir string, size int64) (*disk, error) {
	f, err := reserve(dir, size)
	if err != nil {
		return nil, err
	}
	device, err := attach(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("a loop device: %w", err), f.Close())
	}
	// The kernel would give space back that it was told is unused, as fstrim does.
	_ = put(filepath.Join("/sys/block", filepath.Base(device.Name()), "queue", "discard_max_bytes"), "0")
	return &disk{device, f, size}, nil
}

// attach makes a file a loop device.
func attach(f *os.File) (*os.File, error) {
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	for range 100 { // others may take the free device first
		var n int
		if n, err = unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE); err != nil {
			break
		}
		var device *os.File
		if device, err = os.OpenFile(fmt.Sprintf("/dev/loop%d", n), os.O_RDWR, 0); err != nil {
			break
		}
		c := unix.LoopConfig{Fd: uint32(f.Fd())}
		c.Info.Flags = unix.LO_FLAGS_AUTOCLEAR
		if err = unix.IoctlLoopConfigure(int(device.Fd()), &c); err == nil {
			return device, nil
		}
		_ = device.Close()
		if !errors.Is(err, unix.EBUSY) {
			break
		}
	}
	return nil, err
}

// mount makes a new file system and mounts it.
func (d *disk) mount(ctx context.Context, at string) error {
	ctx, cancel := context.WithTimeout(ctx, diskTime)
	defer cancel()
	name := d.device.Name()
	if err := unix.Fallocate(int(d.file.Fd()), 0, 0, d.size); err != nil { // what was given back all the same
		return err
	}
	// No journal: nobody needs the files after a crash. An inode for each 8 KiB, as builds have
	// many small files, and Maven repositories links.
	if err := tool(ctx, "mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-m", "0", "-i", "8192",
		"-E", "lazy_itable_init=1,nodiscard", name); err != nil {
		return err
	}
	if err := os.Mkdir(at, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(name, at, "ext4", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOATIME, "noinit_itable"); err != nil {
		return fmt.Errorf("mounting %s: %w", name, err)
	}
	return nil
}

func (d *disk) close() error { return errors.Join(d.device.Close(), d.file.Close()) }

// noCopies is FS_NOCOW_FL (linux/fs.h): btrfs changes such a file in place.
const noCopies = 0x0080_0000

// reserve makes a file of this size without holes, and removes its name.
func reserve(dir string, size int64) (*os.File, error) {
	f, err := os.CreateTemp(dir, "odfix-disk-")
	if err != nil {
		return nil, err
	}
	_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, noCopies) // other file systems refuse it
	if err = unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil {
		err = fmt.Errorf("%d MiB of disk for a job (--job-disk): %w", size>>20, err)
	}
	if err = errors.Join(err, os.Remove(f.Name())); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// tool runs a program of the system. Its error has what the program said.
func tool(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
	if err := child.Run(cmd); err != nil {
		return fmt.Errorf("%s: %w: %s", name, errors.Join(err, ctx.Err()), strings.TrimSpace(out.String()))
	}
	return nil
}

// busy reports whether a file system of the disk is still mounted in some namespace, or kept by an
// open file.
func (d *disk) busy() bool {
	f, err := os.OpenFile(d.device.Name(), os.O_RDONLY|unix.O_EXCL, 0)
	if err != nil {
		return true
	}
	_ = f.Close()
	return false
}

// collectSockets has the kernel look for UNIX sockets that were only sent to each other, and free the
// files that were sent with them. It does so when a socket is closed.
func collectSockets() {
	if fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err == nil {
		_, _ = unix.Close(fds[0]), unix.Close(fds[1])
	}
}

// unmount unmounts a Room's disk, if it has one. Programs of the Room have it mounted elsewhere, so it
// can stay in use.
func unmount(at string) { _ = unix.Unmount(at, unix.UMOUNT_NOFOLLOW|unix.MNT_DETACH) }

// trial is the size of a disk that shows whether Rooms can have one.
const trial = 64 << 20

// whyShared is the reason why Rooms write to the file system of Options.Dir, where their use is
// measured; empty: each has a disk of its own.
func (s *Sandbox) whyShared(ctx context.Context) (why string, err error) {
	if !s.root {
		return "odfix is not root", nil
	}
	var st unix.Statfs_t
	if err := unix.Statfs(s.o.Dir, &st); err != nil {
		return "", err
	}
	if st.Type == unix.TMPFS_MAGIC {
		return s.o.Dir + " is in memory", nil
	}
	f, err := newFolder(s.o.Dir)
	if err != nil {
		return "", err
	}
	d, err := newDisk(f.path, trial)
	if err == nil {
		err = errors.Join(d.mount(ctx, filepath.Join(f.path, writableName)), d.close())
	}
	if errors.Is(err, unix.ENOSPC) || ctx.Err() != nil {
		return "", errors.Join(err, f.close())
	}
	if err != nil {
		why = err.Error()
	}
	return why, f.close()
}

// forget removes the disks of other Rooms from this process's mount namespace, which is a copy of
// odfix'. A copy keeps a disk that was unmounted elsewhere. The disk that holds some of the used
// paths is the Room's own.
func forget(used []string) error {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		field := strings.Fields(line)
		if len(field) < 5 {
			continue
		}
		at := unescape.Replace(field[4])
		own := slices.ContainsFunc(used, func(path string) bool { return strings.HasPrefix(path, at+"/") })
		if !own && filepath.Base(at) == writableName && strings.HasPrefix(filepath.Base(filepath.Dir(at)), folderPrefix) {
			err := unix.Unmount(at, unix.UMOUNT_NOFOLLOW|unix.MNT_DETACH)
			if err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EINVAL) { // its job has ended meanwhile
				return fmt.Errorf("the disk of another job: %w", err)
			}
		}
	}
	return nil
}

// unescape is for paths in mountinfo, see proc_pid_mountinfo(5).
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
