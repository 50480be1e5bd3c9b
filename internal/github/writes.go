package github

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// Write is a request of an installation that changes something on GitHub.
type Write struct {
	ID           string // the same before and after
	Installation int64
	Repository   int64  // 0: it is known by its name only
	Method, Path string // the path in GitHub's API
	// Answered is false before the request, true after it.
	Answered bool
	Status   int // 0: there was no answer, so it is not known whether the change was made
	URL      string
	RemoteID int64
	SHA      string // of a commit
}

// WriteLog is called before a write, and again after it. An error before it keeps it from being sent.
type WriteLog func(context.Context, Write) error

// recorded passes requests on, and calls log around those that change something.
type recorded struct {
	through http.RoundTripper
	log     WriteLog
	api     string // path of the API
	key     scopeKey
	app     int64 // the installation
}

// logTime bounds the second record, which is made also if the caller has gone.
const logTime = 10 * time.Second

// RoundTrip implements http.RoundTripper.
func (t recorded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return t.through.RoundTrip(r)
	}
	w := Write{ID: strings.ToLower(rand.Text()), Installation: t.app, Repository: t.key.repository, Method: r.Method,
		Path: strings.TrimPrefix(r.URL.EscapedPath(), t.api)}
	if err := t.log(r.Context(), w); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	answer, err := t.through.RoundTrip(r)
	w.Answered = true
	if err == nil {
		w.Status = answer.StatusCode
		w.written(answer)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), logTime)
	defer cancel()
	_ = t.log(ctx, w) // the first record says that it may be written
	return answer, err
}

// maxAnswer bounds what is read of an answer for the record, in bytes.
const maxAnswer = 1 << 20

// written reads what GitHub has written from its answer, which can be read again afterwards.
func (w *Write) written(answer *http.Response) {
	if answer.StatusCode >= 300 {
		return
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	var rest io.Reader = answer.Body
	if err != nil {
		rest = failing{err}
	}
	answer.Body = again{io.MultiReader(bytes.NewReader(text), rest), answer.Body}
	var made struct {
		ID     int64  `json:"id"`
		HTML   string `json:"html_url"`
		URL    string `json:"url"`
		SHA    string `json:"sha"`
		Object struct {
			SHA string `json:"sha"`
		} `json:"object"`
	}
	if json.Unmarshal(text, &made) == nil { // else there is no such answer, such as that of a deletion
		w.RemoteID, w.URL, w.SHA = made.ID, cmp.Or(made.HTML, made.URL), cmp.Or(made.SHA, made.Object.SHA)
	}
}

// again is a body of which a part was read.
type again struct {
	io.Reader
	io.Closer
}

// failing is a reader that fails.
type failing struct{ err error }

// Read implements io.Reader.
func (f failing) Read([]byte) (int, error) { return 0, f.err }
