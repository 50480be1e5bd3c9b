package engine

import (
	"testing"
	"time"
)

func TestExpected(t *testing.T) {
	for _, c := range []struct {
		tests               int
		took, start, budget time.Duration
		want                string
	}{
		{163, 1500 * time.Millisecond, 700 * time.Millisecond, 11 * time.Minute,
			"163 tests took 2s in the last run. Each cause takes less than a minute as a rule, and all 11 minutes at most."},
		{1000, 16 * time.Second, time.Second, 16 * time.Minute,
			"1000 tests took 16s in the last run. Each cause takes about 3 minutes as a rule, and all 16 minutes at most."},
		{1, 16 * time.Second, time.Second, 90 * time.Second,
			"1 test took 16s in the last run. One cause may take 3 minutes, and odfix stops after 2 minutes; --budget gives it more."},
	} {
		if got := expected(lastRun(c.tests, c.took), c.took, c.start, c.budget); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
