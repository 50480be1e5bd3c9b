//go:build !windows

package doctor

import "syscall"

// Free is the number of bytes that this user can still write to the disk of a folder.
func Free(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}
