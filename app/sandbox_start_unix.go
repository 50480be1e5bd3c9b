//go:build !sandbox && unix

package main

import (
	"context"
	"os"
	"syscall"
)

// replaceProcess makes this process the given program, so that signals and the exit status are its
// own. It returns only where that fails.
func replaceProcess(_ context.Context, path string, args []string) (int, error) {
	return exitError, syscall.Exec(path, append([]string{path}, args...), os.Environ())
}
