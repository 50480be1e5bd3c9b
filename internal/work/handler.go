package work

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
)

// Tasks are the server's tasks, as a handler needs them. Errors wrap ErrDenied if the token is not
// the one of the task's attempt, and ErrOver if the task has ended.
type Tasks interface {
	// Claim gives the next task to a worker, which identity names; nil: there is none now, and none
	// within wait.
	Claim(ctx context.Context, worker string, wait time.Duration) (*Claim, error)
	// Held is what the server knows about the task of a token.
	Held(ctx context.Context, id, token string) (Held, error)
	// Source writes the task's sources, packed. It returns ErrRefused if there are none.
	Source(ctx context.Context, id, token string, w io.Writer) error
	// Take takes messages, of which the first has this number, and skips those that it has.
	// The error is a *GapError if there are messages missing before the first.
	Take(ctx context.Context, id, token string, first int64, all []Message) (Status, error)
	// Fail ends the task with an error.
	Fail(ctx context.Context, id, token string, e *job.Error) error
}

// Held is a task that a worker has.
type Held struct{ MaxReport int } // as in job.Job; 0: the largest

// GapError says that messages are missing.
type GapError struct{ Next int64 } // the number of the first missing message

func (e *GapError) Error() string { return "messages are missing before these" }

// HandlerOptions are for NewHandler. Tasks and Tokens are required.
type HandlerOptions struct {
	Tasks Tasks
	// Tokens returns the credentials that workers may have: several during a change of the
	// credential. It is called for each claim.
	Tokens func() []string
	Log    *zap.Logger // nil: none
}

// handler answers workers.
type handler struct {
	o      HandlerOptions
	rates  rates
	right  rightTokens
	bodies places // of messages in memory
	loads  places // of sources that are sent
}

// How many requests are handled at once. Further ones are asked to come again.
const (
	mostBodies = 16
	mostLoads  = 16
)

// NewHandler answers the requests below Prefix.
func NewHandler(o HandlerOptions) http.Handler {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	h := &handler{o: o, bodies: places{most: mostBodies}, loads: places{most: mostLoads}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+pathClaim, h.claim)
	mux.HandleFunc("GET "+pathTask, h.task)
	mux.HandleFunc("GET "+pathSource, h.source)
	mux.HandleFunc("POST "+pathMessages, h.messages)
	mux.HandleFunc("POST "+pathFailed, h.failed)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, known := mux.Handler(r); known == "" {
			w.Header().Set("Connection", "close") // a stranger keeps no connection
		}
		mux.ServeHTTP(w, r)
	})
}

// bearer is the request's credential; "" if it has none.
func bearer(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || len(token) > 512 {
		return ""
	}
	return token
}

// worker reports whether the credential is one of the workers'. Hashes are compared, so that the
// time says nothing about a credential.
func (h *handler) worker(token string) bool {
	given, is := sha256.Sum256([]byte(token)), 0
	for _, t := range h.o.Tokens() {
		known := sha256.Sum256([]byte(t))
		if t != "" {
			is |= subtle.ConstantTimeCompare(known[:], given[:])
		}
	}
	return is == 1 && token != ""
}

func (h *handler) claim(w http.ResponseWriter, r *http.Request) {
	if !h.worker(bearer(r)) { // first: others at the worker's address must not use up its claims
		h.refuse(w, r, ErrDenied)
		return
	}
	if !h.rates.allow("claim "+host(r), 200) || !h.rates.allow("claim of "+mark(identity(bearer(r), "")), 400) {
		h.refuse(w, r, errBusy)
		return
	}
	var in Request
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSmall))
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err != nil || in.Slots < 1 || len(in.Worker) > 200 {
		h.refuse(w, r, ErrRefused)
		return
	}
	c, err := h.o.Tasks.Claim(r.Context(), identity(bearer(r), in.Worker), min(time.Duration(max(in.Wait, 0))*time.Second, MaxWait))
	switch {
	case err != nil:
		h.refuse(w, r, err)
	case c == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		h.right.keep(c.ID, c.Token, true)
		h.o.Log.Info("task claimed", zap.String("task", c.ID), zap.String("worker", in.Worker))
		answer(w, http.StatusOK, c)
	}
}

// taskID matches the ids of tasks. Others are not looked up.
var taskID = regexp.MustCompile(`^[a-z0-9]{1,40}$`)

// held authenticates a request about a task. Tests can have the address of their worker, so requests with
// a token that was right count for the task, and only others for the address.
func (h *handler) held(w http.ResponseWriter, r *http.Request) (id, token string, task Held, ok bool) {
	id, token = r.PathValue("id"), bearer(r)
	key, most := "host "+host(r), 1000
	if h.right.has(id, token) {
		key, most = "task "+id, 50
	}
	if !h.rates.allow(key, most) {
		h.refuse(w, r, errBusy)
		return id, token, task, false
	}
	if token == "" || !taskID.MatchString(id) {
		h.refuse(w, r, ErrDenied)
		return id, token, task, false
	}
	task, err := h.o.Tasks.Held(r.Context(), id, token)
	if right := err == nil; right || errors.Is(err, ErrDenied) || errors.Is(err, ErrOver) {
		h.right.keep(id, token, right)
	}
	if err != nil {
		h.refuse(w, r, err)
	}
	return id, token, task, err == nil
}

func (h *handler) task(w http.ResponseWriter, r *http.Request) {
	if _, _, _, ok := h.held(w, r); ok {
		w.WriteHeader(http.StatusNoContent)
	}
}

