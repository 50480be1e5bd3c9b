package isolate

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/odfix/odfix/internal/lockfile"
)

// folder is one of ours that goes with the process that made it: what is left
// behind by one that was killed, sweep removes.
type folder struct {
	path string
	lock io.Closer
}

const (
	folderPrefix = "odfix-room-"
	lockName     = "lock"
)

// newFolder makes a locked folder in a parent. It gets its name when it is locked.
func newFolder(parent string) (*folder, error) {
	dir, err := os.MkdirTemp(parent, "odfix-new-")
	if err != nil {
		return nil, err
	}
	f := &folder{}
	f.lock, err = lockfile.Try(filepath.Join(dir, lockName))
	if err == nil && f.lock == nil {
		err = errors.New(dir + " is somebody else's")
	}
	f.path = filepath.Join(parent, folderPrefix+filepath.Base(dir)[len("odfix-new-"):])
	if err == nil {
		err = os.Rename(dir, f.path)
	}
	if err != nil {
		if f.lock != nil {
			err = errors.Join(err, f.lock.Close())
		}
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return f, nil
}

func (f *folder) close() error {
	if f == nil {
		return nil
	}
	return errors.Join(removeAll(f.path), f.lock.Close())
}

// sweep removes the folders in parent whose process is gone.
func sweep(parent string) {
	all, _ := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	for _, dir := range all {
		if !exists(filepath.Join(dir, lockName)) {
			continue // none of ours, or on its way out
		}
		if lock, _ := lockfile.Try(filepath.Join(dir, lockName)); lock != nil {
			_ = removeAll(dir)
			_ = lock.Close()
		}
	}
}

// memory is a file system in memory, on which thousands of links are made in
// no time; shmFree is what must be free there for what a build downloads.
const (
	memory  = "/dev/shm"
	shmFree = 1 << 30
)

// forRepository is where Maven repositories of Rooms are made: in memory where
// there is space, which counts as their jobs' memory; else with the rest.
func forRepository(otherwise string) string {
	if n, ok := free(memory); ok && n >= shmFree {
		return memory
	}
	return otherwise
}
