//go:build linux

package isolate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// deepFolder makes folders in each other and a file in the innermost. Their path is longer than the
// kernel takes.
func deepFolder(t *testing.T, dir string, depth int, name string, size int) {
	t.Helper()
	at, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	must(t, err)
	for range depth {
		must(t, unix.Mkdirat(at, name, 0o755))
		next, err := unix.Openat(at, name, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		must(t, err)
		must(t, unix.Close(at))
		at = next
	}
	fd, err := unix.Openat(at, "file", unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	must(t, err)
	_, err = unix.Write(fd, make([]byte, size))
	must(t, err)
	must(t, unix.Close(fd))
	must(t, unix.Close(at))
}

// TestAttackDeepFiles: files whose path is too long for the kernel count, and folders that are too
// deep to be measured end the job.
func TestAttackDeepFiles(t *testing.T) {
	dir := t.TempDir()
	t.Cleanup(func() { must(t, removeAll(dir)) })
	deepFolder(t, dir, 40, strings.Repeat("x", 200), 4<<20)
	s := &scale{most: 1 << 40}
	if used, err := s.measure(t.Context(), dir); used < 4<<20 || err != nil {
		t.Errorf("%d bytes, %v", used, err)
	}
	s.most = 2 << 20
	if used, err := s.measure(t.Context(), dir); used < 2<<20 || err != nil {
		t.Errorf("above the limit: %d bytes, %v", used, err)
	}
	deepFolder(t, dir, deepest+1, "d", 1)
	s.most = 1 << 40
	if _, err := s.measure(t.Context(), dir); err == nil {
		t.Error("a folder that is too deep was left out")
	}
}

// TestAttackShutFolders: a folder without permissions hides its files for one measurement, since
// tests make such folders, and not longer.
func TestAttackShutFolders(t *testing.T) {
	for _, mode := range []os.FileMode{0, 0o400, 0o300} {
		dir := t.TempDir()
		shut := filepath.Join(dir, "shut")
		must(t, os.Mkdir(shut, 0o755))
		must(t, os.WriteFile(filepath.Join(shut, "file"), make([]byte, 4<<20), 0o600))
		must(t, os.Chmod(shut, mode))
		t.Cleanup(func() { must(t, os.Chmod(shut, 0o700)) })
		s := &scale{most: 1 << 40}
		_, err := s.measure(t.Context(), dir)
		must(t, err)
		if info, err := os.Stat(shut); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%o: changed at once: %v %v", mode, info, err)
		}
		if used, err := s.measure(t.Context(), dir); used < 4<<20 || err != nil {
			t.Errorf("%o: %d bytes, %v", mode, used, err)
		}
	}
}

// lookToTheEnd looks, and again when the measurement that this may have begun has ended.
func lookToTheEnd(t *testing.T, w *watch, now time.Time) error {
	t.Helper()
	if err := w.look(t.Context(), now); err != nil || w.measuring == nil {
		return err
	}
	w.measuring <- <-w.measuring
	return w.look(t.Context(), now)
}

// TestAttackSharedDisk: where jobs share a disk, one with too many files ends, and all end before the
// disk is full.
func TestAttackSharedDisk(t *testing.T) {
	left := int64(floor)
	s := &Sandbox{o: Options{Limits: Limits{Disk: 10 << 20}}, shared: "a test", free: func(string) (int64, bool) { return left, true }}
	r := &Room{s: s, dir: t.TempDir()}
	must(t, os.MkdirAll(r.Work(), 0o755))
	w, now := newWatch(r), time.Now()
	must(t, lookToTheEnd(t, w, now))
	must(t, os.WriteFile(filepath.Join(r.Work(), "file"), make([]byte, 20<<20), 0o600))
	if err := lookToTheEnd(t, w, now.Add(time.Hour)); err == nil || errors.Is(err, ErrMachine) {
		t.Errorf("20 MiB where 10 are allowed: %v", err)
	}
	left--
	if err := w.look(t.Context(), now.Add(2*time.Hour)); !errors.Is(err, ErrMachine) {
		t.Errorf("a full disk: %v", err)
	}
}

// TestAttackInodes: a disk without inodes is full, however much space it has. Some file systems make
// inodes as they need them.
func TestAttackInodes(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		st   unix.Statfs_t
		full bool
	}{
		"no inodes":            {unix.Statfs_t{Bsize: 4096, Bavail: gib, Files: 1 << 20}, true},
		"few":                  {unix.Statfs_t{Bsize: 4096, Bavail: gib, Files: 1 << 20, Ffree: 100_000}, true},
		"many":                 {unix.Statfs_t{Bsize: 4096, Bavail: gib, Files: 1 << 20, Ffree: 1 << 20}, false},
		"inodes without limit": {unix.Statfs_t{Bsize: 4096, Bavail: gib}, false},
		"no space":             {unix.Statfs_t{Bsize: 4096, Bavail: 10, Files: 1 << 20, Ffree: 1 << 20}, true},
	} {
		if got := room(&c.st) < floor; got != c.full {
			t.Errorf("%s: %d bytes", name, room(&c.st))
		}
	}
}