// slowest is the time in which a worker has to take a part of the sources.
const slowest = 30 * time.Second

func (h *handler) source(w http.ResponseWriter, r *http.Request) {
	id, token, _, ok := h.held(w, r)
	if !ok || !h.enter(w, r, &h.loads, id) {
		return
	}
	defer h.loads.leave(id)
	out := &paced{w: w, control: http.NewResponseController(w)}
	err := h.o.Tasks.Source(r.Context(), id, token, out)
	switch {
	case err != nil && !out.begun:
		h.refuse(w, r, err)
	case err != nil:
		h.o.Log.Warn("sources not sent", zap.String("task", id), zap.Error(err))
		panic(http.ErrAbortHandler) // the worker sees that the rest is missing
	}
}

// paced writes a long answer. Each part of it has a time limit.
type paced struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

// Write implements io.Writer.
func (p *paced) Write(b []byte) (int, error) {
	if !p.begun {
		p.begun = true
		p.w.Header().Set("Content-Type", "application/gzip")
	}
	_ = p.control.SetWriteDeadline(time.Now().Add(slowest)) // recorders of tests have none
	return p.w.Write(b)
}

func (h *handler) messages(w http.ResponseWriter, r *http.Request) {
	id, token, task, ok := h.held(w, r)
	if !ok || !h.enter(w, r, &h.bodies, id) {
		return
	}
	defer h.bodies.leave(id)
	first, err := strconv.ParseInt(r.URL.Query().Get("first"), 10, 64)
	if err != nil || first < 1 {
		h.refuse(w, r, ErrRefused)
		return
	}
	most := task.MaxReport
	if most <= 0 {
		most = maxReport
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(min(most+maxBody-maxReport, maxBody))))
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	all, bad := readMessages(body, most)
	if bad != nil { // the worker would send the same again
		err := h.o.Tasks.Fail(r.Context(), id, token, bad)
		h.o.Log.Warn("a worker's messages are refused", zap.String("task", id), zap.String("why", bad.Message), zap.Error(err))
		h.refuse(w, r, ErrRefused)
		return
	}
	status, err := h.o.Tasks.Take(r.Context(), id, token, first, all)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	answer(w, http.StatusOK, status)
}

// readMessages reads a body. Log entries of runners become signs of life: workers keep them.
func readMessages(body []byte, most int) ([]Message, *job.Error) {
	var out []Message
	for line := range bytes.Lines(body) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if len(out) == maxLines {
			return nil, &job.Error{Code: CodeLimits, Message: "the worker sent too many messages at once"}
		}
		if bytes.HasPrefix(line, []byte(`{"contacted"`)) {
			m, err := readContacts(line)
			if err != nil {
				return nil, &job.Error{Code: CodeLimits, Message: "the worker's list of hosts cannot be read: " + err.Error()}
			}
			out = append(out, m)
			continue
		}
		l, bad := dispatch.ReadLine(line, most)
		if bad != nil {
			return nil, bad
		}
		out = append(out, Message{Event: l.Event, Report: l.Report, Alive: l.Event == nil && l.Report == nil})
	}
	return out, nil
}

func readContacts(line []byte) (Message, error) {
	var m Message
	if err := job.BoundsOf(maxEvent).Check(line); err != nil {
		return m, err
	}
	err := json.Unmarshal(line, &m)
	if len(m.Contacted) > maxContacts {
		err = errors.Join(err, job.ErrBounds)
	}
	return Message{Contacted: m.Contacted}, err
}

func (h *handler) failed(w http.ResponseWriter, r *http.Request) {
	id, token, _, ok := h.held(w, r)
	if !ok {
		return
	}
	var e job.Error
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSmall))
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil || e.Code == "" || e.Message == "" {
		h.refuse(w, r, ErrRefused)
		return
	}
	if err := h.o.Tasks.Fail(r.Context(), id, token, &e); err != nil {
		h.refuse(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// enter takes the task's place among those of a kind.
func (h *handler) enter(w http.ResponseWriter, r *http.Request, p *places, id string) bool {
	free := p.enter(id)
	if !free {
		h.refuse(w, r, errBusy)
	}
	return free
}

var errBusy = errors.New("too many requests: try again later")

// refuse answers with an error. What is not known here is only logged.
func (h *handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, p := http.StatusInternalServerError, Problem{Error: "the server has a problem; its log has more"}
	var gap *GapError
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, ErrDenied):
		status, p.Error = http.StatusUnauthorized, ErrDenied.Error()
		w.Header().Set("Connection", "close")
	case errors.Is(err, ErrOver):
		status, p.Error = http.StatusGone, ErrOver.Error()
	case errors.As(err, &gap):
		status, p = http.StatusConflict, Problem{Error: gap.Error(), Next: gap.Next}
	case errors.As(err, &large):
		status, p.Error = http.StatusRequestEntityTooLarge, "the body is too large"
	case errors.Is(err, ErrRefused):
		status, p.Error = http.StatusBadRequest, err.Error()
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		w.Header().Set("Connection", "close")
		status, p.Error = http.StatusTooManyRequests, errBusy.Error()
	case r.Context().Err() == nil:
		h.o.Log.Error("a worker's request", zap.String("path", r.URL.Path), zap.Error(err))
	}
	answer(w, status, p)
}

func answer(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that has gone needs no answer
}

func host(r *http.Request) string {
	h, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return h
}
