//go:build !linux

package gitrepo

import "syscall"

// attributes sets nothing: here, git ends when its pipes close or its budget ends.
func attributes() *syscall.SysProcAttr { return nil }
