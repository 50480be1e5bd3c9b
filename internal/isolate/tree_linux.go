package isolate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// deepest is the number of folders in each other from which on odfix does not measure a tree. Each
// costs a descriptor.
const deepest = 256

// perFile is added for each file: a disk can run out of files, too.
const perFile = 4 << 10

// errLarge ends a measurement early.
var errLarge = errors.New("too large")

// scale measures a tree that hostile programs change meanwhile. It opens each folder from the one
// around it, so that no path is too long, and follows no link.
type scale struct {
	most int64 // bytes, above which the exact number does not matter
	used int64
	// shut are folders without permissions, by inode: of the last measurement and of this one.
	// Tests make such folders and expect them to stay shut for a moment.
	shut, still map[uint64]bool
}

// measure returns the disk space of trees, in bytes. Files that move meanwhile may be missed. It can
// take long, and ends soon after ctx.
func (s *scale) measure(ctx context.Context, dirs ...string) (int64, error) {
	s.used, s.still = 0, map[uint64]bool{}
	for _, dir := range dirs {
		if err := s.folder(ctx, unix.AT_FDCWD, dir, 0); errors.Is(err, errLarge) {
			break
		} else if err != nil {
			return s.used, err
		}
	}
	s.shut = s.still
	return s.used, nil
}

func (s *scale) folder(ctx context.Context, parent int, name string, depth int) error {
	if depth > deepest {
		return fmt.Errorf("more than %d folders are in each other", deepest)
	}
	fd, err := searchFolder(parent, name)
	if errors.Is(err, unix.EACCES) {
		fd, err = s.openShut(parent, name)
	}
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP), errors.Is(err, unix.EACCES):
		return nil // it is gone, or something else, or shut since a moment
	case err != nil:
		return fmt.Errorf("a folder cannot be measured: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	for {
		names, err := f.Readdirnames(1024)
		for _, n := range names {
			if err := s.entry(ctx, fd, n, depth); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

func (s *scale) entry(ctx context.Context, parent int, name string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var st unix.Stat_t
	if unix.Fstatat(parent, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return nil
	}
	s.used += perFile + st.Blocks*512 // the unit of stat(2), whatever the file system's
	if s.used > s.most {
		return errLarge
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return s.folder(ctx, parent, name, depth+1)
	}
	return nil
}

// openShut opens a folder without permissions if it was shut at the last measurement, too: it may
// hide files.
func (s *scale) openShut(parent int, name string) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(parent, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return -1, err
	}
	s.still[st.Ino] = true
	if !s.shut[st.Ino] {
		return -1, unix.EACCES
	}
	permit(parent, name)
	return searchFolder(parent, name)
}

// searchFolder opens a folder if its files can be measured.
func searchFolder(parent int, name string) (int, error) {
	fd, err := openFolder(parent, name)
	if err != nil {
		return fd, err
	}
	var st unix.Stat_t
	if err := unix.Fstatat(fd, ".", &st, 0); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// ownedByMe reports whether a folder, not a link to one, belongs to this user.
func ownedByMe(dir string) bool {
	var st unix.Stat_t
	return unix.Lstat(dir, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR && st.Uid == uint32(os.Geteuid())
}

func openFolder(parent int, name string) (int, error) {
	return unix.Openat(parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

// permit gives the user of odfix all permissions for a folder. It follows no link.
func permit(parent int, name string) {
	fd, err := unix.Openat(parent, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_ = unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), 0o700)
	_ = unix.Close(fd)
}

// free is what an unprivileged user may still write, in bytes. A file system can also have too few
// inodes for that, if they are for small files.
func free(dir string) (int64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return room(&st), true
}

func room(st *unix.Statfs_t) int64 {
	n := int64(st.Bavail) * int64(st.Bsize)
	if st.Files > 0 { // 0: it makes inodes as it needs them, as btrfs does
		n = min(n, int64(st.Ffree)*perFile)
	}
	return n
}

// removeTree removes a folder of any depth, and last the file in it that is called last. It moves
// folders to the top before it empties them, so it needs two descriptors and short names only. It
// follows no link.
func removeTree(dir, last string) error {
	fd, err := openFolder(unix.AT_FDCWD, dir)
	if errors.Is(err, unix.EACCES) {
		permit(unix.AT_FDCWD, dir)
		fd, err = openFolder(unix.AT_FDCWD, dir)
	}
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "remove", Path: dir, Err: err}
	}
	top := &remover{top: fd, f: os.NewFile(uintptr(fd), dir)}
	defer top.f.Close()
	if err := top.empty(last); err != nil {
		return &os.PathError{Op: "remove", Path: dir, Err: err}
	}
	if last != "" {
		_ = os.Remove(filepath.Join(dir, last))
	}
	return os.Remove(dir)
}

type remover struct {
	top   int // the folder
	f     *os.File
	moved int // folders that were moved to the top
}

// empty removes all but one file. It reads the folder again until there is nothing else.
func (r *remover) empty(but string) error {
	_ = r.f.Chmod(0o700)
	for {
		var failed error
		removed, err := r.pass(r.f, func(name string) error {
			if name == but {
				return errKept
			}
			return r.remove(name)
		}, &failed)
		if err != nil {
			return err
		}
		if removed == 0 {
			return failed
		}
	}
}

// errKept is no failure: the file stays.
var errKept = errors.New("kept")

// pass calls remove for each entry of a folder. failed is one of the errors.
func (r *remover) pass(f *os.File, remove func(name string) error, failed *error) (removed int, err error) {
	if _, err := f.Seek(0, 0); err != nil {
		return 0, err
	}
	for {
		names, err := f.Readdirnames(1024)
		for _, name := range names {
			switch err := remove(name); {
			case err == nil:
				removed++
			case !errors.Is(err, errKept):
				*failed = err
			}
		}
		if err != nil {
			return removed, nil // io.EOF, or there is no folder any more
		}
	}
}

// remove removes an entry of the top folder.
func (r *remover) remove(name string) error {
	if err := unlink(r.top, name); !isFolder(err) {
		return err
	}
	fd, err := openFolder(r.top, name)
	if errors.Is(err, unix.EACCES) {
		permit(r.top, name)
		fd, err = openFolder(r.top, name)
	}
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	_ = f.Chmod(0o700)
	for {
		var failed error
		removed, err := r.pass(f, func(entry string) error {
			if err := unlink(fd, entry); !isFolder(err) {
				return err
			}
			return r.move(fd, entry)
		}, &failed)
		if err != nil || failed != nil {
			return errors.Join(err, failed)
		}
		if removed == 0 {
			return unix.Unlinkat(r.top, name, unix.AT_REMOVEDIR)
		}
	}
}

// move moves a folder to the top, under a new name.
func (r *remover) move(from int, name string) error {
	for {
		r.moved++
		to := fmt.Sprintf("odfix-removed-%d", r.moved)
		err := unix.Renameat2(from, name, r.top, to, unix.RENAME_NOREPLACE)
		if errors.Is(err, unix.EACCES) { // the folder's own permissions count, too
			permit(from, name)
			err = unix.Renameat2(from, name, r.top, to, unix.RENAME_NOREPLACE)
		}
		if !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
}

func unlink(parent int, name string) error {
	err := unix.Unlinkat(parent, name, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

// isFolder reports whether unlink failed since it met a folder. Some file systems say EPERM.
func isFolder(err error) bool { return errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) }
