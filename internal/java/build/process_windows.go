package build

import (
	"context"
	"errors"
	"os/exec"
)

// runGroup returns an error on Windows, because the recorder that replaces java is a shell script.
func runGroup(context.Context, *exec.Cmd) error {
	return errors.New("recording a build is not supported on Windows yet")
}

// lowPriority returns the command itself: Windows has no niceness.
func lowPriority(command []string) []string { return command }
