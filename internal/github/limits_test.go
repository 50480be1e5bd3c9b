package github

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// gate is a governor with a server whose answer the test sets.
type gate struct {
	*governor
	t      *testing.T
	mu     sync.Mutex
	clock  time.Time
	answer func(w http.ResponseWriter)
	asked  int
	url    string
}

func newGate(t *testing.T, b Budget) *gate {
	t.Helper()
	g := &gate{t: t, clock: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), answer: func(w http.ResponseWriter) {}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.asked++
		g.answer(w)
	}))
	t.Cleanup(server.Close)
	b.fill()
	g.url = server.URL
	g.governor = newGovernor(b, func() time.Time { return g.clock }, http.DefaultTransport)
	return g
}

// ask returns when a request is possible again. Zero means that it was answered.
func (g *gate) ask(method, path string) time.Duration {
	g.t.Helper()
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.url+path, strings.NewReader("{}"))
	if err != nil {
		g.t.Fatal(err)
	}
	resp, err := g.RoundTrip(r)
	var limit *LimitError
	switch {
	case errors.As(err, &limit):
		return limit.Until.Sub(g.clock)
	case err != nil:
		g.t.Fatal(err)
	}
	resp.Body.Close()
	return 0
}

func TestPointsOfAMinute(t *testing.T) {
	g := newGate(t, Budget{PointsPerMinute: 12})
	for n, c := range []struct {
		method string
		later  time.Duration // how far the clock moves first
		want   time.Duration
	}{
		{"GET", 0, 0}, {"POST", 10 * time.Second, 0}, {"POST", 10 * time.Second, 0}, {"POST", 0, 50 * time.Second},
		{"GET", 0, 0}, {"GET", 0, 40 * time.Second},
		{"GET", 40 * time.Second, 0}, {"POST", 10 * time.Second, 0},
	} {
		g.clock = g.clock.Add(c.later)
		if got := g.ask(c.method, "/repos/a/b/check-runs"); got != c.want {
			t.Errorf("request %d: %s, want %s", n, got, c.want)
		}
	}
}

// TestContentOfAnHour checks that comments have their own budget, and that a request for a token is
// no write.
func TestContentOfAnHour(t *testing.T) {
	g := newGate(t, Budget{ContentPerMinute: 2, ContentPerHour: 3})
	post := func() time.Duration { return g.ask("POST", "/repos/a/b/issues/1/comments") }
	if a, b, c := post(), post(), post(); a != 0 || b != 0 || c != time.Minute {
		t.Errorf("%s %s %s", a, b, c)
	}
	g.clock = g.clock.Add(time.Minute)
	if a, b := post(), post(); a != 0 || b != 59*time.Minute {
		t.Errorf("%s %s", a, b)
	}
	if d := g.ask("PATCH", "/repos/a/b/issues/comments/1"); d != 0 {
		t.Errorf("an update is no new content: %s", d)
	}
}

// TestRefusals checks that odfix follows GitHub's advice and sends no request before that time.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header map[string]string
		body   string
		want   time.Duration // 0: the answer is no limit
	}{
		"retry after":         {403, map[string]string{"Retry-After": "17"}, "", 17 * time.Second},
		"retry after, 429":    {429, map[string]string{"Retry-After": "17"}, "", 17 * time.Second},
		"a day is not waited": {429, map[string]string{"Retry-After": "86400"}, "", time.Hour},
		"nothing left": {403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1777863781"},
			"", time.Minute + time.Second},
		"reset long ago":       {403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}, "", time.Second},
		"secondary, no advice": {403, nil, `{"message":"You have exceeded a secondary rate limit"}`, time.Minute},
		"429 without words":    {429, nil, "", time.Minute},
		"a plain 403":          {403, nil, `{"message":"Resource not accessible by integration"}`, 0},
		"a 403 with some left": {403, map[string]string{"X-RateLimit-Remaining": "12"}, "", 0},
	} {
		g := newGate(t, Budget{})
		g.answer = func(w http.ResponseWriter) {
			for k, v := range c.header {
				w.Header().Set(k, v)
			}
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		}
		if got := g.ask("GET", "/x"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if g.ask("GET", "/x"); c.want > 0 && g.asked != 1 {
			t.Errorf("%s: %d requests", name, g.asked)
		}
		g.clock = g.clock.Add(2 * time.Hour)
		if g.ask("GET", "/x"); c.want > 0 && g.asked != 2 {
			t.Errorf("%s: no request is sent after that time", name)
		}
	}
}

// TestBackingOff checks that each refusal without advice doubles the wait, up to half an hour, and
// that a success resets it.
func TestBackingOff(t *testing.T) {
	g := newGate(t, Budget{})
	refuse := func(w http.ResponseWriter) { w.WriteHeader(429) }
	g.answer = refuse
	for _, want := range []int{1, 2, 4, 8, 16, 32, 32} {
		got := g.ask("GET", "/x")
		if got != time.Duration(want)*time.Minute {
			t.Errorf("%s, want %d minutes", got, want)
		}
		g.clock = g.clock.Add(got)
	}
	g.answer = func(http.ResponseWriter) {}
	g.ask("GET", "/x")
	g.answer = refuse
	if got := g.ask("GET", "/x"); got != time.Minute {
		t.Errorf("after a success: %s", got)
	}
}

// TestInstallationsAreSeparate checks that the budget of one installation does not affect another.
func TestInstallationsAreSeparate(t *testing.T) {
	a, b := newGate(t, Budget{PointsPerMinute: 1}), newGate(t, Budget{PointsPerMinute: 1})
	if a.ask("GET", "/x") != 0 || a.ask("GET", "/x") == 0 || b.ask("GET", "/x") != 0 {
		t.Error("one's requests are counted for the other")
	}
}

// TestRequestsAtOnce checks that no more requests run than the budget allows, and that a waiting
// request can be cancelled.
func TestRequestsAtOnce(t *testing.T) {
	g := newGate(t, Budget{Concurrent: 1})
	hold, held := make(chan struct{}), make(chan struct{})
	g.answer = func(http.ResponseWriter) { close(held); <-hold }
	done := make(chan time.Duration, 1)
	go func() { done <- g.ask("GET", "/x") }()
	<-held
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", g.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.RoundTrip(r); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(hold)
	if d := <-done; d != 0 {
		t.Error(d)
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestUsage checks that used points are reported, and removed after their minute.
func TestUsage(t *testing.T) {
	now := time.Unix(1000, 0)
	b := Budget{PointsPerMinute: 10}
	b.fill()
	answer := http.Response{StatusCode: http.StatusOK, Body: http.NoBody}
	g := newGovernor(b, func() time.Time { return now },
		tripper(func(*http.Request) (*http.Response, error) { r := answer; return &r, nil }))
	a := &App{clients: map[int64]*Client{1: {gate: g}, 2: {gate: newGovernor(b, func() time.Time { return now }, nil)}}}
	ask := func() {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.example.com/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := g.RoundTrip(r); err == nil {
			resp.Body.Close()
		}
	}
	for range 4 {
		ask()
	}
	if u := a.Usage(); u != (Usage{2, 0, 0.6}) {
		t.Errorf("%+v", u)
	}
	answer = http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"90"}}, Body: http.NoBody}
	ask()
	if u := a.Usage(); u.Waiting != 1 {
		t.Errorf("%+v", u)
	}
	now = now.Add(2 * time.Minute)
	if u := a.Usage(); u != (Usage{2, 0, 1}) {
		t.Errorf("%+v", u)
	}
}
