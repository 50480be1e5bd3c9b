package lockfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Folders are temporary folders. A process holds a lock in each folder that it uses. So a folder
// without a held lock was left by a process that was killed.
type Folders struct {
	Dir    string // where they are; empty: the system's folder for temporary files
	Prefix string // of their names
	Lock   string // the file name of their locks
	// Try takes a lock; nil: the function Try.
	Try func(file string) (io.Closer, error)
	// RemoveAll removes a folder and its content; nil: os.RemoveAll.
	RemoveAll func(dir string) error
}

// maxFolders is the number of attempts to make a folder.
const maxFolders = 10

// Make makes a temporary folder and takes its lock. Before the lock is taken, another process can
// remove the folder, or hold the lock to remove it. Then Make makes another folder.
func (f Folders) Make() (dir string, lock io.Closer, err error) {
	try := f.Try
	if try == nil {
		try = Try
	}
	for range maxFolders {
		if dir, err = os.MkdirTemp(f.Dir, f.Prefix); err != nil {
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
		_ = lock.Close() // the file was removed
	}
	return "", nil, fmt.Errorf("other processes removed %d new temporary folders at once", maxFolders)
}

// Sweep removes the folders whose locks no process holds, except those that keep accepts. keep can
// be nil.
func (f Folders) Sweep(keep func(dir string) bool) {
	locks, _ := filepath.Glob(filepath.Join(cmp.Or(f.Dir, os.TempDir()), f.Prefix+"*", f.Lock))
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

// Remove renames the folder before it removes it. So no process finds a half removed folder and
// takes its lock.
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
