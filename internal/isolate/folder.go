package isolate

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/odfix/odfix/internal/lockfile"
)

// folder is a folder of one process. If the process is killed, sweep removes the folder.
type folder struct {
	path string
	lock io.Closer
}

const (
	folderPrefix = "odfix-room-"
	lockName     = "lock"
	writableName = "rw" // the folder in it that a Room may write
)

// newFolder creates a locked folder in a parent. The folder gets its name when it is locked.
func newFolder(parent string) (*folder, error) {
	parent = cmp.Or(parent, os.TempDir())
	dir, err := os.MkdirTemp(parent, "odfix-new-")
	if err != nil {
		return nil, err
	}
	f := &folder{}
	f.lock, err = lockfile.Try(filepath.Join(dir, lockName))
	if err == nil && f.lock == nil {
		err = errors.New(dir + " belongs to another user")
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
	return errors.Join(removeAll(f.path), f.lock.Close())
}

// sweep removes the folders in parent whose process has ended, also those that an earlier release
// could not remove and left without a lock.
func sweep(parent string) {
	all, _ := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	for _, dir := range all {
		file := filepath.Join(dir, lockName)
		if !exists(file) && !exists(filepath.Join(dir, writableName)) {
			continue // not such a folder, or almost removed
		}
		if !ownedByMe(dir) {
			continue
		}
		if lock, _ := lockfile.Try(file); lock != nil {
			_ = removeAll(dir)
			_ = lock.Close()
		}
	}
}
