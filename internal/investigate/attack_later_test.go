package investigate

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

// TestAttackJobThatFailedLooks: as TestJobThatWaitsLooks, but the older job did not come back: GitHub
// did not answer it, or its process ended after it had read. Others end because it will run again. A
// job that runs again looks.
func TestAttackJobThatFailedLooks(t *testing.T) {
	for name, dies := range map[string]bool{"GitHub does not answer": false, "the process ends": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{Limits: 1_000_000}, "demo.report.json")
			p := h.Pull(nil)
			lint, format, tests := h.workflow(p, "lint"), h.workflow(p, "format"), h.workflow(p, "tests")
			h.fails(lint, []byte(noTests), "x")
			h.settle()
			i := h.investigations(p)[0]
			h.lost(func() { h.fails(format, []byte(noTests), "x") })
			h.advance(time.Hour)
			at, pr, cfg, err := h.s.current(h.Ctx, i)
			h.Must(err)
			known, err := h.s.evidence(h.Ctx, i)
			h.Must(err)
			runs, err := runsOn(h.Ctx, at, pr, cfg.Config, known.Read) // of a slow look because of other CI
			h.Must(err)

			key := fmt.Sprintf("run/%d/1", format.ID)
			h.Must(h.s.store.Do(h.Ctx, func(tx *store.Tx) error {
				return tx.Enqueue(h.s.in(collectArgs{ID: i.ID, Again: true, Later: true, Key: key}, 0))
			}))
			var older int64
			h.Must(h.queue.QueryRowContext(h.Ctx, `SELECT max(id) FROM river_job WHERE kind = 'collect'`).Scan(&older))
			if !dies {
				h.Fail(githubtest.Fault{Operation: "actions/list-workflow-runs-for-repo", Kind: githubtest.Broken})
			}
			err = h.s.collect(h.Ctx, collectArgs{ID: i.ID, Again: true, Later: true, Key: key, job: older})
			if (err == nil) != dies {
				t.Fatalf("the older job: %v", err)
			}
			_, err = h.queue.ExecContext(h.Ctx, `UPDATE river_job SET state = 'retryable', attempt = 1 WHERE id = ?`, older)
			h.Must(err)

			h.lost(func() { h.fails(tests, investigatetest.Recording(t, "demo.log"), "x") })
			for n, k := range []string{"job/987654", fmt.Sprintf("run/%d/1", tests.ID)} {
				h.Must(h.s.collect(h.Ctx, collectArgs{ID: i.ID, Again: true, Later: true, Key: k, job: older + 1 + int64(n)}))
			}
			if !dies { // the slow look ends
				ev, _, err := h.s.gatherInTurn(h.Ctx, at, pr, runs, cfg.Config.CI)
				h.Must(err)
				h.Must(h.s.more(h.Ctx, i, ev, cfg.Config))
			}
			h.settle()
			if len(h.asked()) == 0 {
				t.Errorf("nobody looks at the red tests: %+v", h.investigations(p))
			}
		})
	}
}

// TestAttackManyLaterJobs: jobs about very many red results that came while an investigation read
// logs, and run when it has left that state, end in favour of one another. After its end there are few
// looks.
func TestAttackManyLaterJobs(t *testing.T) {
	const n = 60
	for name, key := range map[string]string{"red jobs": "job/%d", "red runs": "run/%d/1", "other CI": "%.0d"} {
		for _, full := range []bool{false, true} { // the installation's places for logs
			t.Run(fmt.Sprintf("%s, places taken %t", name, full), func(t *testing.T) {
				t.Parallel()
				h := newHub(t, githubtest.Config{Limits: 1_000_000}, "demo.report.json")
				p := h.Pull(nil)
				h.settle()
				at, err := h.s.target(h.Inst.ID, h.Repo.ID, "acme/shop")
				h.Must(err)
				for k := range n {
					of := fmt.Sprintf(key, k+1)
					if name == "other CI" {
						of = ""
					}
					h.Must(h.s.red(h.Ctx, at, &github.CheckEvent{HeadSHA: p.HeadSha(), Key: of, Conclusion: "failure"}, h.now()))
				}
				i := h.investigations(p)[0]
				if full {
					for range commitsOfOne {
						h.s.reading.enter(h.Inst.ID, h.now(), DefaultPace.Look)
					}
					if back := h.collectRound(); back > n-1 { // the first one waits, too
						t.Errorf("%d jobs come back for a place", back)
					}
					h.collectRound()
					if back := h.collectRound(); back > 3 {
						t.Errorf("then %d", back)
					}
				}
				h.Must(h.db.Do(h.Ctx, func(tx *store.Tx) error {
					_, err := tx.Move(i.ID, store.Change{To: store.Queued, From: store.Collecting})
					return err
				}))
				h.collectRound()
				if back := h.collectRound(); back > 3 {
					t.Errorf("%d jobs wait for the end of the investigation", back)
				}
			})
		}
	}
}

