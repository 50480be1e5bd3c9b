// Package github receives webhooks from GitHub, and sends requests to its API.
//
// A delivery is untrusted until its signature is verified. Then odfix decodes the fields it needs,
// stores them durably together with a job, and answers. The job does the rest. Invariants: no
// delivery is acknowledged before it is on disk. The same delivery twice is one job. An answer
// contains a hint for the operator, and nothing about odfix's state.
package github

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"go.uber.org/zap"
)

// Delivery is a webhook delivery that odfix wants.
type Delivery struct {
	GUID string // X-GitHub-Delivery, which stays the same when GitHub delivers again
	// Digest identifies the body under another GUID. It is empty if a person can cause the same
	// body twice.
	Digest string
	Event  *Event
}

// DeliveryStore stores a delivery and its job durably, in one transaction. fresh is false for a duplicate.
type DeliveryStore interface {
	Receive(context.Context, Delivery) (fresh bool, err error)
}

// Outcome is the result of a request, for metrics.
type Outcome string

// The outcomes.
const (
	Stored    Outcome = "stored"
	Duplicate Outcome = "duplicate"
	Ignored   Outcome = "ignored"   // an event or action that odfix does not use
	Refused   Outcome = "refused"   // not a delivery: method, headers, size, encoding
	Forged    Outcome = "forged"    // without a valid signature
	Malformed Outcome = "malformed" // signed, but not in GitHub's format
	Unstored  Outcome = "unstored"  // an error of the database; it must be delivered again
)

// Limits of intake.
const (
	// MaxBody is the largest body that GitHub sends.
	MaxBody = 25 << 20
	// ordinaryBody is larger than nearly all deliveries.
	ordinaryBody = 128 << 10
	// MaxConnections is how many connections a server with this handler may have at once. There is
	// memory for an ordinary body on each.
	MaxConnections = 512
	// waitLimit is how long a delivery may wait for memory or the database. GitHub waits 10
	// seconds.
	waitLimit = 8 * time.Second
)

// Webhook receives deliveries.
type Webhook struct {
	store   DeliveryStore
	secrets func() []string
	log     *zap.Logger
	observe func(event string, o Outcome, took time.Duration)
	signed  func(context.Context)
	room    intake
}

// WebhookOptions are for NewWebhook.
type WebhookOptions struct {
	// Secrets returns the webhook secrets that are valid now. There are several while one is
	// replaced.
	Secrets func() []string
	Log     *zap.Logger // nil: none
	// Observe is called for each request. event is empty if odfix does not know it.
	Observe func(event string, o Outcome, took time.Duration)
	// Signed is called with a request's context as soon as its signature is verified. nil: nothing
	// is called.
	Signed func(context.Context)
}

// NewWebhook makes the handler. It requires a secret: without one, anyone could send deliveries.
func NewWebhook(store DeliveryStore, o WebhookOptions) (*Webhook, error) {
	if _, err := usableSecrets(o.Secrets()); err != nil {
		return nil, err
	}
	w := &Webhook{store: store, secrets: o.Secrets, log: o.Log, observe: o.Observe, signed: o.Signed, room: newIntake()}
	w.log = cmp.Or(w.log, zap.NewNop())
	if w.observe == nil {
		w.observe = func(string, Outcome, time.Duration) {}
	}
	if w.signed == nil {
		w.signed = func(context.Context) {}
	}
	return w, nil
}

var _ http.Handler = (*Webhook)(nil)

// answer is the response to a request.
type answer struct {
	status  int
	outcome Outcome
	text    string
	err     error // for the log
}

// ServeHTTP implements http.Handler.
func (w *Webhook) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), waitLimit)
	defer cancel()
	a := w.take(ctx, rw, r)
	if a.status == http.StatusServiceUnavailable {
		rw.Header().Set("Retry-After", "60")
	}
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	rw.Header().Set("X-Content-Type-Options", "nosniff")
	rw.WriteHeader(a.status)
	rw.Write([]byte(a.text + "\n")) // an error means that the client is gone
	event := r.Header.Get(headerEvent)
	if _, known := decoders[event]; !known {
		event = ""
	}
	w.observe(event, a.outcome, time.Since(begun))
	w.logAnswer(a, r)
}

// logAnswer logs a request. Headers of unsigned requests are untrusted, so they are cut.
func (w *Webhook) logAnswer(a answer, r *http.Request) {
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

// take checks a request and stores its delivery.
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
	secrets, err := usableSecrets(w.secrets())
	if err != nil {
		return answer{http.StatusServiceUnavailable, Unstored, "odfix has no webhook secret at the moment; redeliver it.", err}
	}
	if !signed(body, h.signature, secrets) {
		return answer{http.StatusUnauthorized, Forged,
			"The signature does not match the body: odfix and the App's settings have different webhook secrets.", nil}
	}
	w.signed(ctx)
	e, err := DecodeEvent(h.event, body)
	switch {
	case errors.Is(err, ErrIgnored):
		return answer{http.StatusAccepted, Ignored, "odfix does not use this: " + err.Error(), nil}
	case err != nil:
		return answer{http.StatusBadRequest, Malformed, "This is not a delivery of a GitHub App: " + err.Error(), err}
	}
	return w.keep(ctx, Delivery{h.guid, digest(h.event, e, body), e})
}

// keep stores the delivery, then acknowledges it.
func (w *Webhook) keep(ctx context.Context, d Delivery) answer {
	switch fresh, err := w.store.Receive(ctx, d); {
	case err != nil:
		return answer{http.StatusServiceUnavailable, Unstored, "It could not be stored; redeliver it.", err}
	case !fresh:
		return answer{http.StatusOK, Duplicate, "It was stored before.", nil}
	}
	return answer{http.StatusAccepted, Stored, "Stored.", nil}
}
