// Package sandbox runs a pull request from its first push to odfix's answer, on this machine only:
// with a stand-in GitHub, the App, and Maven, Gradle or Jest as CI.
//
// Invariants: everything listens on loopback. Each wait has a budget. Close ends every process and
// removes every folder. The result is read from the pull request as people see it, not from the
// App.
package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/page"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/sandbox/build"
)

// Spec describes how to start the App.
type Spec struct {
	ID     int64
	Key    []byte // PEM
	Secret string // of its webhooks
	API    string // of the stand-in GitHub
	Dir    string // for its database and its runners
	// Watch wraps the dispatcher.
	Watch func(dispatch.Dispatcher) dispatch.Dispatcher
}

// App is the running App.
type App interface {
	// Webhook is the address for its webhooks.
	Webhook() string
	// Idle reports whether every investigation has ended.
	Idle(context.Context) (bool, error)
	Close() error
}

// Options are for Open. Start and Scenario are required.
type Options struct {
	Scenario Scenario
	Start    func(context.Context, Spec) (App, error)
	Listen   string   // for pages; empty: a free port
	Args     []string // CI's goals or tasks and flags of Maven or Gradle, or options of Jest; none: the usual ones
	Offline  bool     // CI gets no network
	Env      []string // CI's environment; nil: that of this process
	Budget   time.Duration
	Say      func(Line) // receives messages; may be nil
	// Permissions and Events are those of the App.
	Permissions map[string]string
	Events      []string
}

// DefaultBudget is the time until the pull request must have settled.
const DefaultBudget = 30 * time.Minute

// Sandbox is one pull request with its GitHub, its CI and the App.
type Sandbox struct {
	GitHub *githubtest.Server
	Repo   *githubtest.Repository
	Pull   *githubtest.PullRequest // once Play has opened it
	Author *githubtest.Account

	o          Options
	dir        string
	ctx        context.Context // of the work in the background
	stop       context.CancelFunc
	app        App
	actions    *githubtest.App
	clock      clock
	begun      chan struct{} // closed when the first runner begins
	once       sync.Once
	ci         sync.Mutex // one build at a time
	builds     int
	background conc.WaitGroup
	pull       atomic.Pointer[githubtest.PullRequest] // Pull, for the pages
}

// Open starts GitHub and the App. The pull request begins with Play.
func Open(ctx context.Context, o Options) (*Sandbox, error) {
	if o.Budget <= 0 {
		o.Budget = DefaultBudget
	}
	if o.Say == nil {
		o.Say = func(Line) {}
	}
	s := &Sandbox{o: o, begun: make(chan struct{}), clock: clock{begun: time.Now()}}
	s.ctx, s.stop = context.WithCancel(ctx)
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Sandbox) open(ctx context.Context) error {
	var err error
	if s.dir, err = os.MkdirTemp("", "odfix-sandbox-"); err != nil {
		return err
	}
	for _, name := range []string{"github", "app", "ci", "project"} {
		if err := os.Mkdir(filepath.Join(s.dir, name), 0o700); err != nil {
			return err
		}
	}
	var pages host
	config := githubtest.Config{Dir: filepath.Join(s.dir, "github"), WebAddr: s.o.Listen, Pages: page.Handler(&pages)}
	if s.GitHub, err = githubtest.New(ctx, config); err != nil {
		return err
	}
	pages.s.Store(s)
	secret := rand.Text() // other users of this machine must not know it
	s.actions, err = s.GitHub.AddApp(githubtest.AppSpec{Name: app, WebhookURL: "http://127.0.0.1:9/",
		Secret: secret, Permissions: s.o.Permissions, Events: s.o.Events})
	if err != nil {
		return err
	}
	s.actions.Hold() // until the App listens
	s.app, err = s.o.Start(ctx, Spec{
		ID: s.actions.ID, Key: s.actions.PEM(), Secret: secret, API: s.GitHub.URL, Dir: filepath.Join(s.dir, "app"),
		Watch: func(d dispatch.Dispatcher) dispatch.Dispatcher { return watched{d, s} },
	})
	if err != nil {
		return fmt.Errorf("the App does not start: %w", err)
	}
	s.actions.SetWebhookURL(s.app.Webhook())
	s.actions.Release(nil)
	return nil
}

// Close ends everything. A second call does nothing.
func (s *Sandbox) Close() error {
	s.stop()
	s.background.Wait()
	var errs []error
	if s.app != nil {
		errs = append(errs, s.app.Close())
		s.app = nil
	}
	if s.GitHub != nil {
		errs = append(errs, s.GitHub.Close())
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// watched prints the events of a runner.
type watched struct {
	dispatch.Dispatcher
	s *Sandbox
}

// Run implements dispatch.Dispatcher.
func (w watched) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	w.s.once.Do(func() { close(w.s.begun) })
	what := plural(len(j.Tests), "failing test")
	if j.Kind == job.KindPollution {
		what = "looking for shared state that the new tests leave changed"
	}
	by := "a runner has the sources, " + what
	if j.Kind == job.KindVerify {
		by = "a second runner has the sources and the patch, to prove it again"
	}
	w.s.phase("source", "odfix: %s", by)
	r, err := w.Dispatcher.Run(ctx, j, func(e job.Event) {
		if text := phases[e.Phase]; text != "" && w.s.clock.now() != e.Phase {
			w.s.phase(e.Phase, "odfix: %s", text)
		}
		on(e)
	})
	switch {
	case ctx.Err() != nil:
		w.s.say("odfix: the runner was stopped")
	case err == nil:
		w.s.phase("answer", "odfix: writing the answer to the pull request")
	}
	return r, err
}

// phases describes the phases of a runner.
var phases = map[string]string{
	job.PhaseBuild:     "building the project in a copy",
	job.PhaseDiscover:  "listing its tests",
	job.PhaseDetect:    "looking for shared state that tests leave changed",
	job.PhaseDiagnose:  "looking for the test on which the failure depends",
	job.PhaseRepair:    "looking for a patch",
	job.PhaseProve:     "proving the patch in fresh processes",
	job.PhaseReproduce: "looking for a plain command that reproduces the failure",
}

// build is CI's job on a checkout.
func (s *Sandbox) build(dir string) build.Job {
	return build.Job{Dir: dir, Steps: build.Steps(dir, s.o.Args, s.o.Offline), Env: s.o.Env, Budget: s.o.Budget}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
