//go:build !linux

package isolate

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
)

// Open fails: this system cannot isolate.
func Open(context.Context, Options) (*Sandbox, error) {
	return nil, fmt.Errorf("%w: %s has no bubblewrap; run odfix on Linux", ErrNot, runtime.GOOS)
}

func (s *spec) become() error { return errors.New("not on " + runtime.GOOS) }

// Command is for Linux only.
func (r *Room) Command(string, string) (*exec.Cmd, error) { return nil, ErrNot }

// Hide does nothing.
func Hide() error { return nil }

func initIfAsked() {}

func inspect() string { return runtime.GOOS }
