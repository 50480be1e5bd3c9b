// Package lockfile keeps processes of one machine out of each other's way. A
// lock is a file; the system frees it when the process that holds it ends,
// however it ends, so that nothing has to be cleaned up after a crash. The
// file's time says when the lock was last taken.
package lockfile
