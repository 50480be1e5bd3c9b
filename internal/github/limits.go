package github

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	gh "github.com/google/go-github/v60/github"
	"golang.org/x/sync/semaphore"
)

// Budget is the part of GitHub's rate limits that odfix uses for one installation. GitHub limits
// each installation, and people and other Apps share some of the limits. So the defaults are well
// below the published numbers.
type Budget struct {
	PointsPerMinute  int   // a read costs 1, a write 5; GitHub: 900
	ContentPerMinute int   // comments and reviews; GitHub: 80
	ContentPerHour   int   // GitHub: 500
	Concurrent       int64 // GitHub: 100
}

// DefaultBudget is at most half of GitHub's limits.
var DefaultBudget = Budget{PointsPerMinute: 450, ContentPerMinute: 30, ContentPerHour: 250, Concurrent: 20}

func (b *Budget) fill() {
	d := DefaultBudget
	for _, f := range []struct {
		field *int
		value int
	}{{&b.PointsPerMinute, d.PointsPerMinute}, {&b.ContentPerMinute, d.ContentPerMinute}, {&b.ContentPerHour, d.ContentPerHour}} {
		if *f.field <= 0 {
			*f.field = f.value
		}
	}
	if b.Concurrent <= 0 {
		b.Concurrent = d.Concurrent
	}
}

// LimitError means that no request is possible before a time. The caller tries again then, and does
// not occupy a worker until then.
type LimitError struct {
	Until time.Time
	Why   string
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s; again at %s", e.Why, e.Until.UTC().Format(time.RFC3339))
}

// Until returns when a request that failed because of a limit or a pause can be tried again. It
// also accepts go-github's own errors.
func Until(err error, now time.Time) (time.Time, bool) {
	var ours *LimitError
	var paused *PausedError
	var primary *gh.RateLimitError
	var secondary *gh.AbuseRateLimitError
	switch {
	case errors.As(err, &ours):
		return ours.Until, true
	case errors.As(err, &paused):
		return paused.Until, true
	case errors.As(err, &primary):
		return primary.Rate.Reset.Time.Add(time.Second), true
	case errors.As(err, &secondary):
		return now.Add(max(secondary.GetRetryAfter(), time.Minute)), true
	}
	return time.Time{}, false
}

// governor limits the requests of one installation: it enforces the budget, and after a refusal by
// GitHub it sends no request until the time that GitHub gave.
type governor struct {
	next    http.RoundTripper
	now     func() time.Time
	flights *semaphore.Weighted // concurrent requests
	points  window
	minute  window
	hour    window

	mu      sync.Mutex
	blocked LimitError
	refused int    // secondary limits in a row, for the backoff
	of      hourly // GitHub's limit for an hour
}

func newGovernor(b Budget, now func() time.Time, next http.RoundTripper) *governor {
	return &governor{next: next, now: now, flights: semaphore.NewWeighted(b.Concurrent),
		points: window{span: time.Minute, most: b.PointsPerMinute},
		minute: window{span: time.Minute, most: b.ContentPerMinute}, hour: window{span: time.Hour, most: b.ContentPerHour}}
}

// RoundTrip implements http.RoundTripper.
func (g *governor) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.admit(r); err != nil {
		closeBody(r)
		return nil, err
	}
	if err := g.flights.Acquire(r.Context(), 1); err != nil {
		closeBody(r)
		return nil, err
	}
	defer g.flights.Release(1)
	resp, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	g.count(r, resp)
	if refusal := g.judge(resp); refusal != nil {
		resp.Body.Close()
		return nil, refusal
	}
	return resp, nil
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		r.Body.Close()
	}
}

// admit uses the budget, or returns when it is available again.
func (g *governor) admit(r *http.Request) error {
	now := g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.blocked.Until.After(now) {
		e := g.blocked
		return &e
	}
	cost, windows := 1, []*window{&g.points}
	if write := r.Method != http.MethodGet && r.Method != http.MethodHead; write && !asksForToken(r) {
		cost = 5
	}
	if makesContent(r) {
		windows = append(windows, &g.minute, &g.hour)
	}
	for i, w := range windows {
		n := 1
		if i == 0 {
			n = cost
		}
		if until := w.room(now, n); !until.IsZero() {
			return &LimitError{until, "odfix has used its share of GitHub's limits for this installation"}
		}
	}
	g.points.spend(now, cost)
	for _, w := range windows[1:] {
		w.spend(now, 1)
	}
	return nil
}

func asksForToken(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/access_tokens") }

// makesContent reports whether a request notifies people. GitHub has own limits for those.
func makesContent(r *http.Request) bool {
	if r.Method != http.MethodPost {
		return false
	}
	return slices.ContainsFunc([]string{"/comments", "/reviews", "/pulls", "/replies"}, func(end string) bool {
		return strings.HasSuffix(r.URL.Path, end)
	})
}

// judge recognises refusals because of limits. Other errors are for the caller.
func (g *governor) judge(resp *http.Response) error {
	if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		if resp.StatusCode < 300 {
			g.mu.Lock()
			g.refused = 0
			g.mu.Unlock()
		}
		return nil
	}
	now := g.now()
	until, why := g.refusal(resp, now)
	if until.IsZero() {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.blocked = LimitError{until, why}
	e := g.blocked
	return &e
}

// refusal returns the end of a limit, as GitHub recommends: Retry-After, else the reset time if no
// requests are left, else a minute that doubles each time.
func (g *governor) refusal(resp *http.Response, now time.Time) (time.Time, string) {
	const primary, secondary = "GitHub's hourly limit is reached", "GitHub asks for fewer requests at once"
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n >= 0 {
		return now.Add(time.Duration(min(n, 3600)) * time.Second), secondary
	}
	if resp.Header.Get("X-RateLimit-Remaining") == "0" {
		if n, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			at := time.Unix(n, 0).Add(time.Second)
			return clamp(at, now.Add(time.Second), now.Add(time.Hour)), primary
		}
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // an error means an empty body
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if resp.StatusCode == http.StatusTooManyRequests || bytes.Contains(body, []byte("secondary rate limit")) ||
		bytes.Contains(body, []byte("secondary-rate-limits")) {
		g.mu.Lock()
		g.refused = min(g.refused+1, 6)
		n := g.refused
		g.mu.Unlock()
		return now.Add(time.Minute << (n - 1)), secondary
	}
	return time.Time{}, ""
}

func clamp(t, least, most time.Time) time.Time {
	switch {
	case t.Before(least):
		return least
	case t.After(most):
		return most
	}
	return t
}

// window sums up the costs in the last span of time. Its size is bounded by its budget.
type window struct {
	span  time.Duration
	most  int
	spent []expense
	sum   int
}

type expense struct {
	at   time.Time
	cost int
}

// room returns the time when the cost is within the budget. The zero time means now.
func (w *window) room(now time.Time, cost int) time.Time {
	old := 0
	for old < len(w.spent) && !w.spent[old].at.After(now.Add(-w.span)) {
		w.sum -= w.spent[old].cost
		old++
	}
	w.spent = w.spent[old:]
	need := w.sum + cost - w.most
	if need <= 0 {
		return time.Time{}
	}
	for _, e := range w.spent {
		if need -= e.cost; need <= 0 {
			return e.at.Add(w.span)
		}
	}
	return now.Add(w.span) // more than the whole budget
}

func (w *window) spend(now time.Time, cost int) {
	w.spent = append(w.spent, expense{now, cost})
	w.sum += cost
}
