//go:build linux || darwin

package isolate

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

func blocks(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512 // the unit of stat(2), whatever the file system's
	}
	return info.Size()
}

// free is what an unprivileged user may still write.
func free(dir string) (int64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
