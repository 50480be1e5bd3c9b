// Package redact removes secrets from text. It recognises GitHub's tokens, private keys and
// passwords in URLs by their form. Other secrets are given to it. Its output can still be private:
// it protects logs from mistakes, and is no reason to log a secret.
package redact

import (
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Mark replaces a secret.
const Mark = "[redacted]"

// looks are the forms of secrets. GitHub's tokens can have dots, as JWTs do, and several hundred
// characters.
var looks = []struct {
	shape *regexp.Regexp
	with  string
}{
	{regexp.MustCompile(`\b(?:gh[a-z]|github_pat)_[A-Za-z0-9._-]{16,}`), Mark},
	{regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`), Mark},
	{regexp.MustCompile(`(?i)\b(bearer|basic|token) +[A-Za-z0-9._~+/=-]{16,}`), "$1 " + Mark},
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), Mark},
	{regexp.MustCompile(`\b([a-z][a-z0-9+.-]*://[^:/?#\s"\\]*):[^@/\s"\\]+@`), "$1:" + Mark + "@"},
}

// Redactor replaces secrets. The zero Redactor knows only the forms. It is safe for concurrent use.
type Redactor struct {
	mu    sync.RWMutex
	known []string
}

// New makes a redactor that also knows these secrets. It ignores secrets of fewer than four
// characters: they occur in ordinary words.
func New(secrets ...string) *Redactor {
	r := &Redactor{}
	r.Learn(secrets...)
	return r
}

// Learn adds secrets. Those before stay known.
func (r *Redactor) Learn(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = slices.Clone(r.known) // a String may read it
	for _, s := range secrets {
		for _, form := range []string{s, escaped(s)} {
			if len(form) >= 4 && !slices.Contains(r.known, form) {
				r.known = append(r.known, form)
			}
		}
	}
	// The longest come first, since a secret can be a part of another.
	slices.SortFunc(r.known, func(a, b string) int { return len(b) - len(a) })
}

// escaped is the secret in its form in JSON.
func escaped(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return strings.Trim(string(text), `"`)
}

// String returns the text without secrets.
func (r *Redactor) String(s string) string {
	r.mu.RLock()
	known := r.known
	r.mu.RUnlock()
	for _, secret := range known {
		s = strings.ReplaceAll(s, secret, Mark)
	}
	for _, l := range looks {
		s = l.shape.ReplaceAllString(s, l.with)
	}
	return s
}

// Writer writes to w without secrets. Each Write must be a whole entry: a secret that is split over
// two writes is not recognised.
func (r *Redactor) Writer(w io.Writer) io.Writer { return &writer{r, w} }

type writer struct {
	r *Redactor
	w io.Writer
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.w, w.r.String(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
