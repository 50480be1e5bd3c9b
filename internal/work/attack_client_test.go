package work

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestDeadlineByTheWorkersClock: the clocks of both machines may differ.
func TestDeadlineByTheWorkersClock(t *testing.T) {
	o, c, _ := opened(t, secret)
	o.claim.Left, o.claim.Deadline = 600, time.Now().Add(-24*time.Hour)
	if left := time.Until(claimed(t, c).Deadline); left < 5*time.Minute || left > 10*time.Minute {
		t.Errorf("%s are left", left)
	}
	r := serving(t, storetest.SQLite(t), ServerOptions{Slack: time.Minute})
	go r.server.Run(t.Context(), keyed("k"), nil) //nolint:errcheck // it ends with the test
	claim, err := r.client.Claim(t.Context(), Request{Worker: "w", Slots: 1, Wait: 20})
	if err != nil || claim == nil || claim.Left != 120 {
		t.Errorf("%+v, %v", claim, err)
	}
}

// TestAProxyWithoutItsServer: its error pages end no task.
func TestAProxyWithoutItsServer(t *testing.T) {
	_, c, s := opened(t, secret)
	var away atomic.Int32
	away.Store(4)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := away.Add(-1); n >= 0 {
			w.WriteHeader([]int{http.StatusNotFound, http.StatusForbidden, http.StatusUnauthorized, http.StatusBadGateway}[n])
			_, _ = w.Write([]byte("<html>no backend</html>"))
			return
		}
		s.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	c.server = proxy.URL
	if _, err := c.Task(Claim{ID: "t1", Token: "one-job"}).Post(t.Context()); err != nil || away.Load() != -1 {
		t.Errorf("%v after %d", err, away.Load())
	}
}

// TestSourcesOfABusyServer: the worker waits for its turn, and repeats no other failure.
func TestSourcesOfABusyServer(t *testing.T) {
	busy, asked := []int{http.StatusTooManyRequests, http.StatusTooManyRequests, http.StatusOK, http.StatusInternalServerError}, 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, busy[asked], Problem{Error: "e"})
		asked++
	}))
	t.Cleanup(s.Close)
	c, err := NewClient(s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.pause = time.Millisecond
	task := c.Task(Claim{ID: "t1", Token: "one-job"})
	var got bytes.Buffer
	if err := task.Source(t.Context(), &got, 100); err != nil || got.Len() == 0 || asked != 3 {
		t.Errorf("%q, %v after %d", got.String(), err, asked)
	}
	var answer *statusError
	if err := task.Source(t.Context(), &got, 100); !errors.As(err, &answer) || asked != 4 {
		t.Errorf("%v after %d", err, asked)
	}
}

// TestSourcesThatComeLater: GitHub does not answer while a task's attempts last. That says nothing
// about the job, so the next call begins anew.
func TestSourcesThatComeLater(t *testing.T) {
	var asked atomic.Int32
	r := serving(t, storetest.SQLite(t), ServerOptions{Source: func(_ context.Context, _ int64, _ job.Source, w io.Writer) error {
		if asked.Add(1) <= mostAttempts {
			return errors.New("no network")
		}
		_, err := w.Write(packed(t, map[string]string{"sub/a.txt": "a"}))
		return err
	}})
	h := newHeld()
	r.work(h)
	_, err := r.server.Run(t.Context(), keyed("k"), nil)
	if known, is := errors.AsType[*job.Error](err); err == nil || is {
		t.Errorf("without sources: %v, %+v", err, known)
	}
	h.answer <- report("later")
	if answer, err := r.server.Run(t.Context(), keyed("k"), nil); err != nil || answer.Tool != "later" {
		t.Errorf("%+v, %v", answer, err)
	}
}
