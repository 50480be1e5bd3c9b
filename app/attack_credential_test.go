package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/work"
)

// TestCredentialsDuringAChange: a file that is being written, or was removed, refuses no worker. What
// it holds next counts.
func TestCredentialsDuringAChange(t *testing.T) {
	one, two := strings.Repeat("1", shortestToken), strings.Repeat("2", shortestToken)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(one), 0o600); err != nil {
		t.Fatal(err)
	}
	o := workOptions{listen: "127.0.0.1:0", tokenFile: file}
	if err := o.complete(func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want []string
	}{{"", []string{one}}, {"short\n", []string{one}}, {one + "\n" + two, []string{one, two}}, {"\n", []string{one, two}}, {two, []string{two}}} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := o.tokens.Get(); !slices.Equal(got, c.want) {
			t.Errorf("with %q: %q", c.text, got)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got := o.tokens.Get(); !slices.Equal(got, []string{two}) {
		t.Errorf("without a file: %q", got)
	}
}

// noTasks is a server without tasks.
type noTasks struct{ work.Tasks }

func (noTasks) Claim(context.Context, string, time.Duration) (*work.Claim, error) { return nil, nil }

// TestAttackArrival: only a process with the credential counts as the worker, whose sandbox works.
func TestAttackArrival(t *testing.T) {
	came := 0
	h := work.NewHandler(work.HandlerOptions{Tasks: arrival{noTasks{}, func() { came++ }}, Tokens: func() []string { return []string{"right"} }})
	for _, c := range []struct {
		token string
		came  int
	}{{"", 0}, {"wrong", 0}, {"right", 1}} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, work.Prefix+"claim", strings.NewReader(`{"worker":"w","slots":1}`))
		r.Header.Set("Authorization", "Bearer "+c.token)
		h.ServeHTTP(httptest.NewRecorder(), r)
		if came != c.came {
			t.Errorf("with %q, %d came", c.token, came)
		}
	}
}
