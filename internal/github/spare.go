package github

import (
	"net/http"
	"strconv"
	"time"
)

// hourly is GitHub's limit of requests in an hour, as its last answer shows it. Other servers of
// odfix use the same limit.
type hourly struct {
	most, left int
	reset      time.Time
}

// count reads the limit for an hour. Requests for tokens have the limit of the App.
func (g *governor) count(r *http.Request, resp *http.Response) {
	most, err1 := strconv.Atoi(resp.Header.Get("X-RateLimit-Limit"))
	left, err2 := strconv.Atoi(resp.Header.Get("X-RateLimit-Remaining"))
	reset, err3 := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64)
	if err1 != nil || err2 != nil || err3 != nil || asksForToken(r) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.of = hourly{most, left, time.Unix(reset, 0)}
}

// Spare returns a LimitError if half of the installation's limits are used, of a minute or of an
// hour. The other half is for red builds: work that can wait goes on at that error's time.
func (c *Client) Spare() error { return c.gate.spare() }

func (g *governor) spare() error {
	now := g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	const why = "half of the installation's limits are used; the rest is for red builds"
	if g.of.left < g.of.most/2 && g.of.reset.After(now) {
		return &LimitError{clamp(g.of.reset.Add(time.Second), now.Add(time.Second), now.Add(time.Hour)), why}
	}
	if until := g.points.room(now, g.points.most/2); !until.IsZero() {
		return &LimitError{until, why}
	}
	return nil
}
