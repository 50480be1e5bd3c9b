package harness

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Limits bounds durations. Zero fields mean the default. Limits for starting a process and for
// tests are multiplied by how much slower processes start now than before (timing.slowdown). The
// limit of a test never exceeds Cap.
type Limits struct {
	Start  time.Duration // from starting a process to its hello, or since it last used processor time before; 60 s
	Floor  time.Duration // minimum for a test that is not the first of its order; 20 s
	Factor int           // multiplies the longest known duration of the test; 10
	Unseen time.Duration // a test without a known duration, and the time between two tests; minimum for the first test of an order; 90 s
	Cap    time.Duration // maximum for a test; 10 min
	Run    time.Duration // one whole order; 30 min
	Stacks time.Duration // for the thread dump of a hung process; 3 s
	Quit   time.Duration // for a process to end after its order (shutdown hooks); 10 s
}

func (l Limits) withDefaults() (Limits, error) {
	for _, d := range []struct {
		name  string
		field *time.Duration
		value time.Duration
	}{
		{"start", &l.Start, time.Minute},
		{"floor", &l.Floor, 20 * time.Second},
		{"unseen", &l.Unseen, 90 * time.Second},
		{"cap", &l.Cap, 10 * time.Minute},
		{"run", &l.Run, 30 * time.Minute},
		{"stacks", &l.Stacks, 3 * time.Second},
		{"quit", &l.Quit, 10 * time.Second},
	} {
		if *d.field < 0 {
			return l, fmt.Errorf("the time limit %q is negative (%v): give a positive one, or zero for %v", d.name, *d.field, d.value)
		}
		*d.field = cmp.Or(*d.field, d.value)
	}
	if l.Factor <= 0 {
		l.Factor = 10
	}
	return l, nil
}

// timing records the longest duration of each test, over all processes, and how long processes took
// to start.
type timing struct {
	limits  Limits
	mu      sync.Mutex
	longest map[suite.TestID]time.Duration
	hangs   map[suite.TestID]bool // did not end in the time of an unseen test either
	least   map[role]time.Duration
	starts  []float64 // the last ones, each divided by the fastest of its role
}

// role is what a process is started for. Flags and start times differ by role.
type role string

const (
	exactRole role = "exact"
	quickRole role = "quick"
)

const (
	recent      = 4           // starts from which the machine's present speed is estimated
	promptStart = time.Second // a shorter start shows nothing about the speed
	maxSlowdown = 8
)

func newTiming(l Limits) *timing {
	return &timing{limits: l, longest: map[suite.TestID]time.Duration{}, hangs: map[suite.TestID]bool{}, least: map[role]time.Duration{}}
}

func (t *timing) learn(id suite.TestID, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.longest[id]; !ok || d > old {
		t.longest[id] = max(d, 0)
	}
}

// started records how long a process took to start.
func (t *timing) started(r role, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	took = max(took, promptStart)
	least, ok := t.least[r]
	if !ok || took < least {
		least = took
		t.least[r] = least
	}
	t.starts = append(t.starts, float64(took)/float64(least))
	t.starts = t.starts[max(0, len(t.starts)-recent):]
}

// slowdown is how many times slower the slowest of the last starts was than the fastest of its
// role. A busier machine runs tests slower, too. The caller holds the lock.
func (t *timing) slowdown() time.Duration {
	if len(t.starts) == 0 {
		return 1
	}
	return time.Duration(min(slices.Max(t.starts), maxSlowdown))
}

// hung records a test that did not end in the time of an unseen test.
func (t *timing) hung(id suite.TestID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hangs[id] = true
}

// limit returns how long the test may run before it counts as hung. A cold test may have to load
// classes that were already loaded in earlier runs. The first test of an order is cold.
func (t *timing) limit(id suite.TestID, cold bool) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.given(id, cold)
}

// given is limit. The caller holds the lock.
func (t *timing) given(id suite.TestID, cold bool) time.Duration {
	d := t.limits.Unseen
	if seen, ok := t.longest[id]; ok {
		// The comparison comes before the multiplication, because a hostile duration must not
		// overflow.
		if seen > t.limits.Cap/time.Duration(t.limits.Factor) {
			return t.limits.Cap
		}
		d = max(t.limits.Floor, seen*time.Duration(t.limits.Factor))
		if cold {
			d = max(d, t.limits.Unseen)
		}
	}
	return t.stretch(d)
}

// between returns how long no event may arrive while no test runs, as in class setup and teardown.
func (t *timing) between() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stretch(t.limits.Unseen)
}

// start returns how long a process may take to start.
func (t *timing) start() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.limits.Start * t.slowdown()
}

// stretch multiplies d by the current slowdown, up to Cap.
func (t *timing) stretch(d time.Duration) time.Duration {
	return min(min(d, t.limits.Cap)*t.slowdown(), t.limits.Cap)
}

// premature reports whether a test that was ended after the limit would get more time in a second
// run, and is not known to hang.
func (t *timing) premature(id suite.TestID, limit time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return id != "" && !t.hangs[id] && limit < t.given(id, true)
}
