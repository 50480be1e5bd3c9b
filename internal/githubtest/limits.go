package githubtest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// GitHub's published limits.
const (
	requestsPerHour  = 5000 // only shown in headers
	contentPerMinute = 80   // comments, reviews and pull requests
	contentPerHour   = 500
	pointsPerMinute  = 900 // a read costs 1, a write 5
	concurrent       = 100 // requests at the same time
	secondaryPause   = time.Minute

	reviewComments = 30   // of one review
	listedFiles    = 3000 // of a pull request
	patchLines     = 3000 // a file with more has no patch
	listedCommits  = 250  // of a pull request
)

// gauge counts the requests of one caller.
type gauge struct {
	reset   time.Time // of used
	used    int
	recent  []spent
	blocked time.Time // the secondary limit refuses requests until then
}

type spent struct {
	at      time.Time
	points  int
	content bool
}

func (c *call) gauge() *gauge {
	key := c.by.String()
	g := c.s.gauges[key]
	if g == nil {
		g = &gauge{}
		c.s.gauges[key] = g
	}
	if now := c.s.now(); !now.Before(g.reset) {
		g.used, g.reset = 0, now.Add(time.Hour)
	}
	return g
}

// meter counts the request, and refuses it beyond the secondary limits.
func (c *call) meter() error {
	g, now := c.gauge(), c.s.now()
	g.used++
	if now.Before(g.blocked) {
		return secondaryLimit(http.StatusForbidden, g.blocked.Sub(now))
	}
	s := spent{at: now, points: 1}
	if c.r.Method != http.MethodGet {
		kind, _, _ := strings.Cut(c.what(), "/")
		s.points, s.content = 5, kind == "issues" || kind == "pulls" || kind == "reactions"
	}
	g.recent = append(g.recent, s)
	points, minute, hour := g.sums(now)
	times := max(c.s.config.Limits, 1)
	if points > times*pointsPerMinute || minute > times*contentPerMinute || hour > times*contentPerHour || c.s.inFlight.Load() > concurrent {
		g.blocked = now.Add(secondaryPause)
		return secondaryLimit(http.StatusForbidden, secondaryPause)
	}
	return nil
}

// sums adds up the points of the last minute, and the content of the last minute and hour.
func (g *gauge) sums(now time.Time) (points, minute, hour int) {
	for len(g.recent) > 0 && !g.recent[0].at.After(now.Add(-time.Hour)) {
		g.recent = g.recent[1:]
	}
	for _, s := range g.recent {
		last := s.at.After(now.Add(-time.Minute))
		if last {
			points += s.points
		}
		if s.content {
			hour++
		}
		if s.content && last {
			minute++
		}
	}
	return points, minute, hour
}

const limitDocs = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api"

func secondaryLimit(status int, wait time.Duration) *problem {
	p := &problem{status: status, docs: limitDocs + "#about-secondary-rate-limits",
		message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you " +
			"reach out to GitHub Support for help, please include the request ID."}
	if wait > 0 {
		p.header = http.Header{"Retry-After": {fmt.Sprintf("%.0f", wait.Seconds())}}
	}
	return p
}

func (c *call) rateHeaders(h http.Header) {
	g := c.gauge()
	most := max(c.s.config.Limits, 1) * requestsPerHour
	h.Set("X-RateLimit-Limit", strconv.Itoa(most))
	h.Set("X-RateLimit-Used", strconv.Itoa(g.used))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(most-g.used, 0)))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(g.reset.Unix(), 10))
	h.Set("X-RateLimit-Resource", "core")
}
