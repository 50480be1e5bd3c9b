package store

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
)

// Job makes a queue entry of arguments, with what options say.
func Job(args river.JobArgs, o *river.InsertOpts) river.InsertManyParams {
	return river.InsertManyParams{Args: args, InsertOpts: o}
}

// Work says who does the queue's jobs.
type Work struct {
	Workers *river.Workers
	// Queues are the queues to serve, with how many jobs of each at once.
	Queues map[string]int
	// Periodic jobs are enqueued by one replica at a time.
	Periodic []*river.PeriodicJob
	// RescueAfter is when a job of a replica that died is given to another;
	// zero: 5 minutes. A job whose worker has a longer Timeout is left alone that long.
	RescueAfter time.Duration
	// JobTimeout holds for workers that name none; zero: a minute.
	JobTimeout time.Duration
}

// Worker is the queue being worked on.
type Worker struct{ client worker }

// worker is what both of River's clients are.
type worker interface {
	Start(context.Context) error
	Stop(context.Context) error
	StopAndCancel(context.Context) error
}

// pollEvery is how soon a new job is seen where the database cannot tell of it.
const pollEvery = 200 * time.Millisecond

// Work begins to do jobs, until Stop. The context is for the beginning and for
// what jobs inherit; its end is not a stop.
func (s *Store) Work(ctx context.Context, w Work) (*Worker, error) {
	c := &river.Config{
		Logger: s.log, Workers: w.Workers, Queues: map[string]river.QueueConfig{}, PeriodicJobs: w.Periodic,
		FetchPollInterval: time.Second, FetchCooldown: 20 * time.Millisecond,
		RescueStuckJobsAfter: w.RescueAfter, JobTimeout: w.JobTimeout,
	}
	if c.RescueStuckJobsAfter == 0 {
		c.RescueStuckJobsAfter = 5 * time.Minute
	}
	if s.Name() == "sqlite" {
		c.FetchPollInterval = pollEvery
	}
	for name, n := range w.Queues {
		c.Queues[name] = river.QueueConfig{MaxWorkers: n}
	}
	client, err := s.db.work(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	return &Worker{client}, nil
}

// Stop takes no more jobs and waits for those under way; when the context ends
// first, they are cancelled and stay in the queue for another time.
func (w *Worker) Stop(ctx context.Context) error {
	if err := w.client.Stop(ctx); err == nil || ctx.Err() == nil {
		return err
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return w.client.StopAndCancel(last)
}

// QueueState is how much is waiting.
type QueueState struct {
	Jobs   map[string]int64 // by state: available, running, retryable, discarded, …
	Oldest time.Duration    // age of the oldest job that could be done now; zero: there is none
}

// Queue says how the queue stands.
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

// quiet leaves out what is said for each of River's migrations.
func quiet(log *slog.Logger) *slog.Logger {
	return slog.New(levelled{log.Handler()})
}

type levelled struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h levelled) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}
