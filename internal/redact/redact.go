// Package redact keeps secrets out of what is written down. It knows what GitHub's
// tokens, private keys and passwords in URLs look like, and is told the secrets that look like
// nothing. What it lets through may still be private: it guards logs against
// slips, and is no reason to log a secret.
package redact

import (
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Mark stands where a secret was.
const Mark = "[redacted]"

// looks are the shapes of secrets. GitHub's tokens can be JWT-like, with dots,
// and several hundred characters long.
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

// Redactor replaces secrets. The zero Redactor knows the shapes alone.
type Redactor struct{ known []string }

// New makes a redactor that also knows these secrets. Those of fewer than four
// characters are left out: they would be found in every other word.
func New(secrets ...string) *Redactor {
	r := &Redactor{}
	for _, s := range secrets {
		for _, form := range []string{s, escaped(s)} {
			if len(form) >= 4 && !slices.Contains(r.known, form) {
				r.known = append(r.known, form)
			}
		}
	}
	// The longest first: one secret can be a part of another.
	slices.SortFunc(r.known, func(a, b string) int { return len(b) - len(a) })
	return r
}

// escaped is the secret as it stands in JSON.
func escaped(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return strings.Trim(string(text), `"`)
}

// String is the text without secrets.
func (r *Redactor) String(s string) string {
	for _, secret := range r.known {
		s = strings.ReplaceAll(s, secret, Mark)
	}
	for _, l := range looks {
		s = l.shape.ReplaceAllString(s, l.with)
	}
	return s
}

// Writer passes on what is written without secrets. Each Write must be a whole
// entry: a secret in two halves is not seen.
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
