package github

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Bounds on the memory for answers of GitHub's API, which hold texts that strangers write: a page of
// a list can have 100 of them, of up to 256 KiB each. Decoding takes a few times as much memory.
const (
	mostAnswer   = 8 << 20
	largeAnswer  = 1 << 20 // from here on, an answer needs a place
	largeAnswers = 4       // places
)

// answers bounds the answers that are read at once.
type answers struct {
	next   http.RoundTripper
	places chan struct{}
}

func newAnswers(next http.RoundTripper) *answers {
	return &answers{next: next, places: make(chan struct{}, largeAnswers)}
}

// RoundTrip implements http.RoundTripper. Archives are not JSON; downloads have limits of their own.
func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := a.next.RoundTrip(r)
	if err == nil && strings.Contains(resp.Header.Get("Content-Type"), "json") {
		b := &answerBody{ReadCloser: resp.Body, of: a, ctx: r.Context(), most: mostAnswer}
		if resp.StatusCode >= http.StatusMultipleChoices {
			b.most = largeAnswer // go-github does not close it, so a place would not be given back
		}
		resp.Body = b
	}
	return resp, err
}

// answerBody is the body of an answer. Close gives its place back.
type answerBody struct {
	io.ReadCloser
	of      *answers
	ctx     context.Context //nolint:containedctx // of the request
	n, most int
	large   bool
}

// Read implements io.Reader.
func (b *answerBody) Read(p []byte) (int, error) {
	if b.n > largeAnswer && !b.large {
		select {
		case b.of.places <- struct{}{}:
			b.large = true
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
	n, err := b.ReadCloser.Read(p)
	if b.n += n; b.n > b.most {
		return 0, fmt.Errorf("%w: an answer of GitHub's API has more than %d MiB", ErrLarge, b.most>>20)
	}
	return n, err
}

// Close implements io.Closer.
func (b *answerBody) Close() error {
	if b.large {
		b.large, b.n = false, 0
		<-b.of.places
	}
	return b.ReadCloser.Close()
}
