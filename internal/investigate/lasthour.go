package investigate

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// lastHour is what this process remembers of the last hour: how often somebody did something.
type lastHour[K comparable] struct {
	mu   sync.Mutex
	when map[K][]time.Time
}

// mostRemembered is of how many. If there are more, old ones are forgotten, or all.
const mostRemembered = 10_000

func newLastHour[K comparable]() *lastHour[K] { return &lastHour[K]{when: map[K][]time.Time{}} }

func (l *lastHour[K]) add(who K, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.when) >= mostRemembered {
		maps.DeleteFunc(l.when, func(_ K, when []time.Time) bool { return len(lately(when, now)) == 0 })
	}
	if len(l.when) >= mostRemembered {
		clear(l.when)
	}
	l.when[who] = append(lately(l.when[who], now), now)
}

func (l *lastHour[K]) count(who K, now time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(lately(l.when[who], now))
}

func lately(when []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(when), func(t time.Time) bool { return now.Sub(t) >= time.Hour })
}
