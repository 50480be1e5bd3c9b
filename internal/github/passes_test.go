package github

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPasses checks that a signature serves several requests, since a signer can be far away, and that
// its error is passed on instead of a request.
func TestPasses(t *testing.T) {
	asked, signed := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if parts := strings.Split(r.Header.Get("Authorization"), "."); len(parts) != 3 || parts[2] != "c2lnbmVk" {
			t.Errorf("a request with %q", r.Header.Get("Authorization"))
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	fault := errors.New("no such key in the vault")
	app, err := NewApp(AppOptions{ID: 1, API: server.URL, Sign: func(context.Context, []byte) ([]byte, error) {
		if signed++; signed == 1 {
			return nil, fault
		}
		return []byte("signed"), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.Slug(t.Context()); err == nil || !strings.Contains(err.Error(), fault.Error()) || asked != 0 {
		t.Errorf("%v, %d requests", err, asked)
	}
	for range 3 {
		_, _ = app.Slug(t.Context()) // it is not found
	}
	if asked != 3 || signed != 2 {
		t.Errorf("%d requests, %d signatures", asked, signed)
	}
	if _, err := NewApp(AppOptions{ID: 1}); err == nil {
		t.Error("an App without a key")
	}
}
