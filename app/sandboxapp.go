//go:build sandbox

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/investigate"
	"github.com/odfix/odfix/internal/keys"
	"github.com/odfix/odfix/internal/sandbox"
	"github.com/odfix/odfix/internal/store"
)

// sandboxPace is the pace for a GitHub that answers at once.
var sandboxPace = investigate.Pace{
	Gather: 5 * time.Second, Look: 200 * time.Millisecond, Beat: time.Second, Silence: time.Minute, Progress: 500 * time.Millisecond,
	Patience: 5 * time.Second, Config: time.Millisecond, Sweep: time.Hour, Reap: 10 * time.Second, Redeliver: time.Hour,
}

// start starts `odfix serve` for the stand-in GitHub, in this process.
func (p *sandboxPlay) start(ctx context.Context, spec sandbox.Spec) (sandbox.App, error) {
	work := filepath.Join(spec.Dir, "work")
	sign, err := keys.PEM(spec.Key)
	if err != nil {
		return nil, err
	}
	o := serveOptions{
		listen: "127.0.0.1:0", database: filepath.Join(spec.Dir, "odfix.db"), log: logOptions{"warn", "console"},
		stopAfter: time.Second, deliveryTasks: 4, secrets: keys.Fixed([]string{spec.Secret}),
		app: appOptions{id: spec.ID, keyOptions: keyOptions{sign: sign}, api: spec.API, offline: p.o.offline, pace: sandboxPace,
			runnerOptions: runnerOptions{runners: 1, work: work}},
	}
	if p.o.verbose {
		o.log.level = "debug"
	}
	w := p.w
	w.stderr = p.logs()
	w.runner = func(log io.Writer) dispatch.Dispatcher {
		d := p.w.runner(log)
		if l, ok := d.(*dispatch.Local); ok {
			l.Env = runnerEnvironment(os.Environ())
		}
		return spec.Watch(d)
	}
	s, err := openServer(ctx, w, o)
	if err != nil {
		return nil, err
	}
	return sandboxApp{s}, nil
}

// sandboxApp is a server whose work is watched.
type sandboxApp struct{ *server }

var _ sandbox.App = sandboxApp{}

// Webhook implements sandbox.App.
func (a sandboxApp) Webhook() string { return "http://" + a.hooks.Addr().String() + "/webhook" }

// Idle implements sandbox.App.
func (a sandboxApp) Idle(ctx context.Context) (bool, error) {
	q, err := store.Read(ctx, a.store, (*store.Tx).Queue)
	// Unfinished work has a step in the queue that waits, runs, or is repeated later.
	busy := q.Jobs["available"] + q.Jobs["pending"] + q.Jobs["running"] + q.Jobs["scheduled"] + q.Jobs["retryable"]
	return err == nil && busy == 0, err
}

// Close implements sandbox.App.
func (a sandboxApp) Close() error { return a.close() }