// collectRound does each job that looks at CI once, as the queue would, and returns how many come back.
func (h *hub) collectRound() (back int) {
	h.t.Helper()
	rows, err := h.queue.QueryContext(h.Ctx, `SELECT id, kind, args, attempt, max_attempts FROM river_job WHERE kind = 'collect'
		AND state IN ('available', 'scheduled') ORDER BY id`)
	h.Must(err)
	var all []rivertype.JobRow
	for rows.Next() {
		var r rivertype.JobRow
		h.Must(rows.Scan(&r.ID, &r.Kind, &r.EncodedArgs, &r.Attempt, &r.MaxAttempts))
		all = append(all, r)
	}
	h.Must(errors.Join(rows.Err(), rows.Close()))
	for _, r := range all {
		r.Attempt++
		r.Metadata = h.snoozes(r.ID)
		_, err := h.queue.ExecContext(h.Ctx, `UPDATE river_job SET state = 'running' WHERE id = ?`, r.ID)
		h.Must(err)
		state, snooze := "completed", &river.JobSnoozeError{}
		if err := h.do[r.Kind](h.Ctx, r); errors.As(err, &snooze) {
			h.cameBack(r.ID)
			state, back = "scheduled", back+1
		} else {
			h.Must(err)
		}
		_, err = h.queue.ExecContext(h.Ctx, `UPDATE river_job SET state = ?1, finalized_at = CASE WHEN ?1 = 'completed' THEN CURRENT_TIMESTAMP END WHERE id = ?2`, state, r.ID)
		h.Must(err)
	}
	h.advance(time.Minute)
	return back
}

// TestAttackRedBeforePull: a branch is red before its pull request is opened, and somebody has opened
// one from a fork with that commit, and perhaps closed it. The branch's own is waited for, as without the
// other one.
func TestAttackRedBeforePull(t *testing.T) {
	for _, stranger := range []string{"none", "open", "closed"} {
		h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
		sha, err := h.Repo.Commit(h.Ctx, h.Dev, "topic", "x", githubtest.Change{Files: map[string]string{"y.txt": "y"}})
		h.Must(err)
		h.settle()
		if stranger != "none" {
			person := h.AddUser("stranger")
			fork, err := h.Repo.Fork(h.Ctx, person)
			h.Must(err)
			p, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: person, Title: "x", Branch: "topic", From: fork})
			h.Must(err)
			h.settle()
			if stranger == "closed" {
				p.Close(h.Ctx, person)
				h.settle()
			}
		}
		at, err := h.s.target(h.Inst.ID, h.Repo.ID, "acme/shop")
		h.Must(err)
		red := &github.CheckEvent{HeadSHA: sha, Key: "run/1/1", Conclusion: "failure", HeadRepository: h.Repo.ID, HeadBranch: "topic"}
		received := h.now()
		var later laterError
		if err := h.s.red(h.Ctx, at, red, received); !errors.As(err, &later) {
			t.Errorf("stranger's %s: it does not wait: %v", stranger, err)
		}
		p, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.Dev, Title: "x", Branch: "topic"})
		h.Must(err)
		h.settle()
		h.advance(20 * time.Second)
		h.Must(h.s.red(h.Ctx, at, red, received))
		if n := len(h.investigations(p)); n != 1 {
			t.Errorf("stranger's %s: %d investigations", stranger, n)
		}
		p.Close(h.Ctx, h.Dev)
		h.settle()
		if err := h.s.red(h.Ctx, at, red, h.now()); err != nil {
			t.Errorf("stranger's %s: it waits for a pull request that is closed: %v", stranger, err)
		}
	}
}

