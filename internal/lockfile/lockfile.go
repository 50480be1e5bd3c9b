// Package lockfile keeps processes of one machine from using the same files. A lock is a file. The
// system frees it when its process ends in any way, so a crash leaves nothing to clean up. The time
// of the file is the time when the lock was last taken.
package lockfile

import (
	"io"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// Try takes the lock without waiting. The lock is nil, without an error, if another process has it.
func Try(file string) (io.Closer, error) {
	lock := flock.New(file, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	if taken, err := lock.TryLock(); err != nil || !taken {
		return nil, err
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // only the age of an unused folder depends on it
	return lock, nil
}
