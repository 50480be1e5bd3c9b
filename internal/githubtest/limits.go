package githubtest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Limits are GitHub's published numbers; a zero field takes them, a negative
// one means none.
type Limits struct {
	PerHour          int // requests of one installation; 5000
	AnonymousPerHour int // 60
	ContentPerMinute int // comments, reviews and pull requests made; 80
	ContentPerHour   int // 500
	PointsPerMinute  int // a read costs 1, a write 5; 900
	Concurrent       int // requests under way; 100
	SecondaryStatus  int // 403 or 429
	SecondaryRetry   int // seconds in Retry-After; 60

	ReviewComments int // in one review; 30
	DiffFiles      int // of a diff as text; 300
	DiffLines      int // of a diff as text; 20000
	ListedFiles    int // of a pull request; 3000
	PatchLines     int // a file's patch beyond this is left out; 3000
}

func (l *Limits) fill() {
	for _, f := range []struct {
		field *int
		value int
	}{
		{&l.PerHour, 5000}, {&l.AnonymousPerHour, 60}, {&l.ContentPerMinute, 80}, {&l.ContentPerHour, 500},
		{&l.PointsPerMinute, 900}, {&l.Concurrent, 100}, {&l.SecondaryStatus, 403}, {&l.SecondaryRetry, 60},
		{&l.ReviewComments, 30}, {&l.DiffFiles, 300}, {&l.DiffLines, 20000}, {&l.ListedFiles, 3000}, {&l.PatchLines, 3000},
	} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
}

// SetLimits changes the limits of a running server.
func (s *Server) SetLimits(l Limits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.fill()
	s.config.Limits = l
}

// SetQuirks changes the quirks of a running server.
func (s *Server) SetQuirks(q Quirks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config.Quirks = q
}

// gauge counts what one caller did.
type gauge struct {
	reset   time.Time
	used    int
	points  []spent
	content []time.Time
	blocked time.Time // until then the secondary limit refuses
}

type spent struct {
	at     time.Time
	points int
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

func (c *call) perHour() int {
	if c.by != nil && c.by.app == nil && c.by.token == nil {
		return c.s.config.Limits.AnonymousPerHour
	}
	return c.s.config.Limits.PerHour
}

func (c *call) write() bool {
	return c.r.Method != http.MethodGet && c.r.Method != http.MethodHead
}

// meter counts the request, and refuses it beyond the limits.
func (c *call) meter() error {
	if c.end != nil && c.end.op.ID == "rate-limit/get" {
		return nil
	}
	g, l := c.gauge(), c.s.config.Limits
	if g.used >= c.perHour() && c.perHour() >= 0 {
		return c.primary()
	}
	g.used++
	now := c.s.now()
	if now.Before(g.blocked) {
		return c.secondary(int(g.blocked.Sub(now).Seconds()))
	}
	cost := 1
	if c.write() {
		cost = 5
	}
	g.points = append(g.points, spent{now, cost})
	if c.makesContent() {
		g.content = append(g.content, now)
	}
	minute, total := g.within(now)
	over := func(n, limit int) bool { return limit >= 0 && n > limit }
	if over(total, l.PointsPerMinute) || over(minute, l.ContentPerMinute) || over(len(g.content), l.ContentPerHour) || over(int(c.s.inFlight.Load()), l.Concurrent) {
		g.blocked = now.Add(time.Duration(l.SecondaryRetry) * time.Second)
		return c.secondary(l.SecondaryRetry)
	}
	return nil
}

// within forgets what is long past and counts what was made and spent in the last minute.
func (g *gauge) within(now time.Time) (content, points int) {
	for len(g.points) > 0 && !g.points[0].at.After(now.Add(-time.Minute)) {
		g.points = g.points[1:]
	}
	for len(g.content) > 0 && !g.content[0].After(now.Add(-time.Hour)) {
		g.content = g.content[1:]
	}
	for _, p := range g.points {
		points += p.points
	}
	for _, at := range g.content {
		if at.After(now.Add(-time.Minute)) {
			content++
		}
	}
	return content, points
}

func (c *call) makesContent() bool {
	if c.end == nil || !c.write() {
		return false
	}
	room, _, _ := strings.Cut(c.end.op.ID, "/")
	return room == "issues" || room == "pulls" || room == "reactions"
}

const limitDocs = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api"

func (c *call) primary() error {
	who := "your IP address"
	if c.by.token != nil {
		who = fmt.Sprintf("installation ID %d", c.by.token.installation.ID)
	}
	return &problem{status: http.StatusForbidden, message: "API rate limit exceeded for " + who + ".", docs: limitDocs}
}

func (c *call) secondary(wait int) error {
	p := secondaryLimit(c.s.config.Limits.SecondaryStatus)
	if wait > 0 {
		p.header = http.Header{"Retry-After": {strconv.Itoa(wait)}}
	}
	return p
}

func secondaryLimit(status int) *problem {
	return &problem{status: status, docs: limitDocs + "#about-secondary-rate-limits",
		message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID."}
}

// refund: a 304 of somebody known does not count.
func (c *call) refund() {
	if c.by != nil && (c.by.app != nil || c.by.token != nil) {
		g := c.gauge()
		g.used = max(g.used-1, 0)
	}
}

func (c *call) rateHeaders(h http.Header) {
	if h.Get("X-RateLimit-Remaining") != "" {
		return
	}
	g, limit := c.gauge(), c.perHour()
	if limit < 0 {
		limit = g.used + 5000
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	h.Set("X-RateLimit-Used", strconv.Itoa(g.used))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(limit-g.used, 0)))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(g.reset.Unix(), 10))
	h.Set("X-RateLimit-Resource", "core")
}

func (c *call) rateLimit() (answer, error) {
	g, limit := c.gauge(), c.perHour()
	one := func(limit, used int) Object {
		return Object{"limit": limit, "used": used, "remaining": max(limit-used, 0), "reset": g.reset.Unix()}
	}
	core := one(limit, g.used)
	return ok(Object{"rate": core, "resources": Object{"core": core, "search": one(30, 0), "graphql": one(5000, 0),
		"integration_manifest": one(5000, 0), "code_search": one(10, 0)}}), nil
}
