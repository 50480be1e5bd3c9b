//go:build unix

package harness

import (
	"sync"
	"time"
)

// fakeClock ends only timers that its rule picks. It ends them at once if the rule returns a closed
// channel, and otherwise when the channel closes.
type fakeClock struct {
	rule func(d time.Duration, nth int) <-chan struct{} // nth timer of this duration, from 1; nil: it never ends
	mu   sync.Mutex
	seen map[time.Duration]int
}

func newFakeClock(rule func(time.Duration, int) <-chan struct{}) *fakeClock {
	return &fakeClock{rule: rule, seen: map[time.Duration]int{}}
}

// expiring ends every timer of these durations as soon as it is set.
func expiring(ds ...time.Duration) *fakeClock {
	return newFakeClock(func(d time.Duration, _ int) <-chan struct{} {
		for _, x := range ds {
			if x == d {
				return passed()
			}
		}
		return nil
	})
}

func passed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func (c *fakeClock) now() time.Time { return time.Now() }

func (c *fakeClock) after(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	c.seen[d]++
	when := c.rule(d, c.seen[d])
	c.mu.Unlock()
	timer, off := make(chan time.Time, 1), make(chan struct{})
	if when != nil {
		select {
		case <-when:
			timer <- time.Time{}
		default:
			go func() {
				select {
				case <-when:
					timer <- time.Time{}
				case <-off:
				}
			}()
		}
	}
	return timer, sync.OnceFunc(func() { close(off) })
}
