package investigate

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/keys"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
	"github.com/odfix/odfix/internal/work"
)

// hub is a stand-in GitHub with the service before it. The test does the queue's jobs one after the
// other, so that nothing waits for a clock or a poll: what asks to be done later is done at once,
// at a later time of the hub's clock.
type hub struct {
	*investigatetest.Hub
	t       *testing.T
	runner  *investigatetest.Runner
	s       *Service
	db      *store.Store
	queue   *sql.DB
	adjust  func(*Options)        // may be nil
	writing func(context.Context) // called before each write to GitHub; may be nil
	do      map[string]func(context.Context, rivertype.JobRow) error

	mu    sync.Mutex
	later time.Duration // by which the hub's clock is ahead of the machine's
	ended []Ended
}

// newHub starts all of it. The runner answers with a recorded report.
func newHub(t *testing.T, config githubtest.Config, report string) *hub {
	t.Helper()
	h := &hub{t: t, runner: investigatetest.NewRunner(t, report)}
	h.github(config)
	h.serve(h.runner)
	return h
}

// newHubWith is newHub for the demo. before is called before the service is made.
func newHubWith(t *testing.T, before func(h *hub)) *hub {
	t.Helper()
	h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
	h.github(githubtest.Config{})
	before(h)
	h.serve(h.runner)
	return h
}

func (h *hub) github(config githubtest.Config) {
	h.Hub = investigatetest.New(h.t, config)
}

func (h *hub) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Add(h.later)
}

// advance moves the hub's clock. GitHub keeps the machine's, as tokens do.
func (h *hub) advance(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.later += d
}

// serve receives webhooks and makes the service.
func (h *hub) serve(d dispatch.Dispatcher) {
	h.t.Helper()
	file := storetest.SQLite(h.t)
	h.db = storetest.Open(h.t, file, store.Options{Now: h.now})
	var err error
	h.queue, err = sql.Open("odfix-sqlite", "file:"+file+"?_pragma=busy_timeout(10000)")
	h.Must(err)
	h.t.Cleanup(func() { h.queue.Close() })
	sign, err := keys.PEM(h.App.PEM())
	h.Must(err)
	app, err := github.NewApp(github.AppOptions{ID: h.App.ID, Sign: sign, API: h.URL, Now: h.now, Writes: func(ctx context.Context, w github.Write) error {
		if h.writing != nil {
			h.writing(ctx)
		}
		return RecordWrites(h.db, zap.NewNop())(ctx, w)
	}})
	h.Must(err)
	packed, jdks := pull.Packed(app), map[int]string{21: "/jdks/21"}
	d = &work.Checkout{Dispatcher: d, Dir: h.t.TempDir(), JDKs: jdks,
		Source: func(ctx context.Context, j job.Job, w io.Writer) error {
			return packed(ctx, j.Installation, j.Source, w)
		}}
	o := Options{Store: h.db, App: app, Dispatcher: d, Now: h.now, Dir: h.t.TempDir(),
		Pace:    Pace{Config: time.Nanosecond, Beat: 10 * time.Millisecond, Progress: time.Millisecond},
		Observe: func(e Ended) { h.ended = append(h.ended, e) }}
	if h.adjust != nil {
		h.adjust(&o)
	}
	h.s, err = New(o)
	h.Must(err)
	h.do = map[string]func(context.Context, rivertype.JobRow) error{}
	handle(h, NewDeliveries(h.db, zap.NewNop(), h.s.Delivered))
	handle(h, worker[considerArgs]{do: h.s.consider, s: h.s})
	handle(h, worker[collectArgs]{do: h.s.collect, s: h.s})
	handle(h, worker[runArgs]{do: h.s.run, s: h.s})
	handle(h, worker[publishArgs]{do: h.s.publish, s: h.s})
	handle(h, worker[polluteArgs]{do: h.s.pollute, s: h.s})
	handle(h, worker[annotateArgs]{do: h.s.annotate, s: h.s})
	handle(h, worker[eraseArgs]{do: h.s.erase, s: h.s})
	handle(h, worker[sweepOneArgs]{do: h.s.sweepOne, s: h.s})
	hook, err := github.NewWebhook(Intake{h.db}, github.WebhookOptions{Secrets: func() []string { return []string{investigatetest.Secret} }})
	h.Must(err)
	server := httptest.NewServer(hook)
	h.t.Cleanup(server.Close)
	h.App.SetWebhookURL(server.URL)
	h.App.Release(nil)
}

// handle registers a worker for the jobs of its kind.
func handle[T river.JobArgs](h *hub, w river.Worker[T]) {
	var kind T
	h.do[kind.Kind()] = func(ctx context.Context, row rivertype.JobRow) error {
		j := &river.Job[T]{JobRow: &row}
		if err := json.Unmarshal(row.EncodedArgs, &j.Args); err != nil {
			return err
		}
		return w.Work(ctx, j)
	}
}