// TestAttackFirstJobWithoutKey: the first job of an investigation, about another CI system, waits for
// a place. It will look only as long as nobody else has read. A red job that comes while somebody reads
// is not left to it, whether its run is still under way or has ended.
func TestAttackFirstJobWithoutKey(t *testing.T) {
	for first, underWay := range map[string]bool{"": false, "run/1/1": false, " ": true} {
		first := strings.TrimSpace(first)
		h := newHub(t, githubtest.Config{Limits: 1_000_000}, "demo.report.json")
		p := h.Pull(nil)
		h.settle()
		lint, tests := h.workflow(p, "lint"), h.workflow(p, "tests")
		h.settle()
		at, err := h.s.target(h.Inst.ID, h.Repo.ID, "acme/shop")
		h.Must(err)
		newest := func(key string) (id int64) { // the job of a delivery
			h.Must(h.s.red(h.Ctx, at, &github.CheckEvent{HeadSHA: p.HeadSha(), Key: key, Conclusion: "failure"}, h.now()))
			h.Must(h.queue.QueryRowContext(h.Ctx, `SELECT max(id) FROM river_job WHERE kind = 'collect'`).Scan(&id))
			return id
		}
		older := newest(first)
		i := h.investigations(p)[0]
		h.lost(func() { h.fails(lint, []byte(noTests), "x") })
		h.cameBack(older)
		if h.advance(30 * time.Second); !underWay {
			h.advance(3 * time.Minute)
		}
		at, pr, cfg, err := h.s.current(h.Ctx, i)
		h.Must(err)
		runs, err := runsOn(h.Ctx, at, pr, cfg.Config, nil) // of the look of a job about lint
		h.Must(err)
		h.lost(func() {
			tests.Job("x").Complete(h.Ctx, "failure", investigatetest.Recording(t, "demo.log"))
			if !underWay {
				tests.Complete(h.Ctx, "success") // the job may fail
			}
		})
		id := newest("job/987654")
		err = h.s.collect(h.Ctx, collectArgs{ID: i.ID, Later: true, Key: "job/987654", job: id})
		if err == nil {
			_, err = h.queue.ExecContext(h.Ctx, `UPDATE river_job SET state = 'completed', finalized_at = CURRENT_TIMESTAMP WHERE id = ?`, id)
			h.Must(err)
		} else {
			h.cameBack(id)
		}
		if underWay {
			h.lost(func() { tests.Complete(h.Ctx, "success") })
		}
		ev, _, err := h.s.gatherInTurn(h.Ctx, at, pr, runs, cfg.Config.CI)
		h.Must(err)
		h.Must(h.s.begin(h.Ctx, at, i, pr, ev, cfg.Config, nil))
		h.settle()
		if len(h.asked()) == 0 {
			t.Errorf("first job about %q: nobody looks at the red tests: %+v", first, h.investigations(p))
		}
	}
}

// TestAttackWaitForOneThatRuns: the job that waits for the other jobs of a run is none that runs: that one
// may have looked already. Nor is it one that has not run yet, or the first one without a key, which
// perhaps will not look.
func TestAttackWaitForOneThatRuns(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.settle()
	for name, c := range map[string]struct {
		key, state string
		ran, ends  bool
	}{
		"waits":       {"job/1", "scheduled", true, true},
		"runs":        {"job/1", "running", true, false},
		"did not run": {"job/1", "scheduled", false, false},
		"has no key":  {"", "scheduled", true, false},
	} {
		var older int64
		h.Must(h.s.store.Do(h.Ctx, func(tx *store.Tx) error { return tx.Enqueue(h.s.in(collectArgs{ID: name, Key: c.key}, time.Hour)) }))
		h.Must(h.queue.QueryRowContext(h.Ctx, `SELECT max(id) FROM river_job`).Scan(&older))
		_, err := h.queue.ExecContext(h.Ctx, `UPDATE river_job SET state = ? WHERE id = ?`, c.state, older)
		h.Must(err)
		if c.ran {
			h.cameBack(older)
		}
		wait, err := h.s.waitFor(h.Ctx, collectArgs{ID: name, Later: true, Key: "job/2", job: older + 1}, time.Minute)
		if h.Must(err); errors.Is(wait, errNoLook) != c.ends {
			t.Errorf("%s: %v", name, wait)
		}
	}
}
