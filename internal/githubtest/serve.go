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
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// Request is one that reached the API.
type Request struct {
	At        time.Time
	Method    string
	Path      string // with its query
	Operation string // GitHub's id of it, empty where there is none
	As        string // who sent it: "app 420001", "installation 51000001", "anonymous"
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

// maxBody is beyond what any operation takes.
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

// reply answers one request; cut says that the answer is to be lost.
func (s *Server) reply(r *http.Request, body []byte) (a answer, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.touch()
	// What was begun is finished, even where the client has gone away meanwhile.
	c := &call{s: s, r: r, ctx: s.ended, body: body}
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3") // clients set up for GitHub Enterprise
	c.end, c.params = s.route(r.Method, path)
	fault := s.fault(c)
	if fault != nil && !fault.After {
		a, cut = fault.answer(s)
	} else {
		a = c.settle()
	}
	if fault != nil && fault.After {
		a, cut = fault.answer(s)
	}
	c.headers(&a)
	s.requests = append(s.requests, c.record(a))
	return a, cut
}

func (c *call) record(a answer) Request {
	r := Request{At: c.s.now(), Method: c.r.Method, Path: c.r.URL.RequestURI(), Body: string(c.body), Status: a.status, As: c.by.String()}
	if c.end != nil {
		r.Operation = c.end.op.ID
	}
	return r
}

// settle runs the request through everything that may refuse it and its handler.
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

// guarded makes an error of a panic, so that one bad request does not end the server.
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
		return answer{}, refuse(http.StatusForbidden, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header (https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required). Check https://developer.github.com for other possible causes.")
	}
	if v := c.r.Header.Get("X-GitHub-Api-Version"); v != "" && v != "2022-11-28" {
		return answer{}, refuse(http.StatusBadRequest, fmt.Sprintf("%q is not a supported version. The supported versions are: 2022-11-28", v))
	}
	by, err := c.s.authenticate(c.r)
	c.by = by
	if err != nil {
		return answer{}, err
	}
	if err := c.meter(); err != nil {
		return answer{}, err
	}
	if c.r.Method == http.MethodPost && (c.r.URL.Path == "/graphql" || c.r.URL.Path == "/api/graphql") {
		return c.graphql()
	}
	if c.end == nil {
		c.s.mismatch("request", c.r.Method+" "+c.r.URL.Path, "the stand-in knows no such operation")
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

// wellFormed checks the request against the description, and answers as GitHub
// does where it does not fit.
func (c *call) wellFormed() error {
	if bytes.Equal(bytes.TrimSpace(c.body), []byte("null")) {
		c.body = nil // what ghinstallation sends where it has nothing to say; GitHub takes it
	}
	if trimmed := bytes.TrimSpace(c.body); len(trimmed) > 0 {
		var value any
		if err := json.Unmarshal(trimmed, &value); err != nil {
			c.s.mismatch("request", c.what(), "the body is not JSON")
			return refuse(http.StatusBadRequest, "Problems parsing JSON")
		}
	}
	err := c.end.op.CheckRequest(c.r, c.params, c.body)
	if err != nil {
		c.s.mismatch("request", c.what(), err.Error())
	}
	if says := c.end.op.Complaint(c.r, c.params, c.body); says != "" {
		return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\n"+says)
	}
	return nil
}

// decode reads the body into a struct; an empty body is an empty object.
func (c *call) decode(into any) error {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\n"+err.Error())
	}
	return nil
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

// Mismatches are the messages so far that do not fit GitHub's descriptions.
func (s *Server) Mismatches() []Mismatch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mismatch(nil), s.mismatches...)
}

// TakeMismatches gives them and forgets them, for tests that provoke some.
func (s *Server) TakeMismatches() []Mismatch {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.mismatches
	s.mismatches = nil
	return all
}

// Requests are all requests that reached the API, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// headers adds what GitHub adds to every answer, and turns an answer that the
// client has already into a 304.
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
			c.refund()
		}
	}
	c.rateHeaders(h)
}

func send(w http.ResponseWriter, r *http.Request, a answer) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.raw) // the client is gone
	}
}
