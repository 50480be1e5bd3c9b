package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// stopping answers as a worker whose tests send SIGTERM to it.
type stopping struct{ runs atomic.Int32 }

func (d *stopping) Run(context.Context, job.Job, func(job.Event)) (*job.Report, error) {
	d.runs.Add(1)
	return nil, &job.Error{Code: CodeStopping, Message: "the worker was stopped"}
}

// TestAttackStoppedWorkers: a task that stops each worker is offered a few times. Its end says
// so, and callers can count it.
func TestAttackStoppedWorkers(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{})
	d := &stopping{}
	defer r.work(d)()
	for n := range int32(2) { // each call begins anew, as after workers that were really stopped
		_, err := r.server.Run(t.Context(), keyed("k"), nil)
		if runs := d.runs.Load(); !errors.Is(err, dispatch.ErrUnanswered) || runs != (n+1)*mostAttempts {
			t.Errorf("call %d: %v after %d runs", n+1, err, runs)
		}
	}
}

// TestAttackNULInFailures: PostgreSQL stores no U+0000.
func TestAttackNULInFailures(t *testing.T) {
	r := serving(t, storetest.SQLite(t), ServerOptions{})
	ended := make(chan error, 1)
	go func() {
		_, err := r.server.Run(t.Context(), keyed("k"), nil)
		ended <- err
	}()
	c, err := r.client.Claim(t.Context(), Request{Worker: "w", Slots: 1, Wait: 20})
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	if err := r.client.Task(*c).Fail(t.Context(), &job.Error{Code: "c\x00", Message: "m\x00", Hint: "h\x00", Detail: "d\x00"}); err != nil {
		t.Fatal(err)
	}
	e, ok := errors.AsType[*job.Error](<-ended)
	if text, _ := json.Marshal(e); !ok || e.Message != "m " || strings.Contains(string(text), `\u0000`) {
		t.Errorf("%+v", e)
	}
}

// TestAttackRequestsOfATask: whoever lacks the token of a task does not use up its requests, also from the
// worker's own address, as tests in a pod.
func TestAttackRequestsOfATask(t *testing.T) {
	h := &handler{o: HandlerOptions{Tasks: &one{}, Log: zap.NewNop()}}
	ask := func(token string) bool {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.SetPathValue("id", "t1")
		r.Header.Set("Authorization", "Bearer "+token)
		_, _, _, ok := h.held(httptest.NewRecorder(), r)
		return ok
	}
	if ask("guessed") || h.rates.counts["task t1"] != 0 {
		t.Errorf("counted %v", h.rates.counts)
	}
	if !ask("one-job") {
		t.Error("the right token is refused")
	}
	for range 5000 {
		ask("guessed")
	}
	if !ask("one-job") || h.rates.counts["task t1"] != 1 {
		t.Errorf("with the token: counted %v", h.rates.counts)
	}
	refused := 0
	for range 2000 { // another second may begin
		if !ask("one-job") {
			refused++
		}
	}
	if refused == 0 {
		t.Error("requests with the token have no limit")
	}
}

// TestRightTokens: a token that is not right any more is forgotten, and there are not too many.
func TestRightTokens(t *testing.T) {
	var r rightTokens
	r.keep("t1", "a", true)
	if !r.has("t1", "a") || r.has("t1", "b") || r.has("t2", "a") {
		t.Error("wrong tokens are remembered")
	}
	if r.keep("t1", "a", false); r.has("t1", "a") {
		t.Error("the token is remembered")
	}
	for n := range 2*mostTokens + 1 {
		r.keep(fmt.Sprint(n), "a", true)
	}
	if len(r.known) > mostTokens {
		t.Errorf("%d tokens", len(r.known))
	}
}
