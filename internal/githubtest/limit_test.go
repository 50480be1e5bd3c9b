package githubtest_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

func (w *world) comment(p *githubtest.PullRequest) error {
	_, _, err := w.client(w.inst).Issues.CreateComment(w.ctx, "acme", "demo", p.Number, &github.IssueComment{Body: github.String("x")})
	return err
}

func TestSecondaryLimitOfContent(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	for range 80 {
		w.must(w.comment(p))
	}
	var abuse *github.AbuseRateLimitError
	if err := w.comment(p); !errors.As(err, &abuse) || abuse.GetRetryAfter() != time.Minute {
		t.Fatalf("%T %v", err, err)
	}
	w.Advance(61 * time.Second)
	w.must(w.comment(p))
}

// A write costs five points, a read one.
func TestPointsPerMinute(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	check := func() int {
		return w.do(w.gh, "POST", "/repos/acme/demo/check-runs", o{"name": "n", "head_sha": p.HeadSha()}).status
	}
	for i := range 180 {
		if got := check(); got != 201 {
			t.Fatalf("check %d: %d", i, got)
		}
	}
	if got := check(); got != 403 {
		t.Errorf("beyond 900 points: %d", got)
	}
}

// A request counts from the time when its body is still missing.
func TestConcurrentRequests(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	w.pull()
	for range 100 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
		w.must(err)
		defer func() { _ = conn.Close() }()
		_, err = io.WriteString(conn, "POST /app/installations/1/access_tokens HTTP/1.1\r\nHost: x\r\n"+
			"Content-Length: 10\r\nExpect: 100-continue\r\n\r\n")
		w.must(err)
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(line, "100") { // the server waits for the body
			t.Fatalf("%q %v", line, err)
		}
	}
	r := w.do(w.bearer(""), "GET", "/app", nil)
	if r.status != 403 || !strings.Contains(r.message(t), "secondary rate limit") || r.header.Get("Retry-After") != "60" {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestNotModified(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	path := fmt.Sprintf("/repos/acme/demo/pulls/%d/files", p.Number)
	tag := w.do(w.gh, "GET", path, nil).header.Get("ETag")
	if r := w.do(w.gh, "GET", path, nil, "If-None-Match", tag); r.status != 304 || len(r.body) != 0 {
		t.Errorf("%d %s", r.status, r.body)
	}
	_, err := p.Push(w.ctx, "More", githubtest.Change{Files: map[string]string{"x": "x"}})
	w.must(err)
	if r := w.do(w.gh, "GET", path, nil, "If-None-Match", tag); r.status != 200 {
		t.Errorf("after a change: %d", r.status)
	}
}

func TestPages(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
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
	count := func() int {
		st, err := p.State(w.ctx)
		w.must(err)
		return len(st.Comments)
	}
	w.Fail(githubtest.Fault{Operation: "issues/create-comment"})
	wantError(t, w.comment(p), 502, "")
	if count() != 0 {
		t.Error("a failed request took effect")
	}
	w.Fail(githubtest.Fault{Operation: "issues/create-comment", Kind: githubtest.CutOff, After: true})
	if err := w.comment(p); err == nil || count() != 1 {
		t.Errorf("a lost answer: %v, %d comments", err, count())
	}
	w.Fail(githubtest.Fault{Operation: "issues/create-comment", Kind: githubtest.SecondaryLimit, RetryAfter: 7})
	var abuse *github.AbuseRateLimitError
	if err := w.comment(p); !errors.As(err, &abuse) || abuse.GetRetryAfter() != 7*time.Second {
		t.Errorf("%T %v", err, err)
	}
	// go-github returns a plain error for a 429.
	w.Fail(githubtest.Fault{Operation: "issues/create-comment", Kind: githubtest.SecondaryLimit, Status: 429})
	wantError(t, w.comment(p), 429, "secondary rate limit")
	w.Fail(githubtest.Fault{Operation: "pulls/get", Kind: githubtest.Missing, Times: 2})
	var got []int
	for range 3 {
		got = append(got, w.do(w.gh, "GET", "/repos/acme/demo/pulls/1", nil).status)
	}
	if got[0] != 404 || got[1] != 404 || got[2] != 200 {
		t.Errorf("%v", got)
	}
}
