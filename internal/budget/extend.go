package budget

import (
	"context"
	"sync"
	"time"
)

// Extension is the end of a context, which may become later.
type Extension struct {
	context.Context
	mu    sync.Mutex
	at    time.Time
	timer *time.Timer
}

// Extendable returns a context that ends after this time with the cause, and its Extension.
// A context that derives from it with an earlier end keeps that end; one with a later end ends with
// it. Calling the function releases its resources.
func Extendable(ctx context.Context, limit time.Duration, cause error) (*Extension, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	e := &Extension{Context: ctx, at: time.Now().Add(limit)}
	e.timer = time.AfterFunc(limit, func() { cancel(cause) })
	if limit < time.Millisecond { // nothing can begin before the timer fires
		cancel(cause)
	}
	return e, func() {
		e.timer.Stop()
		cancel(context.Canceled)
	}
}

// Deadline implements context.Context.
func (e *Extension) Deadline() (time.Time, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if outer, limited := e.Context.Deadline(); limited && outer.Before(e.at) {
		return outer, true
	}
	return e.at, true
}

// Until makes the end later. It reports whether it did: an end that has passed stays, and no end
// becomes earlier.
func (e *Extension) Until(at time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !at.After(e.at) || !e.timer.Stop() {
		return false
	}
	e.at = at
	e.timer.Reset(time.Until(at))
	return true
}
