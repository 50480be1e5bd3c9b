package investigate

import (
	"context"
	"testing"

	"github.com/riverqueue/river/rivertype"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

// TestTakenByAnotherJob: the job of one investigation begins with another one, whose turn it is, and
// another process takes that one first. The job goes on with its own investigation, which has no
// other job: the one of the other process was the last.
func TestTakenByAnotherJob(t *testing.T) {
	taken := func() {}
	h := newHubWith(t, func(h *hub) {
		h.adjust = func(o *Options) {
			o.Accounts = func() []string { // asked before each request to GitHub
				taken()
				return []string{"acme"}
			}
		}
	})
	first := h.Pull(nil)
	second, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.Dev, Title: "Again", Branch: "feature/again",
		Change: githubtest.Change{Files: map[string]string{investigatetest.PolluterFile: h.Polluter(), "NOTES.md": "again"}}})
	h.Must(err)
	run := h.do["run"]
	h.do["run"] = func(context.Context, rivertype.JobRow) error { return nil } // those of a process that dies
	h.red(first, "demo.log")
	h.settle()
	h.red(second, "demo.log")
	h.settle()
	h.do["run"] = run
	next, own := h.investigations(first)[0], h.investigations(second)[0]
	if next.State != store.Queued || own.State != store.Queued {
		t.Fatalf("%s, %s", next.State, own.State)
	}
	taken = func() {
		taken = func() {}
		h.Must(h.db.Do(h.Ctx, func(tx *store.Tx) error {
			_, err := tx.Take(next.ID, "another process")
			return err
		}))
	}
	h.Must(h.s.run(h.Ctx, runArgs{own.ID}))
	if list := h.settled(second, 1); list[0].State != store.Done {
		t.Errorf("%+v", list[0])
	}
	if i := h.investigations(first)[0]; i.Holder != "another process" || i.State != store.Running {
		t.Errorf("%+v", i)
	}
}
