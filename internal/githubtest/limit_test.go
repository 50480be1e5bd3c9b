package githubtest_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

func TestPrimaryLimit(t *testing.T) {
	w := newWorld(t, githubtest.Config{Limits: githubtest.Limits{PerHour: 3}})
	var err error
	for range 4 {
		_, _, err = w.gh.Repositories.Get(w.ctx, "acme", "demo")
	}
	var limit *github.RateLimitError
	if !errors.As(err, &limit) || limit.Rate.Remaining != 0 || limit.Rate.Limit != 3 {
		t.Fatalf("%T %v", err, err)
	}
	fresh := w.client(w.inst) // the other one remembers, and does not even ask
	if _, _, err := fresh.Repositories.Get(w.ctx, "acme", "demo"); !errors.As(err, &limit) {
		t.Errorf("the limit is the installation's: %v", err)
	}
	limits, _, err := fresh.RateLimit.Get(w.ctx)
	w.must(err)
	if limits.Core.Remaining != 0 {
		t.Errorf("%v", limits.Core)
	}
	w.Advance(time.Hour)
	if _, _, err := w.later().Repositories.Get(w.ctx, "acme", "demo"); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}

func TestSecondaryLimitOfContent(t *testing.T) {
	w := newWorld(t, githubtest.Config{Limits: githubtest.Limits{ContentPerMinute: 2}})
	p := w.pull()
	post := func() error {
		_, _, err := w.client(w.inst).Issues.CreateComment(w.ctx, "acme", "demo", p.Number, &github.IssueComment{Body: github.String("x")})
		return err
	}
	w.must(post())
	w.must(post())
	var abuse *github.AbuseRateLimitError
	if err := post(); !errors.As(err, &abuse) || abuse.GetRetryAfter() != time.Minute {
		t.Fatalf("%T %v", err, err)
	}
	w.Advance(61 * time.Second)
	w.must(post())
	// As 429 go-github does not know it for what it is.
	w.SetLimits(githubtest.Limits{ContentPerMinute: 2, SecondaryStatus: 429})
	w.must(post())
	wantError(t, post(), 429, "secondary rate limit")
}

func TestEveryWriteCosts(t *testing.T) {
	w := newWorld(t, githubtest.Config{Limits: githubtest.Limits{PointsPerMinute: 12}})
	sha, err := w.repo.Head(w.ctx, "main")
	w.must(err)
	check := func() int {
		return w.do(w.gh, "POST", "/repos/acme/demo/check-runs", o{"name": "n", "head_sha": sha}).status
	}
	if a, b, c := check(), check(), check(); a != 201 || b != 201 || c != 403 {
		t.Errorf("%d %d %d", a, b, c)
	}
}

func TestNotModified(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	_, first, err := w.gh.Repositories.Get(w.ctx, "acme", "demo")
	w.must(err)
	tag := first.Header.Get("ETag")
	r := w.do(w.gh, "GET", "/repos/acme/demo", nil, "If-None-Match", tag)
	if r.status != 304 || len(r.body) != 0 || r.header.Get("X-RateLimit-Remaining") != first.Header.Get("X-RateLimit-Remaining") {
		t.Errorf("%d %s, remaining %s after %s", r.status, r.body, r.header.Get("X-RateLimit-Remaining"), first.Header.Get("X-RateLimit-Remaining"))
	}
	_, err = w.repo.Commit(w.ctx, w.dev, "main", "x", githubtest.Change{Files: map[string]string{"x": "x"}})
	w.must(err)
	w.Advance(time.Second)
	w.pull()
	if r := w.do(w.gh, "GET", "/repos/acme/demo", nil, "If-None-Match", tag); r.status != 200 {
		t.Errorf("after a change: %d", r.status)
	}
	// go-github takes a 304 for an error.
	req, err := w.gh.NewRequest("GET", "rate_limit", nil)
	w.must(err)
	resp, err := w.gh.Do(w.ctx, req, nil)
	w.must(err)
	if id := resp.Header.Get("X-GitHub-Request-Id"); id == "" {
		t.Error("no request id")
	}
}

func TestPages(t *testing.T) {
	w := newWorld(t, githubtest.Config{Limits: githubtest.Limits{ContentPerMinute: -1, PointsPerMinute: -1}})
	p := w.pull()
	for range 5 {
		p.Comment(w.ctx, w.dev, "x")
	}
	opts := &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 2}}
	var sizes []int
	for {
		part, resp, err := w.gh.Issues.ListComments(w.ctx, "acme", "demo", p.Number, opts)
		w.must(err)
		sizes = append(sizes, len(part))
		if resp.NextPage == 0 {
			if resp.FirstPage != 1 || resp.PrevPage != 2 {
				t.Errorf("last page: %+v", resp)
			}
			break
		}
		if resp.LastPage != 3 {
			t.Errorf("last page is %d", resp.LastPage)
		}
		opts.Page = resp.NextPage
	}
	if len(sizes) != 3 || sizes[2] != 1 {
		t.Errorf("pages of %v", sizes)
	}
}

func TestFaults(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	comment := func() error {
		_, _, err := w.client(w.inst).Issues.CreateComment(w.ctx, "acme", "demo", p.Number, &github.IssueComment{Body: github.String("x")})
		return err
	}
	count := func() int {
		st, err := p.State(w.ctx)
		w.must(err)
		return len(st.Comments)
	}
	w.Fail(githubtest.Fault{Operation: "issues/create-comment"})
	wantError(t, comment(), 502, "")
	if count() != 0 {
		t.Error("a request that failed took effect")
	}
	w.Fail(githubtest.Fault{Operation: "issues/create-comment", Kind: githubtest.CutOff, After: true})
	if err := comment(); err == nil || count() != 1 {
		t.Errorf("an answer that was lost: %v, %d comments", err, count())
	}
	w.Fail(githubtest.Fault{Operation: "issues/create-comment", Kind: githubtest.SecondaryLimit, RetryAfter: 7})
	var abuse *github.AbuseRateLimitError
	if err := comment(); !errors.As(err, &abuse) || abuse.GetRetryAfter() != 7*time.Second {
		t.Errorf("%T %v", err, err)
	}
	w.Fail(githubtest.Fault{Operation: "issues/create-comment", Kind: githubtest.PrimaryLimit})
	var limit *github.RateLimitError
	if err := comment(); !errors.As(err, &limit) {
		t.Errorf("%T %v", err, err)
	}
	w.Fail(githubtest.Fault{Path: "/pulls/", Kind: githubtest.Missing, Skip: 1, Times: 2})
	var got []int
	for range 4 {
		got = append(got, w.do(w.gh, "GET", "/repos/acme/demo/pulls/1", nil).status)
	}
	if got[0] != 200 || got[1] != 404 || got[2] != 404 || got[3] != 200 {
		t.Errorf("%v", got)
	}
}

// Requests whose bodies are still on their way count as under way.
func TestRequestsUnderWay(t *testing.T) {
	w := newWorld(t, githubtest.Config{Limits: githubtest.Limits{Concurrent: 2}})
	for range 2 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
		w.must(err)
		defer func() { _ = conn.Close() }()
		_, err = io.WriteString(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
		w.must(err)
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(line, "100") { // the server waits for the body
			t.Fatalf("%q %v", line, err)
		}
	}
	r := w.do(w.bearer(""), "GET", "/users/dev", nil)
	if r.status != 403 || !strings.Contains(r.message(t), "secondary rate limit") || r.header.Get("Retry-After") != "60" {
		t.Errorf("%d %s", r.status, r.body)
	}
}
