package store

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
)

// Job makes a queue entry.
func Job(args river.JobArgs, o *river.InsertOpts) river.InsertManyParams {
	return river.InsertManyParams{Args: args, InsertOpts: o}
}

// Work configures the workers of the queue.
type Work struct {
	Workers *river.Workers
	// Queues are the queues to serve, each with the number of jobs at the same time.
	Queues map[string]int
	// Periodic jobs are enqueued by one replica at a time.
	Periodic []*river.PeriodicJob
	// RescueAfter is the time after which a job that runs for longer than its worker's Timeout is
	// taken for lost; zero: 5 minutes.
	RescueAfter time.Duration
	// Silence is the time without a sign of life after which another replica takes the jobs of a
	// replica; zero: 20 seconds.
	Silence time.Duration
	// JobTimeout is for workers without a Timeout; zero: a minute.
	JobTimeout time.Duration
}

// Worker is a running set of workers.
type Worker struct {
	client worker
	done   func() // ends the signs of life
}

// worker is the common part of River's clients.
type worker interface {
	Start(context.Context) error
	Stop(context.Context) error
	StopAndCancel(context.Context) error
}

// pollEvery is the interval at which SQLite is asked for new jobs.
const pollEvery = 200 * time.Millisecond

// keepCompleted is how long jobs that succeeded are kept, for people who look at the table.
const keepCompleted = time.Hour

// Work does jobs until Stop. The context is for the start, and for the values that jobs inherit;
// its end does not stop the workers.
func (s *Store) Work(ctx context.Context, w Work) (*Worker, error) {
	c := &river.Config{
		Logger: s.log, Workers: w.Workers, Queues: map[string]river.QueueConfig{}, PeriodicJobs: w.Periodic,
		FetchPollInterval: time.Second, FetchCooldown: 20 * time.Millisecond,
		RescueStuckJobsAfter: w.RescueAfter, JobTimeout: w.JobTimeout, CompletedJobRetentionPeriod: keepCompleted,
	}
	c.RescueStuckJobsAfter = cmp.Or(c.RescueStuckJobsAfter, 5*time.Minute)
	if s.Name() == "sqlite" {
		c.FetchPollInterval = pollEvery
	}
	for name, n := range w.Queues {
		c.Queues[name] = river.QueueConfig{MaxWorkers: n}
	}
	c.ID = processName()
	client, err := s.db.work(ctx, c)
	if err != nil {
		return nil, err
	}
	done, err := s.startLife(ctx, c.ID, cmp.Or(w.Silence, silence))
	if err != nil {
		return nil, err
	}
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		done()
		return nil, err
	}
	return &Worker{client, done}, nil
}

// Stop takes no more jobs and waits for the running ones. If the context ends first, it cancels
// them; they stay in the queue.
func (w *Worker) Stop(ctx context.Context) error {
	defer w.done()
	if err := w.client.Stop(ctx); err == nil || ctx.Err() == nil {
		return err
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return w.client.StopAndCancel(last)
}

// QueueState describes the jobs in the queue.
type QueueState struct {
	Jobs   map[string]int64 // by state: available, running, retryable, discarded, …
	Oldest time.Duration    // age of the oldest delivery without a finished job; zero: there is none
}

// Queue returns the state of the queue.
func (tx *Tx) Queue() (QueueState, error) {
	out := QueueState{Jobs: map[string]int64{}}
	type count struct {
		state string
		n     int64
	}
	list, err := all(tx, func(r rows) (c count, err error) { return c, r.Scan(&c.state, &c.n) },
		`SELECT CAST(state AS TEXT), count(*) FROM river_job GROUP BY state`)
	if err != nil {
		return out, err
	}
	for _, c := range list {
		out.Jobs[c.state] = c.n
	}
	oldest, err := all(tx, scanInt, `SELECT received FROM delivery WHERE handled = 0 ORDER BY received LIMIT 1`)
	if len(oldest) > 0 {
		out.Oldest = max(0, tx.time.Sub(fromMicros(oldest[0])))
	}
	return out, err
}

// unfinished queries the jobs of a kind that have not ended. An index has them. SQLite prefers
// another one, and both databases use it only for this list of states.
func unfinished(postgres bool, columns, and string) string {
	index := ` INDEXED BY odfix_unfinished_job`
	if postgres {
		index = ""
	}
	return `SELECT ` + columns + ` FROM river_job` + index +
		` WHERE kind = $1 AND state IN ('available', 'pending', 'retryable', 'running', 'scheduled') ` + and
}

// olderThan are conditions for jobs that are older than one, with a text among their arguments.
const olderThan = `AND id < $2 AND CAST(args AS TEXT) LIKE '%"' || $3 || '"%' `

func unfinishedJobs(postgres bool) string {
	return unfinished(postgres, `CAST(args AS TEXT)`, `ORDER BY id`)
}

func queuedBefore(postgres bool) string { return unfinished(postgres, `count(*)`, olderThan) }

func waitingBefore(postgres bool) string {
	return unfinished(postgres, `CAST(args AS TEXT), attempt > 0 OR CAST(metadata AS TEXT) LIKE '%snoozes%'`,
		olderThan+`AND state <> 'running' ORDER BY id`)
}

func dueOf(postgres bool) string {
	return unfinished(postgres, `DISTINCT CAST(args ->> 'installation' AS BIGINT)`, `AND state = 'available'`)
}

// DueOf returns the installations that arguments name of jobs of a kind that could run now.
func (tx *Tx) DueOf(kind string) ([]int64, error) { return all(tx, scanInt, dueOf(tx.postgres), kind) }

// Unfinished returns the arguments of the jobs of a kind that have not ended.
func (tx *Tx) Unfinished(kind string) ([][]byte, error) {
	return all(tx, scanArgs, unfinishedJobs(tx.postgres), kind)
}

func scanArgs(r rows) ([]byte, error) {
	var args string
	err := r.Scan(&args)
	return []byte(args), err
}

// QueuedBefore reports whether a job that has not ended is older than this one, of the same kind,
// and has a text among its arguments.
func (tx *Tx) QueuedBefore(kind string, job int64, text string) (bool, error) {
	n, err := one(tx, scanInt, queuedBefore(tx.postgres), kind, job, text)
	return n > 0, err
}

// Waiting is a job that waits.
type Waiting struct {
	Args []byte
	Ran  bool // it has run before: it came back, failed, or its process ended
}

// WaitingBefore returns the jobs that wait, are older than this one, of the same kind, and have a text
// among their arguments. It leaves out jobs that run: they may have looked already.
func (tx *Tx) WaitingBefore(kind string, job int64, text string) ([]Waiting, error) {
	return all(tx, scanWaiting, waitingBefore(tx.postgres), kind, job, text)
}

func scanWaiting(r rows) (w Waiting, err error) {
	var args string
	err = r.Scan(&args, &w.Ran)
	w.Args = []byte(args)
	return w, err
}

// Deadly returns the arguments of the jobs of a kind that were given up because mostDeaths processes died
// while they ran them.
func (tx *Tx) Deadly(kind string) ([][]byte, error) {
	return all(tx, scanArgs, `SELECT CAST(args AS TEXT) FROM river_job WHERE kind = $1 AND state = 'discarded'
		AND `+deaths(tx.postgres)+` >= $2`, kind, mostDeaths)
}

// quiet drops the messages of River's single migrations.
func quiet(log *slog.Logger) *slog.Logger {
	return slog.New(levelled{log.Handler()})
}

type levelled struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h levelled) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}
