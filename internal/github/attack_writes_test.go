package github

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// written is a GitHub, and the records and requests in the order in which they came.
type written struct {
	client *Client
	mu     sync.Mutex // of order and writes, which the server's handler writes, too
	order  []string
	writes []Write
	refuse error // of records before a write
	lose   bool  // GitHub's answers are lost
}

func newWritten(t *testing.T) *written {
	t.Helper()
	w := &written{}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/access_tokens") {
			rw.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(rw, `{"token":"ghs_secret","expires_at":"`+time.Now().Add(time.Hour).Format(time.RFC3339)+`"}`)
			return
		}
		w.mu.Lock()
		w.order = append(w.order, r.Method)
		w.mu.Unlock()
		if w.lose {
			panic(http.ErrAbortHandler)
		}
		rw.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(rw, `{"id":4711,"html_url":"https://github.example/acme/shop/pull/1#c4711"}`)
	}))
	t.Cleanup(server.Close)
	app, err := NewApp(AppOptions{ID: 1, API: server.URL + "/api/v3", Sign: func(context.Context, []byte) ([]byte, error) { return []byte("s"), nil },
		Writes: func(_ context.Context, x Write) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if !x.Answered {
				w.order = append(w.order, "before")
				w.writes = append(w.writes, x)
				return w.refuse
			}
			w.order = append(w.order, "after")
			w.writes = append(w.writes, x)
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	w.client = app.For(5)
	return w
}

// TestAttackUnrecordedWrites: each change on GitHub is recorded before it is made. If it cannot be
// recorded, it is not made.
func TestAttackUnrecordedWrites(t *testing.T) {
	w := newWritten(t)
	if id, err := w.client.CreateComment(t.Context(), shop, 1, "ghs_body"); err != nil || id != 4711 {
		t.Errorf("%d, %v", id, err)
	}
	if _, err := w.client.Pull(t.Context(), shop, 1); err != nil {
		t.Error(err)
	}
	if want := []string{"before", "POST", "after", "GET"}; !slices.Equal(w.order, want) {
		t.Errorf("%v, want %v", w.order, want)
	}
	before := Write{Installation: 5, Repository: 7, Method: "POST", Path: "/repos/acme/shop/issues/1/comments"}
	after := before
	after.Answered, after.Status, after.URL, after.RemoteID = true, 201, "https://github.example/acme/shop/pull/1#c4711", 4711
	if diff := cmp.Diff([]Write{before, after}, w.writes, cmpopts.IgnoreFields(Write{}, "ID")); diff != "" {
		t.Error(diff)
	}
	if w.writes[0].ID == "" || w.writes[0].ID != w.writes[1].ID {
		t.Errorf("one write has the ids %q and %q", w.writes[0].ID, w.writes[1].ID)
	}
	w.order, w.refuse = nil, errors.New("the database does not answer")
	if _, err := w.client.CreateComment(t.Context(), shop, 1, "x"); !errors.Is(err, w.refuse) || !slices.Equal(w.order, []string{"before"}) {
		t.Errorf("%v: %v", w.order, err)
	}
}

// TestLostAnswers checks that a write whose answer is lost counts as one that may have been made.
func TestLostAnswers(t *testing.T) {
	w := newWritten(t)
	w.lose = true
	if _, err := w.client.CreateComment(t.Context(), shop, 1, "x"); err == nil {
		t.Error("there is no answer")
	}
	last := w.writes[len(w.writes)-1]
	if !last.Answered || last.Status != 0 {
		t.Errorf("%+v", last)
	}
}
