package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"

	"github.com/odfix/odfix/internal/child"
)

// Run runs a command to its end and returns the end of its output. The command and its children end
// with odfix, and with the context. An error of the command itself is an *exec.ExitError.
func Run(ctx context.Context, spec Spec) (printed string, err error) {
	tail := child.Tail{Size: maxOutput}
	err = run(ctx, spec, &tail, &tail)
	return tail.String(), err
}

// maxAnswer bounds the output of a command whose output is the answer, in bytes.
const maxAnswer = 16 << 20

// Output is Run for a command whose output is the answer. It returns all of standard output, and
// the end of standard error. It ends a command that prints too much.
func Output(ctx context.Context, spec Spec) (stdout, stderr []byte, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out, errs := bounded{full: cancel}, child.Tail{Size: maxOutput}
	err = run(ctx, spec, &out, &errs)
	if errors.Is(context.Cause(ctx), errTooMuch) {
		err = fmt.Errorf("%s %w", spec.Command[0], errTooMuch)
	}
	return out.kept.Bytes(), []byte(errs.String()), err
}

var errTooMuch = fmt.Errorf("was ended because it printed more than %d MiB to standard output: "+
	"check what the project's configuration prints when it is loaded", maxAnswer>>20)

// bounded keeps what is written to it, up to maxAnswer bytes.
type bounded struct {
	kept bytes.Buffer
	full context.CancelCauseFunc // called when more is written
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > maxAnswer {
		b.full(errTooMuch)
		return 0, errTooMuch
	}
	return b.kept.Write(p)
}

// run runs a command to its end, or to the end of the context.
func run(ctx context.Context, spec Spec, stdout, stderr io.Writer) error {
	if err := spec.validate(); err != nil {
		return err
	}
	cmd := exec.Command(spec.Command[0], spec.Command[1:]...)
	cmd.Env, cmd.Dir = spec.Env, spec.Dir
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = drain
	if err := startChild(cmd); err != nil {
		return &StartError{Command: spec.Command[0], Reason: startReason(err, spec)}
	}
	stop := context.AfterFunc(ctx, func() { child.Kill(cmd) })
	err := cmd.Wait()
	stop()
	child.Kill(cmd) // processes that the command left running
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return err
}

// Child is a process that communicates through its standard streams. The process and its children
// end with odfix.
type Child struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	cmd    *exec.Cmd
	end    sync.Once
}

// Start starts a process. Its standard error is dropped.
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

// Kill ends the process and waits until it has ended.
func (c *Child) Kill() {
	c.end.Do(func() {
		child.Kill(c.cmd)
		_ = c.cmd.Wait()
	})
}
