package github

import (
	"cmp"
	"context"
	"io"
	"net/http"

	gh "github.com/google/go-github/v60/github"
)

// newREST is a client of GitHub's API. It bounds the time of each request, and follows no redirect
// to another host. No transport means http.DefaultTransport.
func newREST(t http.RoundTripper) *gh.Client {
	c := gh.NewClient(&http.Client{Transport: timed{cmp.Or(t, http.DefaultTransport)}, CheckRedirect: sameHost})
	c.UserAgent = "odfix"
	return c
}

// timed gives a request and the reading of its answer the time requestTime. It is instead of
// http.Client's Timeout, which keeps a goroutine until the body is closed or the time is over:
// go-github only reads the body of an error to its end.
type timed struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t timed) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), requestTime)
	resp, err := t.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = timedBody{resp.Body, cancel}
	return resp, nil
}

// timedBody is the body of an answer. Its end is the end of the request.
type timedBody struct {
	io.ReadCloser
	done context.CancelFunc
}

// Read implements io.Reader.
func (b timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.done()
	}
	return n, err
}

// Close implements io.Closer.
func (b timedBody) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}
