package investigate

import (
	"errors"
	"fmt"
	"testing"
	"time"

	gh "github.com/google/go-github/v60/github"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

// dueTimes runs the queue so that a job that comes back is due when its wait ends. The other
// helpers run waiting jobs at once.
type dueTimes struct {
	h   *hub
	due map[int64]time.Time
}

func (c *dueTimes) wait(d time.Duration) {
	h := c.h
	h.t.Helper()
	for end := h.now().Add(d); ; {
		h.Must(h.Drain(h.Ctx))
		next, at := c.next()
		if next == nil || at.After(end) {
			h.advance(max(0, end.Sub(h.now())))
			return
		}
		h.advance(max(0, at.Sub(h.now())))
		_, err := h.queue.ExecContext(h.Ctx, `UPDATE river_job SET state = 'running' WHERE id = ?`, next.ID)
		h.Must(err)
		next.Attempt++
		next.Metadata = h.snoozes(next.ID)
		state, snooze := "completed", &river.JobSnoozeError{}
		if err := h.do[next.Kind](h.Ctx, *next); errors.As(err, &snooze) {
			h.cameBack(next.ID)
			state, c.due[next.ID] = "scheduled", h.now().Add(snooze.Duration)
		} else {
			h.Must(err)
		}
		_, err = h.queue.ExecContext(h.Ctx, `UPDATE river_job SET state = ?1, finalized_at = CASE WHEN ?1 = 'completed' THEN CURRENT_TIMESTAMP END WHERE id = ?2`, state, next.ID)
		h.Must(err)
	}
}

// next is the job that is due first.
func (c *dueTimes) next() (first *rivertype.JobRow, at time.Time) {
	h := c.h
	rows, err := h.queue.QueryContext(h.Ctx, `SELECT id, kind, args, attempt, max_attempts, (julianday(scheduled_at) - julianday('now')) * 86400 FROM river_job
		WHERE state IN ('available', 'scheduled', 'retryable') ORDER BY priority, id`)
	h.Must(err)
	defer rows.Close()
	for rows.Next() {
		var r rivertype.JobRow
		var in float64 // seconds
		h.Must(rows.Scan(&r.ID, &r.Kind, &r.EncodedArgs, &r.Attempt, &r.MaxAttempts, &in))
		if _, known := c.due[r.ID]; !known {
			c.due[r.ID] = h.now().Add(time.Duration(max(0, in) * float64(time.Second)).Round(time.Second))
		}
		if first == nil || c.due[r.ID].Before(at) {
			first, at = &r, c.due[r.ID]
		}
	}
	h.Must(rows.Err())
	return first, at
}

// workflow starts a run of a workflow of one job for the pull request.
func (h *hub) workflow(p *githubtest.PullRequest, name string) *githubtest.Run {
	h.t.Helper()
	r, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"x"}, Workflow: name, Path: ".github/workflows/" + name + ".yml"})
	h.Must(err)
	return r
}

// TestAttackReadInBetween: somebody's red jobs for the same commit make a job about a red workflow
// wait. Meanwhile another CI system is red, and the look because of that reads the workflow, too.
// The red tests that come then are not left to the job that waits, since that one will not look any
// more.
func TestAttackReadInBetween(t *testing.T) {
	for _, c := range []struct{ stranger, other bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{Limits: 1_000_000}, "demo.report.json")
			q := &dueTimes{h, map[int64]time.Time{}}
			ci, err := h.AddApp(githubtest.AppSpec{Name: "other-ci", WebhookURL: "http://127.0.0.1:9/",
				Secret: investigatetest.Secret, Permissions: map[string]string{"checks": "write"}})
			h.Must(err)
			ci.Hold()
			client := h.Client(ci, ci.Install(h.Owner))
			p := h.Pull(nil)
			lint, tests := h.workflow(p, "lint"), h.workflow(p, "tests")
			q.wait(time.Minute)
			if c.stranger {
				theirs, _ := h.stranger("release")
				for n, then := range []time.Duration{60, 60, 60, 60, 300, 5} {
					h.fails(h.workflow(theirs, fmt.Sprint("ci", n)), []byte(noTests), "x")
					q.wait(then * time.Second)
				}
			}
			h.fails(lint, []byte(noTests), "x")
			q.wait(15 * time.Second)
			if c.other {
				_, _, err := client.Checks.CreateCheckRun(h.Ctx, "acme", "shop", gh.CreateCheckRunOptions{Name: "other", HeadSHA: p.HeadSha(),
					Status: gh.String("completed"), Conclusion: gh.String("failure"),
					Output: &gh.CheckRunOutput{Title: gh.String("red"), Summary: gh.String("It failed.")}})
				h.Must(err)
				q.wait(15 * time.Second)
			}
			h.fails(tests, investigatetest.Recording(t, "demo.log"), "x")
			q.wait(3 * time.Hour)
			if len(h.asked()) == 0 {
				t.Errorf("%+v", h.investigations(p))
			}
		})
	}
}

// TestJobThatWaitsLooks: a look has listed the runs, and reads logs. A job about one of these runs
// waits. Then another workflow becomes red, whose jobs end because that one waits. Though its run
// has been read by then, it looks.
func TestJobThatWaitsLooks(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 1_000_000}, "demo.report.json")
	p := h.Pull(nil)
	lint, format, tests := h.workflow(p, "lint"), h.workflow(p, "format"), h.workflow(p, "tests")
	h.fails(lint, []byte(noTests), "x")
	h.settle()
	i := h.investigations(p)[0]
	h.lost(func() { h.fails(format, []byte(noTests), "x") })
	h.advance(time.Hour)
	if h.s.heads.again(looksOf(i, "job/x"), h.now(), DefaultPace.Look) != 0 {
		t.Fatal("nothing would look")
	}
	at, pr, cfg, err := h.s.current(h.Ctx, i)
	h.Must(err)
	known, err := h.s.evidence(h.Ctx, i)
	h.Must(err)
	runs, err := runsOn(h.Ctx, at, pr, cfg.Config, known.Read)
	h.Must(err)
	key := fmt.Sprintf("run/%d/1", format.ID)
	h.Must(h.s.store.Do(h.Ctx, func(tx *store.Tx) error {
		return tx.Enqueue(h.s.in(collectArgs{ID: i.ID, Again: true, Later: true, Key: key}, 0))
	}))
	var waiting int64
	h.Must(h.queue.QueryRowContext(h.Ctx, `SELECT max(id) FROM river_job WHERE kind = 'collect'`).Scan(&waiting))
	var later laterError
	if err := h.s.collect(h.Ctx, collectArgs{ID: i.ID, Again: true, Later: true, Key: key, job: waiting}); !errors.As(err, &later) {
		t.Fatalf("the job does not wait: %v", err)
	}
	h.cameBack(waiting)
	h.lost(func() { h.fails(tests, investigatetest.Recording(t, "demo.log"), "x") })
	for n, k := range []string{"job/987654", fmt.Sprintf("run/%d/1", tests.ID)} {
		h.Must(h.s.collect(h.Ctx, collectArgs{ID: i.ID, Again: true, Later: true, Key: k, job: waiting + 1 + int64(n)}))
	}
	ev, _, err := h.s.gatherInTurn(h.Ctx, at, pr, runs, cfg.Config.CI)
	h.Must(err)
	h.Must(h.s.more(h.Ctx, i, ev, cfg.Config))
	h.settle()
	if len(h.asked()) == 0 {
		t.Errorf("nobody looks at the red tests: %+v", h.investigations(p))
	}
}
