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

// imageName is the file in a Room's folder that holds its disk, until the disk is mounted.
const imageName = "disk"

// makeDisk gives the Room in dir a file system of its own for what it may write. The file system is
// in a file, of which the whole size is reserved: so a Room cannot take space or inodes from others
// and always has what it was promised. The file loses its name at once. Its space comes back when
// the file system is unmounted, however many files are in it.
func makeDisk(ctx context.Context, dir string, size int64) (err error) {
	image, at := filepath.Join(dir, imageName), filepath.Join(dir, writableName)
	if err := errors.Join(os.Mkdir(at, 0o755), reserve(image, size)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(image)) }()
	ctx, cancel := context.WithTimeout(ctx, diskTime)
	defer cancel()
	// No journal: nobody needs the files after a crash. An inode for each 8 KiB, as builds have
	// many small files, and Maven repositories links.
	if err := tool(ctx, "mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-m", "0", "-i", "8192", "-E", "lazy_itable_init=1,nodiscard", image); err != nil {
		return err
	}
	return tool(ctx, "mount", "-t", "ext4", "-o", "loop,nosuid,nodev,noatime,noinit_itable", image, at)
}

// noCopies is FS_NOCOW_FL (linux/fs.h): btrfs changes such a file in place.
const noCopies = 0x0080_0000

// reserve makes a file of this size, without holes.
func reserve(name string, size int64) error {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, noCopies) // other file systems refuse it
	if err = unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil {
		err = fmt.Errorf("%d MiB of disk for a job (--job-disk): %w", size>>20, err)
	}
	return errors.Join(err, f.Close())
}

func tool(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
	if err := child.Run(cmd); err != nil {
		return fmt.Errorf("%s: %w: %s", name, errors.Join(err, ctx.Err()), strings.TrimSpace(out.String()))
	}
	return nil
}

// unmount removes a Room's disk, if it has one. If a process that was killed keeps it busy, the
// space comes back at the end of that process.
func unmount(at string) {
	for range 20 {
		if err := unix.Unmount(at, 0); !errors.Is(err, unix.EBUSY) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = unix.Unmount(at, unix.MNT_DETACH)
}

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
	if err := makeDisk(ctx, f.path, trial); err != nil {
		why = err.Error()
	}
	return why, f.close()
}

// forget removes the disks of other Rooms from this process's mount namespace, which is a copy of
// odfix'. A copy keeps a disk that was unmounted elsewhere. The Room's own has some of the files used.
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
			if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
				return fmt.Errorf("the disk of another job: %w", err)
			}
		}
	}
	return nil
}

// unescape is for paths in mountinfo, see proc_pid_mountinfo(5).
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
