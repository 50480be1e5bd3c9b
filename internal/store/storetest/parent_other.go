//go:build !linux && !windows

package storetest

import "syscall"

// dieWithParent does nothing here: Main stops the server.
func dieWithParent(*syscall.SysProcAttr) {}
