package budget

import (
	"context"
	"sync"
	"time"
)

// Extension is the end of a context, which may become later.
type Extension struct {
	context.Context
	mu     sync.Mutex
	at     time.Time
	timer  *time.Timer
	paused bool
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

// Pausable is like Extendable; Pause stops its clock.
func Pausable(ctx context.Context, limit time.Duration, cause error) (context.Context, context.CancelFunc) {
	e, cancel := Extendable(ctx, limit, cause)
	return context.WithValue(e, pausable{}, e), cancel
}

type pausable struct{}

// Pause pauses the context of Pausable from which this one derives; see Extension.Pause.
func Pause(ctx context.Context) (resume func()) {
	if e, ok := ctx.Value(pausable{}).(*Extension); ok {
		return e.Pause()
	}
	return func() {}
}

// Deadline implements context.Context.
func (e *Extension) Deadline() (time.Time, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	outer, limited := e.Context.Deadline()
	if e.paused || limited && outer.Before(e.at) {
		return outer, limited
	}
	return e.at, true
}

// Pause stops the clock until the function that it returns is called: the end becomes later by the
// time in between. An end that has passed stays, and so do earlier ends of contexts that derive
// from this one.
func (e *Extension) Pause() (resume func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.paused || !e.timer.Stop() {
		return func() {}
	}
	e.paused = true
	left := time.Until(e.at)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.paused {
			return
		}
		e.paused, e.at = false, time.Now().Add(left)
		e.timer.Reset(left)
	}
}

// Until makes the end later. It reports whether it did: an end that has passed stays, and no end
// becomes earlier.
func (e *Extension) Until(at time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.paused || !at.After(e.at) || !e.timer.Stop() {
		return false
	}
	e.at = at
	e.timer.Reset(time.Until(at))
	return true
}