// fewFiles lets this process open few files for the rest of a test.
func fewFiles(t *testing.T, n uint64) {
	t.Helper()
	var was unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &was))
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: was.Max}))
	t.Cleanup(func() { must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &was)) })
}

// TestAttackFoldersThatStay: a killed odfix left rooms with very deep and with shut folders, also
// without a lock. The next one removes them, with few descriptors.
func TestAttackFoldersThatStay(t *testing.T) {
	fewFiles(t, 64)
	parent := t.TempDir()
	outside := filepath.Join(t.TempDir(), "kept")
	must(t, os.WriteFile(outside, nil, 0o600))
	for n, lock := range []bool{true, false} {
		room := filepath.Join(parent, folderPrefix+fmt.Sprint(n))
		work := filepath.Join(room, writableName, "work")
		must(t, os.MkdirAll(work, 0o755))
		if lock {
			must(t, os.WriteFile(filepath.Join(room, lockName), nil, 0o600))
		}
		must(t, os.Symlink(filepath.Dir(outside), filepath.Join(work, "link")))
		must(t, os.MkdirAll(filepath.Join(work, "odfix-removed-2", "odfix-removed-3"), 0o755))
		deepFolder(t, work, 300, "long-folder-name", 10)
		must(t, os.Chmod(filepath.Join(work, "long-folder-name", "long-folder-name"), 0))
		must(t, os.Chmod(work, 0o500))
	}
	must(t, os.Mkdir(filepath.Join(parent, folderPrefix+"foreign"), 0o755))
	theirs := filepath.Join(parent, folderPrefix+"theirs") // a folder of another user, or a link to one
	must(t, os.MkdirAll(filepath.Join(theirs, writableName), 0o755))
	if os.Geteuid() == 0 {
		must(t, os.Chown(theirs, 65534, 65534))
		must(t, os.Symlink(theirs, filepath.Join(parent, folderPrefix+"link")))
		defer func() {
			if !exists(theirs) {
				t.Error("another user's folder was removed")
			}
			must(t, os.RemoveAll(theirs))
			must(t, os.Remove(filepath.Join(parent, folderPrefix+"link")))
		}()
	} else {
		must(t, os.RemoveAll(theirs))
	}
	must(t, os.WriteFile(filepath.Join(parent, folderPrefix+"foreign", "file"), nil, 0o600))
	sweep(parent)
	left, _ := filepath.Glob(filepath.Join(parent, "*"))
	left = slices.DeleteFunc(left, func(f string) bool { return strings.HasSuffix(f, "theirs") || strings.HasSuffix(f, "link") })
	if len(left) != 1 || !exists(outside) {
		t.Errorf("left: %v", left)
	}
}
