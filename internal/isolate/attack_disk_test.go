//go:build linux

package isolate

import (
	"fmt"
	"os"
	"path/filepath"
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
	if used, err := s.measure(dir); used < 4<<20 || err != nil {
		t.Errorf("%d bytes, %v", used, err)
	}
	s.most = 2 << 20
	if used, err := s.measure(dir); used < 2<<20 || err != nil {
		t.Errorf("above the limit: %d bytes, %v", used, err)
	}
	deepFolder(t, dir, deepest+1, "d", 1)
	s.most = 1 << 40
	if _, err := s.measure(dir); err == nil {
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
		_, err := s.measure(dir)
		must(t, err)
		if info, err := os.Stat(shut); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%o: changed at once: %v %v", mode, info, err)
		}
		if used, err := s.measure(dir); used < 4<<20 || err != nil {
			t.Errorf("%o: %d bytes, %v", mode, used, err)
		}
	}
}

// TestAttackBetweenMeasurements: large folders are measured less often, but at once if the disk has
// lost as much as the job may still use.
func TestAttackBetweenMeasurements(t *testing.T) {
	left := int64(floor + 100<<20)
	d := fakeDisk(&left)
	r := fakeRoom(t, d, 0)
	w, now := watch{room: r}, time.Now()
	must(t, w.look(now))
	w.next = now.Add(1e15) // as after a slow measurement
	now = now.Add(time.Hour)
	fill(t, r, 20<<20)
	left -= 5 << 20
	if err := w.look(now); err != nil {
		t.Errorf("measured too early: %v", err)
	}
	left -= 15 << 20
	if err := w.look(now); err == nil {
		t.Error("20 MiB where 10 are allowed")
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
	must(t, os.WriteFile(filepath.Join(parent, folderPrefix+"foreign", "file"), nil, 0o600))
	sweep(parent)
	if left, _ := filepath.Glob(filepath.Join(parent, "*")); len(left) != 1 || !exists(outside) {
		t.Errorf("left: %v", left)
	}
}
