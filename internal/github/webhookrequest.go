package github

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
)

const (
	headerEvent     = "X-GitHub-Event"
	headerGUID      = "X-GitHub-Delivery"
	headerSignature = "X-Hub-Signature-256"
)

// headers are those of a delivery.
type headers struct {
	event, guid string
	signature   []byte
}

// readHeaders refuses requests that cannot be deliveries, before their bodies are read.
func readHeaders(rw http.ResponseWriter, r *http.Request) (headers, *answer) {
	if r.Method != http.MethodPost {
		rw.Header().Set("Allow", http.MethodPost)
		return headers{}, refuse(http.StatusMethodNotAllowed, "Webhooks are sent with POST.")
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return headers{}, refuse(http.StatusUnsupportedMediaType, "Set the webhook's content type to application/json.")
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return headers{}, refuse(http.StatusUnsupportedMediaType, "Send the body without compression.")
	}
	if r.ContentLength > MaxBody {
		return headers{}, tooLarge()
	}
	h := headers{event: single(r, headerEvent), guid: single(r, headerGUID)}
	switch {
	case !word(h.event):
		return h, refuse(http.StatusBadRequest, "One "+headerEvent+" header is needed.")
	case !word(h.guid):
		return h, refuse(http.StatusBadRequest, "One "+headerGUID+" header is needed.")
	}
	sum, err := parseSignature(single(r, headerSignature))
	if err != nil {
		return h, &answer{http.StatusUnauthorized, Forged, "One " + headerSignature + " header is needed: give the webhook a secret.", err}
	}
	h.signature = sum
	return h, nil
}

func refuse(status int, text string) *answer { return &answer{status, Refused, text, nil} }

func tooLarge() *answer {
	return refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes. GitHub sends no such body.", MaxBody))
}

// single is the value of a header that occurs once; empty otherwise.
func single(r *http.Request, name string) string {
	if v := r.Header.Values(name); len(v) == 1 {
		return v[0]
	}
	return ""
}

// word reports whether a text has the form of GitHub's names of events and deliveries.
func word(s string) bool {
	bad := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	return s != "" && len(s) <= 64 && strings.IndexFunc(s, bad) < 0
}

// readBody reads the body. Its memory is limited, together with that of other bodies; free returns
// it.
func (w *Webhook) readBody(ctx context.Context, rw http.ResponseWriter, r *http.Request) (text []byte, free func(), refusal *answer) {
	b := body{intake: w.room}
	err := b.read(ctx, http.MaxBytesReader(rw, r.Body, MaxBody), r.ContentLength)
	if err == nil {
		return b.buf, b.free, nil
	}
	b.free()
	switch _, large := errors.AsType[*http.MaxBytesError](err); {
	case large:
		return nil, nil, tooLarge()
	case errors.Is(err, errCrowded):
		return nil, nil, &answer{http.StatusServiceUnavailable, Unstored,
			"odfix is receiving too much data at the moment; redeliver it.", err}
	}
	return nil, nil, &answer{http.StatusBadRequest, Refused, "The body is incomplete.", err}
}

// usableSecrets refuses empty secrets.
func usableSecrets(list []string) ([][]byte, error) {
	var out [][]byte
	for _, s := range list {
		if strings.TrimSpace(s) == "" {
			return nil, errors.New("a webhook secret is empty: set the one from the App's settings")
		}
		out = append(out, []byte(s))
	}
	if len(out) == 0 {
		return nil, errors.New("there is no webhook secret: set the one from the App's settings")
	}
	return out, nil
}

// parseSignature reads the SHA-256 signature. odfix ignores the SHA-1 signature that GitHub still
// sends.
func parseSignature(s string) ([]byte, error) {
	digits, ok := strings.CutPrefix(s, "sha256=")
	sum, err := hex.DecodeString(digits)
	if !ok || err != nil || len(sum) != sha256.Size {
		return nil, errors.New("no SHA-256 signature")
	}
	return sum, nil
}

// signed reports whether the signature was made with one of the secrets. It tries all of them, each
// in constant time, so the time reveals nothing.
func signed(body, signature []byte, secrets [][]byte) bool {
	ok := false
	for _, secret := range secrets {
		m := hmac.New(sha256.New, secret)
		m.Write(body)
		ok = hmac.Equal(m.Sum(nil), signature) || ok
	}
	return ok
}

// digest identifies a body, unless a person can cause the same body again.
func digest(event string, e *Event, body []byte) string {
	if e.Asked() {
		return ""
	}
	h := sha256.New()
	h.Write([]byte(event + "\n"))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}
