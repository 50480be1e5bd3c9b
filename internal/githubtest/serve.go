package githubtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// Request is one request that reached the API.
type Request struct {
	At        time.Time
	Method    string
	Path      string // with its query
	Operation string // its id in GitHub's description; empty: unknown
	As        string // the sender: "app 420001", "installation 51000001", "anonymous"
	Body      string
	Status    int
}

// Mismatch is a message that does not fit GitHub's description of it.
type Mismatch struct {
	Where  string // "request", "answer", "webhook" or "download"
	What   string // the operation or the event
	Detail string
}

func (m Mismatch) String() string { return m.Where + " " + m.What + ": " + m.Detail }

// call is one request to the API while it is answered.
type call struct {
	s      *Server
	r      *http.Request
	ctx    context.Context
	end    *endpoint
	params map[string]string
	body   []byte
	by     *caller
	repo   *Repository
}

// maxBody is larger than the largest body of any operation.
const maxBody = 40 << 20

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusRequestEntityTooLarge)
		return
	}
	a, cut := s.reply(r, body)
	if cut {
		// A connection that breaks: the client cannot know what happened.
		panic(http.ErrAbortHandler)
	}
	send(w, r, a)
}

// reply answers one request. cut means that the connection is closed without the answer.
func (s *Server) reply(r *http.Request, body []byte) (a answer, cut bool) {
	defer s.lock()()
	defer s.touch()
	// A request is completed even if its client disconnects.
	c := &call{s: s, r: r, ctx: s.ended, body: body}
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3") // of clients for GitHub Enterprise
	c.end, c.params = s.route(r.Method, path)
	fault := s.fault(c)
	if fault != nil && !fault.After {
		a, cut = fault.answer()
	} else {
		a = c.settle()
	}
	if fault != nil && fault.After {
		a, cut = fault.answer()
	}
	c.headers(&a)
	s.requests = append(s.requests, c.record(a))
	return a, cut
}

func (c *call) record(a answer) Request {
	r := Request{At: time.Now().Add(c.s.offset), Method: c.r.Method, Path: c.r.URL.RequestURI(), Body: string(c.body), Status: a.status, As: c.by.String()}
	if c.end != nil {
		r.Operation = c.end.op.ID
	}
	return r
}

// settle runs the checks and the handler, and encodes the answer.
func (c *call) settle() answer {
	a, err := c.guarded()
	var p *problem
	switch {
	case errors.As(err, &p):
		a = p.answer(c.docs())
	case err != nil:
		c.s.mismatch("answer", c.what(), "the stand-in failed: "+err.Error())
		a = refuse(http.StatusInternalServerError, "Server Error").answer(c.docs())
	}
	if a.body != nil {
		a.raw, err = json.Marshal(a.body)
		if err != nil {
			c.s.mismatch("answer", c.what(), err.Error())
		}
		a.media = "application/json; charset=utf-8"
	}
	if c.end != nil {
		header := http.Header{"Content-Type": {a.media}}
		if err := c.end.op.CheckAnswer(c.r, c.params, a.status, header, a.raw); err != nil {
			c.s.mismatch("answer", c.what(), fmt.Sprintf("status %d: %v", a.status, err))
		}
	}
	return a
}

// guarded turns a panic into an error: one request must not end the server.
func (c *call) guarded() (a answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return c.handle()
}

func (c *call) handle() (answer, error) {
	if c.r.UserAgent() == "" {
		return answer{}, refuse(http.StatusForbidden,
			"Request forbidden by administrative rules. Please make sure your request has a User-Agent header "+
				"(https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required). "+
				"Check https://developer.github.com for other possible causes.")
	}
	if v := c.r.Header.Get("X-GitHub-Api-Version"); v != "" && v != "2022-11-28" {
		return answer{}, refuse(http.StatusBadRequest,
			fmt.Sprintf("%q is not a supported version. The supported versions are: 2022-11-28", v))
	}
	by, err := c.s.authenticate(c.r)
	c.by = by
	if err != nil {
		return answer{}, err
	}
	if err := c.meter(); err != nil {
		return answer{}, err
	}
	if c.end == nil {
		c.s.mismatch("request", c.r.Method+" "+c.r.URL.Path, "the stand-in does not have this operation")
		return answer{}, notFound()
	}
	if err := c.admit(); err != nil {
		return answer{}, err
	}
	if err := c.wellFormed(); err != nil {
		return answer{}, err
	}
	return c.end.do(c)
}

