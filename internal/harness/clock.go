package harness

import "time"

// clock is the time of the watchdog. Tests replace it.
type clock interface {
	now() time.Time
	// after returns a channel that receives once d has passed, and a function that stops the timer.
	after(d time.Duration) (<-chan time.Time, func())
}

type wallClock struct{}

func (wallClock) now() time.Time { return time.Now() }

func (wallClock) after(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}
