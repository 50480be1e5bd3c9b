package github

import (
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// TestSpare checks that half of each limit is left: of the minute's points, and of the hour that
// GitHub's answers show.
func TestSpare(t *testing.T) {
	g := newGate(t, Budget{PointsPerMinute: 20})
	waits := func() time.Duration {
		var limit *LimitError
		if err := g.spare(); errors.As(err, &limit) {
			return limit.Until.Sub(g.clock)
		} else if err != nil {
			t.Fatal(err)
		}
		return 0
	}
	for n := range 11 {
		if got := waits(); got != 0 {
			t.Fatalf("after %d points: %s", n, got)
		}
		g.ask("GET", "/repos/a/b")
	}
	if got := waits(); got != time.Minute {
		t.Errorf("more than half of the minute is used: %s", got)
	}
	if got := g.ask("GET", "/repos/a/b"); got != 0 {
		t.Errorf("others wait, too: %s", got)
	}
	g.clock = g.clock.Add(time.Minute)
	left, reset := 2499, g.clock.Add(20*time.Minute)
	g.answer = func(w http.ResponseWriter) {
		w.Header().Set("X-RateLimit-Limit", "5000")
		w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(left))
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
	}
	g.ask("POST", "/app/installations/5/access_tokens")
	if got := waits(); got != 0 {
		t.Errorf("the App's own limit: %s", got)
	}
	g.ask("GET", "/repos/a/b")
	if got := waits(); got != 20*time.Minute+time.Second {
		t.Errorf("more than half of the hour is used: %s", got)
	}
	left = 2500
	g.ask("GET", "/repos/a/b")
	if got := waits(); got != 0 {
		t.Errorf("half of the hour is left: %s", got)
	}
}
