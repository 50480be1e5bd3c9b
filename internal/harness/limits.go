package harness

import (
	"fmt"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Limits bounds how long things may take. Zero fields take the default.
type Limits struct {
	Start  time.Duration // from starting a process to its hello; 60 s
	Floor  time.Duration // least time a test is given; 20 s
	Factor int           // times the longest that the test was seen to take; 10
	Unseen time.Duration // a test never seen, and the time between two tests (class setup); 90 s
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
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if l.Factor <= 0 {
		l.Factor = 10
	}
	return l, nil
}

// timing remembers how long each test took at most, over all processes.
type timing struct {
	limits  Limits
	mu      sync.Mutex
	longest map[suite.TestID]time.Duration
}

func newTiming(l Limits) *timing {
	return &timing{limits: l, longest: map[suite.TestID]time.Duration{}}
}

func (t *timing) learn(id suite.TestID, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.longest[id]; !ok || d > old {
		t.longest[id] = max(d, 0)
	}
}

// limit is how long the test may run before it counts as hung.
func (t *timing) limit(id suite.TestID) time.Duration {
	t.mu.Lock()
	seen, ok := t.longest[id]
	t.mu.Unlock()
	d := t.limits.Unseen
	if ok {
		// Comparing before multiplying: a hostile duration must not overflow.
		if seen > t.limits.Cap/time.Duration(t.limits.Factor) {
			return t.limits.Cap
		}
		d = max(t.limits.Floor, seen*time.Duration(t.limits.Factor))
	}
	return min(d, t.limits.Cap)
}

// between is how long nothing may happen while no test runs: class setup and teardown.
func (t *timing) between() time.Duration { return min(t.limits.Unseen, t.limits.Cap) }
