// Package lockfile keeps processes of one machine from using the same files. A lock is a file. The
// system frees it when its process ends in any way, so a crash leaves nothing to clean up. The time
// of the file is the time when the lock was last taken.
package lockfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Try takes the lock without waiting. The lock is nil, without an error, if another process has it.
func Try(file string) (io.Closer, error) {
	lock, err := try(file)
	if lock == nil {
		return nil, err // not a *flock.Flock that is nil
	}
	return lock, nil
}

func try(file string) (*flock.Flock, error) {
	lock := flock.New(file, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	if taken, err := lock.TryLock(); err != nil || !taken {
		return nil, err
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // only the age of an unused folder depends on it
	return lock, nil
}

// TryIn makes the folder of the lock, if it is not there, and takes the lock as Try does. If another
// process removes the folder meanwhile, TryIn makes it again.
func TryIn(dir, name string, mode fs.FileMode) (io.Closer, error) {
	file := filepath.Join(dir, name)
	var err error
	for range maxFolders {
		if err := os.MkdirAll(dir, mode); err != nil {
			return nil, err
		}
		var lock *flock.Flock
		lock, err = try(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if lock == nil {
			return nil, err
		}
		ours, err1 := lock.Stat()
		there, err2 := os.Stat(file)
		if err1 == nil && err2 == nil && os.SameFile(ours, there) {
			return lock, nil
		}
		_ = lock.Close() // the lock of a removed file
	}
	return nil, err
}
