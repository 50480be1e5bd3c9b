package investigate

import (
	"context"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

// pauseNow pauses everything, or one repository.
func (h *hub) pauseNow(repository int64) {
	h.t.Helper()
	h.Must(h.db.Do(h.Ctx, func(tx *store.Tx) error { return tx.Pause(store.Pause{Repository: repository, Reason: "an incident"}) }))
}

func (h *hub) resume(repository int64) {
	h.t.Helper()
	h.Must(h.db.Do(h.Ctx, func(tx *store.Tx) error { return tx.Resume(0, repository) }))
}

// steps does some of the queue's jobs. While work is paused, they come back for ever.
func (h *hub) steps() {
	h.t.Helper()
	for range 50 {
		h.Must(h.Drain(h.Ctx))
		h.step()
	}
	h.Must(h.s.reap(h.Ctx, reapArgs{}))
}

// TestAttackPause: while everything is paused, deliveries are stored, and nothing is asked of
// GitHub, run or posted, for longer than an investigation lives. Afterwards each red build is
// answered once.
func TestAttackPause(t *testing.T) {
	for name, whole := range map[string]bool{"everything": true, "the repository": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			repository := h.Repo.ID
			if whole {
				repository = 0
			}
			p := h.Pull(nil)
			h.settle()
			h.pauseNow(repository)
			h.red(p, "demo.log")
			before := len(h.Requests())
			h.steps()
			h.advance(5 * time.Hour)
			h.steps()
			if n := len(h.Requests()); n != before || !h.Drained() || len(h.asked()) != 0 {
				t.Fatalf("%d requests, %d jobs", n-before, len(h.asked()))
			}
			h.resume(repository)
			list := h.settled(p, 1)
			if s := h.Posted(p); len(list) != 1 || list[0].State != store.Done || len(h.asked()) != 1 || len(s.Checks) != 1 || s.Reviews != 1 {
				t.Errorf("%+v, %d jobs, %d checks, %d reviews", list, len(h.asked()), len(s.Checks), s.Reviews)
			}
		})
	}
}

// TestAttackPauseStopsRunner: a pause cancels the running task. The investigation waits beyond its
// deadline, and ends as if nothing had been.
func TestAttackPauseStopsRunner(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.runner.During = func(ctx context.Context) error {
		h.runner.During = nil
		h.pauseNow(0)
		<-ctx.Done()
		return nil // a part of a report
	}
	p := h.Pull(nil)
	h.red(p, "demo.log")
	for len(h.asked()) == 0 {
		h.Must(h.Drain(h.Ctx))
		h.step()
	}
	before := len(h.Requests())
	h.advance(24 * time.Hour)
	h.steps()
	if list := h.investigations(p); list[0].State != store.Queued || list[0].Attempt != 0 || len(h.Requests()) != before {
		t.Fatalf("%+v, %d requests", list[0], len(h.Requests())-before)
	}
	h.resume(0)
	list := h.settled(p, 1)
	if s := h.Posted(p); list[0].State != store.Done || len(h.asked()) != 2 || len(s.Checks) != 1 || s.Reviews != 1 {
		t.Errorf("%+v, %d jobs, %d checks, %d reviews", list[0], len(h.asked()), len(s.Checks), s.Reviews)
	}
}

// TestAttackPauseWhilePosting: a pause takes effect between two requests of one job. What was
// written is not written again.
func TestAttackPauseWhilePosting(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	for len(h.Posted(p).Checks) == 0 || len(h.runner.Proofs()) == 0 {
		h.Must(h.Drain(h.Ctx))
		h.step()
	}
	var asked int
	h.s.app.Guard(func(ctx context.Context, installation, repository int64) error {
		if asked++; asked == 6 {
			h.pauseNow(0)
		}
		return h.s.permit(ctx, installation, repository)
	})
	h.steps()
	if list := h.investigations(p); asked < 6 || list[0].State != store.Reporting {
		t.Fatalf("%d requests, %+v", asked, list[0])
	}
	h.resume(0)
	h.settled(p, 1)
	if s := h.Posted(p); len(s.Checks) != 1 || s.Reviews != 1 || len(s.Inline) != 1 || s.Checks[0].GetStatus() != "completed" {
		t.Errorf("%d checks, %d reviews", len(s.Checks), s.Reviews)
	}
}

// TestPauseOfOneRepository: other repositories go on.
func TestPauseOfOneRepository(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.pauseNow(h.Repo.ID + 1)
	p := h.Pull(nil)
	h.red(p, "demo.log")
	if list := h.settled(p, 1); list[0].State != store.Done {
		t.Errorf("%+v", list[0])
	}
}

// TestAttackAccounts: the events of an installation that the operator does not list are stored, and
// nothing else happens. The list is read again for each job.
func TestAttackAccounts(t *testing.T) {
	h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
	h.github(githubtest.Config{})
	list, left := []string{"somebody-else", InstallationEntry + "4711"}, []string{}
	h.adjust = func(o *Options) {
		o.Accounts, o.LeftOut = func() []string { return list }, func(kind string) { left = append(left, kind) }
	}
	h.serve(h.runner)
	p := h.Pull(nil)
	before := len(h.Requests())
	h.red(p, "demo.log")
	h.settled(p, 0)
	if len(h.Requests()) != before || len(h.investigations(p)) != 0 || len(left) == 0 || left[0] != "consider" {
		t.Fatalf("%d requests, left out: %v", len(h.Requests())-before, left)
	}
	if _, _, err := h.s.app.For(h.Inst.ID).Repositories(h.Ctx, 1, 30); !stopped(err) {
		t.Errorf("a request of the installation: %v", err)
	}
	list = []string{"ACME"}
	h.red(p, "demo.log")
	h.settled(p, 1)
	list = nil
	h.Push(p, "after the account left the list")
	before = len(h.Requests())
	h.red(p, "demo.log")
	if h.settle(); len(h.Requests()) != before || len(h.asked()) != 1 {
		t.Errorf("%d requests, %d jobs", len(h.Requests())-before, len(h.asked()))
	}
}
