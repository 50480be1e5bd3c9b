package work

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestOneTokenIsForOneTask: the credential of workers says nothing about tasks, and the token of a
// task claims none.
func TestOneTokenIsForOneTask(t *testing.T) {
	_, c, _ := opened(t, "one-job")
	if claim, err := c.Claim(t.Context(), Request{Worker: "w", Slots: 1}); claim != nil || !errors.Is(err, ErrDenied) {
		t.Errorf("the token of a task claims: %+v, %v", claim, err)
	}
	for _, forged := range []Claim{{ID: "t1", Token: secret}, {ID: "t2", Token: "one-job"}, {ID: "t1", Token: ""}, {ID: "../claim", Token: "one-job"}} {
		task := c.Task(forged)
		_, posted := task.Send(t.Context(), Message{Report: &job.Report{Version: job.Version}})
		for what, err := range map[string]error{"post": posted, "fail": task.Fail(t.Context(), &job.Error{Code: "c", Message: "m"}),
			"source": task.Source(t.Context(), new(strings.Builder), 1)} {
			if !errors.Is(err, ErrDenied) {
				t.Errorf("%s with %+v: %v", what, forged, err)
			}
		}
	}
}

// TestMessagesAreBounded: what is too large, too much or no message ends the task, and is not kept.
func TestMessagesAreBounded(t *testing.T) {
	report := `{"report":{"version":3,"notes":["` + strings.Repeat("n", 1<<20) + `"]}}`
	for name, body := range map[string]string{
		"a large report":     report,
		"many small objects": `{"report":{"version":3,"runs":[` + strings.Repeat("{},", 10000) + `{}]}}`,
		"a large event":      `{"event":{"message":"` + strings.Repeat("m", maxEvent) + `"}}`,
		"many messages":      strings.Repeat("{\"alive\":true}\n", maxLines+1),
		"many hosts":         `{"contacted":[` + strings.Repeat(`{},`, 2000) + `{}]}`,
		"no report":          `{"report":"x"}`,
		"another version":    `{"report":{"version":99}}`,
	} {
		o, c, _ := opened(t, secret)
		task := claimed(t, c)
		if _, err := task.Post(t.Context(), []byte(body)); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
		if o.failed == nil || len(o.taken) > 0 {
			t.Errorf("%s: the task goes on with %d messages, %+v", name, len(o.taken), o.failed)
		}
	}
}

// TestABodyBeyondItsLimitIsNotRead: the limit follows from the task, which the token names.
func TestABodyBeyondItsLimitIsNotRead(t *testing.T) {
	o, c, _ := opened(t, secret)
	task := claimed(t, c)
	_, err := task.Post(t.Context(), make([]byte, maxBody-maxReport+1<<20+1))
	var s *statusError
	if !errors.As(err, &s) || s.status != http.StatusRequestEntityTooLarge || len(o.taken) > 0 {
		t.Errorf("%v, %d taken", err, len(o.taken))
	}
}

// TestRequestsAreCounted: one key has a bounded number of requests in a second.
func TestRequestsAreCounted(t *testing.T) {
	var r rates
	allowed := 0
	for range 1000 {
		if r.allow("k", 10) {
			allowed++
		}
	}
	if allowed < 10 || allowed > 30 || len(r.counts) != 1 { // a second or two may pass
		t.Errorf("%d allowed", allowed)
	}
}

// crowded is a dispatcher whose disk is full for the first runs.
type crowded struct{ runs, full int32 }

func (d *crowded) Run(context.Context, job.Job, func(job.Event)) (*job.Report, error) {
	if n := atomic.AddInt32(&d.runs, 1); n <= d.full {
		return nil, &job.Error{Code: dispatch.CodeFull, Message: "m"}
	}
	return report("done"), nil
}

// TestAttackFullWorker: a job that another one's files ended is done again, and not for ever.
func TestAttackFullWorker(t *testing.T) {
	for _, d := range []*crowded{{full: mostAttempts - 1}, {full: mostAttempts}} {
		r := serving(t, storetest.SQLite(t), ServerOptions{})
		kill := r.work(d)
		got, err := r.server.Run(t.Context(), keyed("k"), nil)
		if kill(); d.runs != mostAttempts {
			t.Errorf("%d runs", d.runs)
		}
		if d.full == mostAttempts {
			wantCode(t, err, dispatch.CodeFull)
		} else if err != nil || got.Tool != "done" {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// TestAttackClaimsOfAnAddress: tests share the address of a worker behind the same gateway. Without
// the credential they use up none of its claims.
func TestAttackClaimsOfAnAddress(t *testing.T) {
	h := &handler{o: HandlerOptions{Tasks: &one{}, Tokens: func() []string { return []string{secret} }, Log: zap.NewNop()}}
	ask := func(token string) int {
		r := httptest.NewRequest(http.MethodPost, pathClaim, strings.NewReader(`{"worker":"w","slots":1}`))
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		h.claim(w, r)
		return w.Code
	}
	if status := ask("guessed"); status != http.StatusUnauthorized || len(h.rates.counts) > 0 {
		t.Errorf("status %d, counted %v", status, h.rates.counts)
	}
	if status := ask(secret); status != http.StatusNoContent || len(h.rates.counts) != 2 { // of the address, and of the credential
		t.Errorf("status %d, counted %v", status, h.rates.counts)
	}
}
