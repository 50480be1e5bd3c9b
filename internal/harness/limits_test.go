package harness

import (
	"testing"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// newTestTiming has one known test, A#known, which took a millisecond.
func newTestTiming(t *testing.T, l Limits) *timing {
	t.Helper()
	l, err := l.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	timing := newTiming(l)
	timing.learn("A#known", time.Millisecond)
	return timing
}

func TestLimitOfATest(t *testing.T) {
	own := Limits{Floor: time.Second, Unseen: time.Second, Cap: time.Second} // as --test-timeout sets them
	for name, c := range map[string]struct {
		limits Limits
		took   time.Duration // of A#known; zero: a millisecond
		starts []time.Duration
		test   string
		cold   bool
		want   time.Duration
	}{
		"known":                {test: "A#known", want: 20 * time.Second},
		"known to take long":   {took: 5 * time.Second, test: "A#known", want: 50 * time.Second},
		"known, but cold":      {test: "A#known", cold: true, want: 90 * time.Second},
		"long, and cold":       {took: 20 * time.Second, test: "A#known", cold: true, want: 200 * time.Second},
		"unseen":               {test: "A#unseen", want: 90 * time.Second},
		"no more than the cap": {took: time.Hour, test: "A#known", cold: true, want: 10 * time.Minute},
		"processes start five times slower": {starts: []time.Duration{2 * time.Second, 10 * time.Second},
			test: "A#known", want: 100 * time.Second},
		"processes start very much slower": {starts: []time.Duration{time.Second, time.Minute},
			test: "A#known", want: 160 * time.Second},
		"slower within the first second": {starts: []time.Duration{10 * time.Millisecond, time.Second},
			test: "A#known", want: 20 * time.Second},
		"processes were slow from the start": {starts: []time.Duration{30 * time.Second, 30 * time.Second},
			test: "A#known", want: 20 * time.Second},
		"the slow start was before four others": {starts: []time.Duration{time.Second, 5 * time.Second, 1, 1, 1, 1},
			test: "A#known", want: 20 * time.Second},
		"a limit that somebody has set": {limits: own, starts: []time.Duration{time.Second, time.Minute},
			test: "A#known", cold: true, want: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			timing := newTestTiming(t, c.limits)
			timing.learn("A#known", c.took)
			for _, d := range c.starts {
				timing.started(exactRole, d)
			}
			timing.started(quickRole, time.Minute) // the only start of its role, so there is no comparison
			if got := timing.limit(suite.TestID(c.test), c.cold); got != c.want {
				t.Errorf("limit = %v, want %v", got, c.want)
			}
		})
	}
}

func TestLimitBetweenTestsAndOfAStart(t *testing.T) {
	timing := newTestTiming(t, Limits{})
	timing.started(quickRole, time.Second)
	if got := timing.between(); got != 90*time.Second {
		t.Errorf("between = %v", got)
	}
	timing.started(quickRole, 3*time.Second)
	if got := timing.between(); got != 270*time.Second {
		t.Errorf("between, on a slow machine = %v", got)
	}
	if got := timing.start(); got != 3*time.Minute {
		t.Errorf("start = %v", got)
	}
}
