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
			"163 tests, 2s when they last ran: less than a minute for each cause, 11 minutes at most."},
		{1000, 16 * time.Second, time.Second, 16 * time.Minute, "1000 tests, 16s when they last ran: about 3 minutes for each cause, 16 minutes at most."},
		{1, 16 * time.Second, time.Second, 90 * time.Second,
			"1 test, 16s when they last ran: a cause may take 3 minutes, longer than the budget of 2 minutes."},
		{163, 0, time.Second, time.Minute, ""},
	} {
		if got := expected(c.tests, c.took, c.start, c.budget); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
