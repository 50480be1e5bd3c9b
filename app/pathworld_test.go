package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/keys"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// hub is a stand-in GitHub and an `odfix serve` that it delivers to. internal/investigate has tests
// of all paths of a webhook. The tests here are about the queue and the command.
type hub struct {
	*investigatetest.Hub
	t      *testing.T
	runner *investigatetest.Runner
	server *server
	adjust func(*appOptions) // changes the options of `odfix serve`; may be nil
}

// quickLife is reached only by a test that hangs, also on the busiest machine.
const quickLife = investigatetest.Limit

// quick is a pace without waits that are longer than a test's limit.
var quick = investigate.Pace{
	Gather: time.Minute, Look: 20 * time.Millisecond, Beat: 50 * time.Millisecond, Silence: 20 * time.Second,
	Progress: 100 * time.Millisecond,
	Patience: 2 * time.Second, Config: time.Millisecond, Sweep: time.Hour, Reap: 10 * time.Second, Redeliver: time.Hour,
}

// newHub starts everything. The runner answers with a recorded report.
func newHub(t *testing.T, config githubtest.Config, report string) *hub {
	t.Helper()
	h := &hub{Hub: investigatetest.New(t, config), t: t, runner: investigatetest.NewRunner(t, report)}
	h.serve(h.runner)
	return h
}

// serve starts `odfix serve` as its command does, and releases the webhooks.
func (h *hub) serve(d dispatch.Dispatcher) {
	h.t.Helper()
	sign, err := keys.PEM(h.App.PEM())
	h.Must(err)
	o := serveOptions{
		listen: "127.0.0.1:0", database: storetest.SQLite(h.t), log: logOptions{"warn", "console"},
		stopAfter: 10 * time.Second, deliveryTasks: 4, secrets: keys.Fixed([]string{investigatetest.Secret}),
		app: appOptions{id: h.App.ID, keyOptions: keyOptions{sign: sign}, api: h.URL, pace: quick, runnerOptions: runnerOptions{runners: 2, work: h.t.TempDir()}},
	}
	if h.adjust != nil {
		h.adjust(&o.app)
	}
	w := world{stderr: testLog{h.t}, getenv: os.Getenv, now: time.Now, runner: func(io.Writer) dispatch.Dispatcher { return d }}
	s, err := openServer(h.Ctx, w, o)
	h.Must(err)
	h.server = s
	h.t.Cleanup(func() {
		h.Must(s.close())
	})
	h.App.SetWebhookURL("http://" + s.hooks.Addr().String() + "/webhook")
	h.App.Release(nil)
}

type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// red makes CI fail with a recorded log.
func (h *hub) red(p *githubtest.PullRequest, log string) *githubtest.Run {
	h.t.Helper()
	return h.Red(p, investigatetest.Recording(h.t, log))
}

// settled waits until this number of investigations has ended and no step is left.
func (h *hub) settled(p *githubtest.PullRequest, ended int) []store.Investigation {
	h.t.Helper()
	var list []store.Investigation
	var q store.QueueState
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		drained := h.Drained() // first, because each delivery is then in the queue
		h.Must(h.server.store.View(context.Background(), func(tx *store.Tx) (err error) {
			if list, err = tx.Investigations(h.Repo.ID, int64(p.Number)); err != nil {
				return err
			}
			q, err = tx.Queue()
			return err
		}))
		n := 0
		for _, i := range list {
			if i.State.Ended() {
				n++
			}
		}
		busy := q.Jobs["available"] + q.Jobs["running"] + q.Jobs["scheduled"] + q.Jobs["retryable"]
		if n >= ended && busy == 0 && drained {
			return list
		}
		select {
		case <-tick.C:
		case <-h.Ctx.Done():
			for _, d := range h.App.Deliveries() {
				h.t.Logf("%s %s: %v %d %s", d.Event, d.Action, d.Done, d.StatusCode, d.Status)
			}
			h.t.Fatalf("it does not settle: %+v, queue %v", list, q.Jobs)
		}
	}
}