// mostSteps is more than any test needs: a job that comes back for ever fails the test.
const mostSteps = 2000

// settle does the queue's jobs until none is left and every webhook is delivered. It may be called
// while a job runs, for the others.
func (h *hub) settle() {
	h.t.Helper()
	for range mostSteps {
		h.Must(h.Drain(h.Ctx))
		if !h.step() {
			return
		}
	}
	h.t.Fatalf("after %d jobs there are more", mostSteps)
}

// step does the job whose turn it is; false if there is none.
func (h *hub) step() bool {
	h.t.Helper()
	var row rivertype.JobRow
	var due string
	err := h.queue.QueryRowContext(h.Ctx, `UPDATE river_job SET state = 'running', attempt = attempt + 1
WHERE id = (SELECT id FROM river_job WHERE state IN ('available', 'scheduled', 'retryable') ORDER BY priority, scheduled_at, id LIMIT 1)
RETURNING id, kind, args, attempt, max_attempts, scheduled_at`).Scan(&row.ID, &row.Kind, &row.EncodedArgs, &row.Attempt, &row.MaxAttempts, &due)
	if errors.Is(err, sql.ErrNoRows) {
		return false
	}
	h.Must(err)
	row.Metadata = h.snoozes(row.ID)
	do := h.do[row.Kind]
	if do == nil {
		h.t.Fatalf("nobody does jobs of the kind %q", row.Kind)
	}
	err = do(h.Ctx, row)
	var snooze *river.JobSnoozeError
	var cancelled *river.JobCancelError
	state, back := "completed", 0
	switch {
	case errors.As(err, &snooze):
		h.advance(snooze.Duration)
		h.cameBack(row.ID)
		state, back = "available", 1
	case errors.As(err, &cancelled), err != nil && row.Attempt >= row.MaxAttempts:
		h.t.Errorf("the job %s %s failed: %v", row.Kind, row.EncodedArgs, err)
	case err != nil:
		h.advance(DefaultPace.Look << min(row.Attempt, 5))
		state = "available"
	}
	_, err = h.queue.ExecContext(h.Ctx, `UPDATE river_job SET state = $1, attempt = attempt - $2, scheduled_at = datetime('now', 'subsec'),
finalized_at = CASE WHEN $1 = 'completed' THEN CURRENT_TIMESTAMP END WHERE id = $3`, state, back, row.ID)
	h.Must(err)
	return true
}

// snoozes is what River keeps of a job that came back.
func (h *hub) snoozes(id int64) (metadata []byte) {
	h.Must(h.queue.QueryRowContext(h.Ctx, `SELECT CAST(metadata AS TEXT) FROM river_job WHERE id = ?`, id).Scan(&metadata))
	return metadata
}

func (h *hub) cameBack(id int64) {
	_, err := h.queue.ExecContext(h.Ctx, `UPDATE river_job SET metadata = '{"snoozes": 1}' WHERE id = ?`, id)
	h.Must(err)
}

// settled settles, and returns the pull request's investigations, the newest first. At least so
// many must have ended.
func (h *hub) settled(p *githubtest.PullRequest, ended int) []store.Investigation {
	h.t.Helper()
	h.settle()
	list := h.investigations(p)
	n := 0
	for _, i := range list {
		if i.State.Ended() {
			n++
		}
	}
	if n < ended {
		h.t.Fatalf("%d investigations have ended, fewer than %d: %+v", n, ended, list)
	}
	return list
}

func (h *hub) investigations(p *githubtest.PullRequest) (list []store.Investigation) {
	h.t.Helper()
	h.Must(h.db.View(h.Ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Investigations(h.Repo.ID, int64(p.Number))
		return err
	}))
	return list
}

// red lets CI fail with a recorded log.
func (h *hub) red(p *githubtest.PullRequest, log string) *githubtest.Run {
	h.t.Helper()
	return h.Red(p, investigatetest.Recording(h.t, log))
}

// lost does what GitHub sends webhooks about, and none of them arrives.
func (h *hub) lost(do func()) {
	h.t.Helper()
	h.App.Hold()
	do()
	h.App.Release(func([]*githubtest.Delivery) []*githubtest.Delivery { return nil })
	h.Must(h.Drain(h.Ctx))
}

// asked are the jobs that the runner got.
func (h *hub) asked() []job.Job { return h.runner.Jobs() }

func wantIn(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("there is no %q in:\n%s", w, text)
		}
	}
}

func wantNotIn(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, cmp.Or(w, "\x00")) {
			t.Errorf("%q is in:\n%s", w, text)
		}
	}
}
