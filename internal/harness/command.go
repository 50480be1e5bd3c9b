package harness

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"sync"

	"github.com/odfix/odfix/internal/child"
)

// Output runs a command to its end and returns what it printed. The command and all that it
// started end with odfix, and with the context. An error of the command itself is an
// *exec.ExitError.
func Output(ctx context.Context, spec Spec) (stdout, stderr []byte, err error) {
	if err := spec.validate(); err != nil {
		return nil, nil, err
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(spec.Command[0], spec.Command[1:]...)
	cmd.Env, cmd.Dir = spec.Env, spec.Dir
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = drain
	if err := startChild(cmd); err != nil {
		return nil, nil, &StartError{Command: spec.Command[0], Reason: startReason(err, spec)}
	}
	stop := context.AfterFunc(ctx, func() { child.Kill(cmd) })
	err = cmd.Wait()
	stop()
	child.Kill(cmd) // what it left running
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.Bytes(), errs.Bytes(), err
}

// Child is a process that answers on its standard streams. It and all that it started end with
// odfix.
type Child struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	cmd    *exec.Cmd
	end    sync.Once
}

// Start starts a process. What it prints to standard error is not kept.
func Start(spec Spec) (*Child, error) {
	if err := spec.validate(); err != nil {
		return nil, err
	}
	cmd := exec.Command(spec.Command[0], spec.Command[1:]...)
	cmd.Env, cmd.Dir = spec.Env, spec.Dir
	c := &Child{cmd: cmd}
	var err error
	if c.Stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.Stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := startChild(cmd); err != nil {
		return nil, &StartError{Command: spec.Command[0], Reason: startReason(err, spec)}
	}
	return c, nil
}

// Kill ends the process and waits until it is gone.
func (c *Child) Kill() {
	c.end.Do(func() {
		child.Kill(c.cmd)
		_ = c.cmd.Wait()
	})
}
