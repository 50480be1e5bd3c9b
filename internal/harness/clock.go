package harness

import "time"

// clock is time as the watchdog sees it; tests put one of their own in its place.
type clock interface {
	now() time.Time
	// after is a channel that receives once d has passed, and the function
	// that calls it off.
	after(d time.Duration) (<-chan time.Time, func())
}

type wallClock struct{}

func (wallClock) now() time.Time { return time.Now() }

func (wallClock) after(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}
