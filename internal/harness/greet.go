package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"
)

// greet waits for the hello of a new process. On error the process has ended.
func (p *process) greet(ctx context.Context, c clock, limit time.Duration) error {
	timer, stop := c.after(limit)
	defer stop()
	select {
	case <-ctx.Done():
		p.kill()
		return ctx.Err()
	case <-timer:
		p.kill()
		return p.startError(fmt.Sprintf("it said nothing for %v", limit))
	case e, ok := <-p.events:
		return p.greeted(e, ok)
	}
}

func (p *process) greeted(e event, ok bool) error {
	if !ok {
		p.kill()
		if perr := (*protocolError)(nil); errors.As(p.readErr, &perr) {
			return p.startError("it does not speak odfix's protocol: " + perr.msg)
		}
		return p.startError("it ended before it was ready (" + p.cmd.ProcessState.String() + ")")
	}
	h, ok := e.(hello)
	switch {
	case !ok:
		p.kill()
		return p.startError(fmt.Sprintf("its first word was %T, not hello", e))
	case h.version != protocolVersion:
		p.kill()
		return p.startError(fmt.Sprintf("it speaks version %d of the protocol, odfix speaks %d: the harness jar "+
			"and odfix were not built together", h.version, protocolVersion))
	}
	p.hello = h
	return nil
}

func (p *process) startError(reason string) error {
	return &StartError{Command: p.cmd.Path, Reason: reason, Output: p.printed(maxOutput)}
}

// ended describes the end of a process: kind as in suite.Crash, and a line for people.
func (p *process) ended() (kind, detail string) {
	st := p.cmd.ProcessState
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return "killed", "killed by signal: " + ws.Signal().String()
	}
	// A shell reports a signal as 128 plus its number, and so does a JVM that catches it.
	if code := st.ExitCode(); code > 128 {
		return "killed", fmt.Sprintf("exit status %d", code)
	}
	return "exit", fmt.Sprintf("exit status %d before the order was finished", st.ExitCode())
}

// bySignal reports whether a signal ended the process, or made a JVM run its shutdown hooks and end
// (hang-up, interrupt, terminate).
func (p *process) bySignal() bool {
	switch p.cmd.ProcessState.ExitCode() {
	case -1, 128 + 1, 128 + 2, 128 + 15:
		return true
	}
	return false
}

// endOfStream reports whether events ended because the process ended, and not because of invalid
// data.
func endOfStream(err error) bool {
	perr := (*protocolError)(nil)
	return err == nil || errors.Is(err, io.EOF) || !errors.As(err, &perr)
}
