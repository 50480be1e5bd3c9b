//go:build !linux && !windows

package storetest

import "syscall"

// dieWithParent: there is no such signal here; Main stops the server.
func dieWithParent(*syscall.SysProcAttr) {}
