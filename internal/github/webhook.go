// Package github is odfix's side of GitHub. So far: webhook intake.
//
// A delivery is hostile until its signature holds. It is then decoded only as far as
// odfix needs, stored durably together with its job, and answered; nothing
// is thought about before that. Invariants: no delivery is acknowledged before
// it is on disk; the same delivery twice is one job; what is answered
// tells a person what to do and a stranger nothing about odfix's state.
package github

import (
	"context"
	"errors"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"
)

// Delivery is a webhook delivery that odfix wants.
type Delivery struct {
	GUID string // X-GitHub-Delivery, which stays the same when GitHub delivers again
	// Digest is the body's, so that a body under another GUID is known again. It is
	// empty where the same body can come twice because a person asked twice.
	Digest string
	Event  *Event
}

// Desk stores a delivery and its job durably, in one transaction. False: it was there before.
type Desk interface {
	Receive(context.Context, Delivery) (fresh bool, err error)
}

// Outcome is what became of a request, for counting.
type Outcome string

// The outcomes.
const (
	Stored    Outcome = "stored"
	Duplicate Outcome = "duplicate"
	Ignored   Outcome = "ignored"   // an event or action that odfix has no use for
	Refused   Outcome = "refused"   // no delivery: method, headers, size, encoding
	Forged    Outcome = "forged"    // no signature, or a wrong one
	Malformed Outcome = "malformed" // signed, and not what GitHub sends
	Unstored  Outcome = "unstored"  // the database did not take it; it must be delivered again
)

// Limits of intake.
const (
	// MaxBody is what GitHub sends at most.
	MaxBody = 25 << 20
	// ordinaryBody is what nearly all deliveries stay below.
	ordinaryBody = 1 << 20
	// bodiesInFlight bounds the memory that larger bodies can take before their signatures are
	// known.
	bodiesInFlight = 8 * MaxBody
	// patience is how long a delivery may wait for memory or the database: GitHub waits 10 seconds.
	patience = 8 * time.Second
)

// Webhook receives deliveries.
type Webhook struct {
	desk    Desk
	secrets [][]byte
	log     *zap.Logger
	observe func(event string, o Outcome, took time.Duration)
	room    *semaphore.Weighted
}

// WebhookOptions are for NewWebhook.
type WebhookOptions struct {
	// Secrets are the webhook secrets that count; several while one is being replaced.
	Secrets []string
	Log     *zap.Logger // nil: none
	// Observe is called for each request; event is empty unless it is one that odfix knows.
	Observe func(event string, o Outcome, took time.Duration)
}

// NewWebhook makes the handler. A secret is required: without one, anybody could send.
func NewWebhook(desk Desk, o WebhookOptions) (*Webhook, error) {
	secrets, err := usableSecrets(o.Secrets)
	if err != nil {
		return nil, err
	}
	w := &Webhook{desk: desk, secrets: secrets, log: o.Log, observe: o.Observe, room: semaphore.NewWeighted(bodiesInFlight)}
	if w.log == nil {
		w.log = zap.NewNop()
	}
	if w.observe == nil {
		w.observe = func(string, Outcome, time.Duration) {}
	}
	return w, nil
}

var _ http.Handler = (*Webhook)(nil)

// answer is what a request gets.
type answer struct {
	status  int
	outcome Outcome
	text    string
	err     error // for the log
}

// ServeHTTP implements http.Handler.
func (w *Webhook) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	a := w.take(ctx, rw, r)
	if a.status == http.StatusServiceUnavailable {
		rw.Header().Set("Retry-After", "60")
	}
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	rw.Header().Set("X-Content-Type-Options", "nosniff")
	rw.WriteHeader(a.status)
	rw.Write([]byte(a.text + "\n")) // who has gone needs no answer
	event := r.Header.Get(headerEvent)
	if _, known := decoders[event]; !known {
		event = ""
	}
	w.observe(event, a.outcome, time.Since(begun))
	w.tell(a, r)
}

// tell logs what an operator may want to know of. Headers of unsigned requests
// are a stranger's words, so they are quoted and cut.
func (w *Webhook) tell(a answer, r *http.Request) {
	level := zap.DebugLevel
	switch a.outcome {
	case Forged, Malformed:
		level = zap.WarnLevel
	case Unstored:
		level = zap.ErrorLevel
	}
	if c := w.log.Check(level, "delivery "+string(a.outcome)); c != nil {
		c.Write(zap.String("delivery", cut(r.Header.Get(headerGUID))), zap.String("event", cut(r.Header.Get(headerEvent))),
			zap.Int("status", a.status), zap.String("answer", a.text), zap.Error(a.err))
	}
}

func cut(s string) string { return s[:min(len(s), 80)] }

// take is the way of a request from its headers to the database.
func (w *Webhook) take(ctx context.Context, rw http.ResponseWriter, r *http.Request) answer {
	h, refusal := readHeaders(rw, r)
	if refusal != nil {
		return *refusal
	}
	body, free, refusal := w.readBody(ctx, rw, r)
	if refusal != nil {
		return *refusal
	}
	defer free()
	if !signed(body, h.signature, w.secrets) {
		return answer{http.StatusUnauthorized, Forged, "The signature does not fit the body: the webhook's secret is another one here than in the App's settings.", nil}
	}
	e, err := DecodeEvent(h.event, body)
	switch {
	case errors.Is(err, ErrIgnored):
		return answer{http.StatusAccepted, Ignored, "odfix has no use for this: " + err.Error(), nil}
	case err != nil:
		return answer{http.StatusBadRequest, Malformed, "This is no delivery of a GitHub App: " + err.Error(), err}
	}
	return w.keep(ctx, Delivery{h.guid, digest(h.event, e, body), e})
}

// keep stores the delivery, and acknowledges it only then.
func (w *Webhook) keep(ctx context.Context, d Delivery) answer {
	switch fresh, err := w.desk.Receive(ctx, d); {
	case err != nil:
		return answer{http.StatusServiceUnavailable, Unstored, "It could not be stored; redeliver it.", err}
	case !fresh:
		return answer{http.StatusOK, Duplicate, "It was stored before.", nil}
	}
	return answer{http.StatusAccepted, Stored, "Stored.", nil}
}
