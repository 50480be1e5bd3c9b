package investigate

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

// another is an installation that GitHub does not know.
const another = 4711

// queuedOfAnother queues an investigation of another installation, whose turn is then next.
func (h *hub) queuedOfAnother() (id string) {
	h.t.Helper()
	const repository, head = 4712, "1234567890123456789012345678901234567890"
	h.Must(h.db.Do(h.Ctx, func(tx *store.Tx) error {
		_, err := tx.SavePullRequest(store.PullRequest{Repository: repository, Number: 1, HeadSHA: head, HeadRepository: repository,
			HeadRef: "x", BaseRef: "main", Open: true, Updated: h.now()})
		serr := tx.SaveRepository(store.Repository{ID: repository, Installation: another, FullName: "other/shop"})
		if err = errors.Join(err, serr); err != nil {
			return err
		}
		i, _, err := tx.OpenInvestigation(store.Push{Installation: another, Repository: repository, PullRequest: 1, HeadSHA: head,
			Lifetime: 3 * time.Hour})
		if err != nil {
			return err
		}
		id = i.ID
		_, err = tx.Move(id, store.Change{To: store.Queued})
		return err
	}))
	return id
}

// TestAttackTurns: an installation whose turn it is, and whose investigation cannot run, does not
// delay others.
func TestAttackTurns(t *testing.T) {
	for name, c := range map[string]struct {
		accounts []string
		limited  bool
		state    store.State // of the investigation that cannot run
	}{
		"the operator does not list it": {accounts: []string{"acme"}, state: store.Failed},
		"GitHub does not know it":       {state: store.Queued},
		"it has used up its requests":   {limited: true, state: store.Queued},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
			h.github(githubtest.Config{})
			if c.accounts != nil {
				h.adjust = func(o *Options) { o.Accounts = func() []string { return c.accounts } }
			}
			h.serve(h.runner)
			if c.limited {
				h.s.app.Guard(func(ctx context.Context, installation, repository int64) error {
					if installation == another {
						return &github.LimitError{Until: h.now().Add(time.Hour), Why: "hourly"}
					}
					return h.s.permit(ctx, installation, repository)
				})
			}
			id := h.queuedOfAnother()
			p := h.Pull(nil)
			h.red(p, "demo.log")
			for more := true; more && len(h.asked()) == 0 && h.later < 30*time.Minute; {
				h.Must(h.Drain(h.Ctx))
				more = h.step()
			}
			if len(h.asked()) != 1 || h.asked()[0].Source.Repository != h.Repo.ID {
				t.Fatalf("%d jobs in %s: %+v", len(h.asked()), h.later, h.investigations(p))
			}
			i, err := h.s.investigation(h.Ctx, id)
			h.Must(err)
			if i.State != c.state || (i.Reason == "") == i.State.Ended() {
				t.Errorf("the other one is %s: %q", i.State, i.Reason)
			}
		})
	}
}

// TestAttackTasksWhileStopped: the task of a search, whose key names no investigation, is cancelled
// when its repository is paused, or when its account leaves the list.
func TestAttackTasksWhileStopped(t *testing.T) {
	for name, paused := range map[string]bool{"paused": true, "not listed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
			h.github(githubtest.Config{})
			list := []string{"acme", InstallationEntry + "4711"}
			h.adjust = func(o *Options) { o.Accounts = func() []string { return list } }
			h.serve(h.runner)
			h.Must(h.db.Do(h.Ctx, func(tx *store.Tx) error {
				return tx.SaveInstallation(store.Installation{ID: h.Inst.ID, Account: "acme", Updated: h.now()})
			}))
			open := func(installation, repository int64) (task store.Task) {
				key := push{Repository: repository, Pull: 1, Head: "abc"}.key("pollution-run")
				h.Must(h.db.Do(h.Ctx, func(tx *store.Tx) (err error) {
					task, _, err = tx.OpenTask(store.Task{Key: key, Installation: installation, Repository: repository,
						About: []byte("{}"), Content: []byte("{}"), Limit: time.Hour}, time.Hour)
					return err
				}))
				return task
			}
			tasks := []store.Task{open(h.Inst.ID, h.Repo.ID), open(another, 4712)}
			stopped := func() (out [2]bool) {
				h.t.Helper()
				h.Must(h.s.reap(h.Ctx, reapArgs{}))
				for n, k := range tasks {
					now, err := store.Read(h.Ctx, h.db, func(tx *store.Tx) (store.Task, error) { return tx.Task(k.ID) })
					h.Must(err)
					out[n] = now.Stop
				}
				return out
			}
			if got := stopped(); got != [2]bool{} {
				t.Fatalf("before: %v", got)
			}
			if paused {
				h.pauseNow(h.Repo.ID)
			} else {
				list = list[1:]
			}
			if got := stopped(); got != [2]bool{true, false} {
				t.Errorf("cancelled: %v", got)
			}
		})
	}
}

// TestAttackRounds: further red builds of a push whose investigation a limit has ended open no
// further rounds.
func TestAttackRounds(t *testing.T) {
	for _, limit := range []string{"author-investigations-per-day", "investigations-per-day"} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			h.Configure("budgets: {" + limit + ": 1}\n")
			p := h.Pull(nil)
			h.red(p, "demo.log")
			h.settled(p, 1)
			h.Push(p, "two")
			for range 3 {
				h.red(p, "demo.log")
				h.settle()
			}
			if list := h.investigations(p); len(list) != 2 || list[0].State != store.Cancelled || len(h.asked()) != 1 {
				t.Errorf("%d investigations, the last one %s; %d jobs", len(list), list[0].State, len(h.asked()))
			}
		})
	}
}
