//go:build !linux

package gitrepo

import "syscall"

// attributes: here git ends by the end of its pipes and its budget.
func attributes() *syscall.SysProcAttr { return nil }
