package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"
)

const (
	// progress is the processor time that counts as work of a process.
	progress = 100 * time.Millisecond
	// maxWork times the limit bounds the processor time of a starting process.
	maxWork = 2
)

// greet waits for the hello of a new process. If the process reports that it has used processor
// time, its time limit begins again, because work takes long on a busy machine. If greet returns an
// error, the process has ended.
func (p *process) greet(ctx context.Context, c clock, limit time.Duration) error {
	timer, stop := c.after(limit)
	defer func() { stop() }()
	var worked time.Duration
	for {
		select {
		case <-ctx.Done():
			p.kill()
			return ctx.Err()
		case <-timer:
			p.kill()
			if worked > 0 {
				return p.startError(fmt.Sprintf("it was not ready, and did nothing for %v", limit))
			}
			return p.startError(fmt.Sprintf("it sent nothing for %v", limit))
		case e, ok := <-p.events:
			b, isBusy := e.(busy)
			if !isBusy {
				return p.greeted(e, ok)
			}
			used := time.Duration(min(b.micros, maxMicros)) * time.Microsecond
			if used > maxWork*limit {
				p.kill()
				return p.startError(fmt.Sprintf("it was not ready after %v of processor time", maxWork*limit))
			}
			if used >= worked+progress {
				worked = used
				stop()
				timer, stop = c.after(limit)
			}
		}
	}
}

// maxMicros keeps a hostile number from overflowing.
const maxMicros = int64(24 * time.Hour / time.Microsecond)

func (p *process) greeted(e event, ok bool) error {
	if !ok {
		p.kill()
		if perr := (*protocolError)(nil); errors.As(p.readErr, &perr) {
			return p.startError("it does not follow odfix's protocol: " + perr.msg)
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
		return p.startError(fmt.Sprintf("it uses version %d of the protocol, odfix uses %d: the harness jar "+
			"and odfix were not built together", h.version, protocolVersion))
	}
	p.hello = h
	return nil
}

func (p *process) startError(reason string) error {
	return &StartError{Command: p.cmd.Path, Reason: reason, Output: p.printed(maxOutput)}
}

// ended describes the end of a process. kind is as in suite.Crash, and detail is a line for people.
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

// bySignal reports whether a signal ended the process. A JVM may run its shutdown hooks before it
// ends (hang-up, interrupt, terminate).
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
