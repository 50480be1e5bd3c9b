package harness

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Limits bounds how long things may take. Zero fields take the default. The time for a process to
// start and a test to run is multiplied, up to Cap, by how much slower processes now start than
// they did (timing.slowdown).
type Limits struct {
	Start  time.Duration // from starting a process to its hello; 60 s
	Floor  time.Duration // least time a test is given that is not the first of its order; 20 s
	Factor int           // times the longest that the test was seen to take; 10
	Unseen time.Duration // a test never seen, the first of an order at least, and the time between two tests (class setup); 90 s
	Cap    time.Duration // most time a test is given; 10 min
	Run    time.Duration // one whole order; 30 min
	Stacks time.Duration // for a hung process to say where it hangs; 3 s
	Quit   time.Duration // for a process that is done to end (shutdown hooks); 10 s
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

// timing remembers how long each test took at most, over all processes, and how long processes took
// to start.
type timing struct {
	limits  Limits
	mu      sync.Mutex
	longest map[suite.TestID]time.Duration
	hangs   map[suite.TestID]bool // did not end in the time of an unseen one either
	least   map[role]time.Duration
	starts  []float64 // the last ones, by how often each took what the fastest of its role does
}

// role is what a process is started for: the flags differ, and so does the time to start.
type role string

const (
	exactRole role = "exact"
	quickRole role = "quick"
)

const (
	recent      = 4           // starts from which the machine's present speed is estimated
	promptStart = time.Second // a start that takes less says nothing of it
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

// slowdown is how many times slower the slowest of the last processes started than one can here: a
// machine with more to do than before runs tests slower, too. The caller holds the lock.
func (t *timing) slowdown() time.Duration {
	if len(t.starts) == 0 {
		return 1
	}
	return time.Duration(min(slices.Max(t.starts), maxSlowdown))
}

// hung records a test that did not end in the time of an unseen one.
func (t *timing) hung(id suite.TestID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hangs[id] = true
}

// limit is how long the test may run before it counts as hung. A cold one may have to load classes
// that were loaded when it was seen before, as the first of an order has.
func (t *timing) limit(id suite.TestID, cold bool) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.given(id, cold)
}

// given is limit; the caller holds the lock.
func (t *timing) given(id suite.TestID, cold bool) time.Duration {
	d := t.limits.Unseen
	if seen, ok := t.longest[id]; ok {
		// Comparing before multiplying: a hostile duration must not overflow.
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

// between is how long nothing may happen while no test runs: class setup and teardown.
func (t *timing) between() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stretch(t.limits.Unseen)
}

// start is how long a process may take to start.
func (t *timing) start() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.limits.Start * t.slowdown()
}

// stretch is d on the machine as it is now.
func (t *timing) stretch(d time.Duration) time.Duration {
	return min(min(d, t.limits.Cap)*t.slowdown(), t.limits.Cap)
}

// premature reports whether a test that was ended after the limit has more time when it is asked
// again, and is not known to hang.
func (t *timing) premature(id suite.TestID, limit time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return id != "" && !t.hangs[id] && limit < t.given(id, true)
}
