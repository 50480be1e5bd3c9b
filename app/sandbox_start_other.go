//go:build !sandbox && !unix

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
)

// replaceProcess runs the given program in place of this one and returns its exit status.
func replaceProcess(ctx context.Context, path string, args []string) (int, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return max(ended.ExitCode(), exitError), nil
	}
	if err != nil {
		return exitError, err
	}
	return exitOK, nil
}