// wellFormed checks the request against the description. A request that does not fit is a
// mismatch, and is refused where GitHub refuses it.
func (c *call) wellFormed() error {
	if bytes.Equal(bytes.TrimSpace(c.body), []byte("null")) {
		c.body = nil // ghinstallation sends it for an empty body; GitHub accepts it
	}
	if trimmed := bytes.TrimSpace(c.body); len(trimmed) > 0 {
		var value any
		if err := json.Unmarshal(trimmed, &value); err != nil {
			c.s.mismatch("request", c.what(), "the body is not JSON")
			return refuse(http.StatusBadRequest, "Problems parsing JSON")
		}
	}
	refusal, mismatch := c.end.op.CheckRequest(c.r, c.params, c.body)
	if mismatch != nil {
		c.s.mismatch("request", c.what(), mismatch.Error())
	}
	if refusal != "" {
		return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\n"+refusal)
	}
	return nil
}

// decode reads the body into a struct. An empty body is an empty object. The body fits its
// description, so an error is a defect of the stand-in.
func (c *call) decode(into any) {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		panic(err)
	}
}

func (c *call) what() string {
	if c.end == nil {
		return c.r.Method + " " + c.r.URL.Path
	}
	return c.end.op.ID
}

func (c *call) docs() string {
	if c.end == nil {
		return "https://docs.github.com/rest"
	}
	return c.end.op.Docs
}

func (s *Server) mismatch(where, what, detail string) {
	s.mismatches = append(s.mismatches, Mismatch{where, what, detail})
}

// Mismatches returns the messages so far that do not fit GitHub's descriptions.
func (s *Server) Mismatches() []Mismatch {
	defer s.lock()()
	return append([]Mismatch(nil), s.mismatches...)
}

// TakeMismatches returns the mismatches and clears them, for tests that provoke some.
func (s *Server) TakeMismatches() []Mismatch {
	defer s.lock()()
	all := s.mismatches
	s.mismatches = nil
	return all
}

// Requests returns all requests that reached the API, oldest first.
func (s *Server) Requests() []Request {
	defer s.lock()()
	return append([]Request(nil), s.requests...)
}

// headers adds the headers of every answer. An answer that the client has already, by its
// ETag, becomes a 304.
func (c *call) headers(a *answer) {
	if a.header == nil {
		a.header = http.Header{}
	}
	h := a.header
	h.Set("Server", "github.com")
	h.Set("X-GitHub-Request-Id", strings.ToUpper(randomHex(2)+":"+randomHex(3)+":"+randomHex(4)))
	h.Set("X-GitHub-Media-Type", "github.v3; format=json")
	h.Set("X-GitHub-Api-Version-Selected", "2022-11-28")
	if a.media != "" {
		h.Set("Content-Type", a.media)
	}
	if c.end != nil && c.end.need != "" {
		h.Set("X-Accepted-GitHub-Permissions", strings.NewReplacer(":", "=", "|", "; ").Replace(c.end.need))
	}
	if a.status == http.StatusOK && (c.r.Method == http.MethodGet || c.r.Method == http.MethodHead) {
		sum := sha256.Sum256(a.raw)
		tag := `W/"` + hex.EncodeToString(sum[:]) + `"`
		h.Set("ETag", tag)
		h.Set("Cache-Control", "private, max-age=60, s-maxage=60")
		h.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, Accept, X-Requested-With")
		if match := c.r.Header.Get("If-None-Match"); match != "" && strings.Contains(match, strings.TrimPrefix(tag, "W/")) {
			a.status, a.raw = http.StatusNotModified, nil
		}
	}
	c.rateHeaders(h)
}

func send(w http.ResponseWriter, r *http.Request, a answer) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.raw) // an error means that the client is gone
	}
}
