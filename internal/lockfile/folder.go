package lockfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Folders are temporary folders that hold a lock for as long as somebody uses them, so that those
// which a killed process left are told from the others.
type Folders struct {
	Prefix string // of their names
	Lock   string // the lock's name
	// Try takes a lock; nil: as the function of that name.
	Try func(file string) (io.Closer, error)
	// RemoveAll removes a folder with all that is in it; nil: as os.RemoveAll.
	RemoveAll func(dir string) error
}

// maxFolders is how many are made before it is an error that none of them stays.
const maxFolders = 10

// Make makes a folder among the temporary ones and takes the lock in it. Until the lock is held,
// another process may sweep the folder away, or hold the lock to do so; then another folder is
// made.
func (f Folders) Make() (dir string, lock io.Closer, err error) {
	try := f.Try
	if try == nil {
		try = Try
	}
	for range maxFolders {
		if dir, err = os.MkdirTemp("", f.Prefix); err != nil {
			return "", nil, err
		}
		file := filepath.Join(dir, f.Lock)
		lock, err = try(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", nil, err
		}
		if lock == nil {
			continue
		}
		if _, err := os.Stat(file); err == nil {
			return dir, lock, nil
		}
		_ = lock.Close() // of a file that is not there any more
	}
	return "", nil, fmt.Errorf("%d temporary folders were taken away at once by other processes", maxFolders)
}

// Sweep removes those whose locks are nobody's any more, but for those that are to stay. Keep may
// be nil.
func (f Folders) Sweep(keep func(dir string) bool) {
	locks, _ := filepath.Glob(filepath.Join(os.TempDir(), f.Prefix+"*", f.Lock))
	for _, file := range locks {
		lock, _ := Try(file)
		if lock == nil {
			continue
		}
		if dir := filepath.Dir(file); keep == nil || !keep(dir) {
			f.Remove(dir)
		}
		_ = lock.Close()
	}
}

// Remove takes a folder away under its name at once, so that nobody finds it
// half removed, and locks what is about to go.
func (f Folders) Remove(dir string) {
	swept := dir + "-swept"
	if os.Rename(dir, swept) != nil {
		swept = dir
	}
	if f.RemoveAll == nil {
		f.RemoveAll = os.RemoveAll
	}
	_ = f.RemoveAll(swept)
}
