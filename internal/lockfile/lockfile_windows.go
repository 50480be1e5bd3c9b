package lockfile

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// Try takes the lock without waiting; nil without an error means that
// somebody else has it. The system frees it when the process ends, however it ends.
func Try(file string) (io.Closer, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if err == nil {
		now := time.Now()
		os.Chtimes(file, now, now) // says when the lock was last had
		return f, nil
	}
	f.Close()
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return nil, nil
	}
	return nil, err
}
