package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// clock keeps its time until a test changes it.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// testStore is an open store with a clock.
type testStore struct {
	*store.Store
	*clock
	t     *testing.T
	place string
}

// each runs a test on both databases.
func each(t *testing.T, f func(t *testing.T, b *testStore)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, place string) {
		c := newClock()
		f(t, &testStore{storetest.Open(t, place, store.Options{Now: c.now}), c, t, place})
	})
}

// do runs a transaction that must succeed.
func (b *testStore) do(f func(*store.Tx) error) {
	b.t.Helper()
	if err := b.Do(b.t.Context(), f); err != nil {
		b.t.Fatal(err)
	}
}

// get runs a transaction that reads.
func get[T any](b *testStore, f func(*store.Tx) (T, error)) T {
	b.t.Helper()
	var out T
	err := b.View(b.t.Context(), func(tx *store.Tx) (err error) {
		out, err = f(tx)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// handle is a job of the tests.
type handle struct {
	GUID string `json:"guid"`
}

func (handle) Kind() string { return "handle" }

func arrival(guid string) store.Arrival {
	return store.Arrival{GUID: guid, Event: "check_run", Content: []byte(`{"id":1}`), Job: store.Job(handle{guid}, nil)}
}

func (b *testStore) jobs() int64 {
	b.t.Helper()
	q := get(b, func(tx *store.Tx) (store.QueueState, error) { return tx.Queue() })
	var n int64
	for _, c := range q.Jobs {
		n += c
	}
	return n
}

// pull saves an open pull request with this head.
func (b *testStore) pull(number int64, sha string) {
	b.t.Helper()
	b.add(time.Second)
	b.do(func(tx *store.Tx) error {
		_, err := tx.SavePullRequest(store.PullRequest{Repository: 1, Number: number, HeadSHA: sha,
			HeadRepository: 1, HeadRef: "x", BaseRef: "main", Open: true, Updated: b.now()})
		return err
	})
}

func push(number int64, sha string) store.Push {
	return store.Push{Installation: 9, Repository: 1, PullRequest: number, HeadSHA: sha, Lifetime: time.Hour}
}

// open saves the pull request and opens its investigation.
func (b *testStore) open(number int64, sha string) store.Investigation {
	b.t.Helper()
	b.pull(number, sha)
	var out store.Investigation
	b.do(func(tx *store.Tx) (err error) {
		out, _, err = tx.OpenInvestigation(push(number, sha))
		return err
	})
	return out
}

// bring moves an investigation to a state with the fewest changes.
func (b *testStore) bring(id string, to store.State) {
	b.t.Helper()
	steps := map[store.State][]store.State{
		store.Collecting: {}, store.Queued: {store.Queued}, store.Running: {store.Queued, store.Running},
		store.Reporting: {store.Queued, store.Running, store.Reporting},
		store.Done:      {store.Queued, store.Running, store.Reporting, store.Done},
		store.Failed:    {store.Failed}, store.Superseded: {store.Superseded}, store.Cancelled: {store.Cancelled},
		store.Expired: {store.Expired},
	}
	for _, s := range steps[to] {
		b.do(func(tx *store.Tx) error { return step(tx, id, s) })
	}
}

func step(tx *store.Tx, id string, to store.State) error {
	if to == store.Running {
		_, err := tx.Take(id, "h")
		return err
	}
	_, err := tx.Move(id, store.Change{To: to})
	return err
}

func (b *testStore) state(id string) store.Investigation {
	b.t.Helper()
	return get(b, func(tx *store.Tx) (store.Investigation, error) { return tx.Investigation(id) })
}

// worker does jobs of the tests.
type worker struct {
	river.WorkerDefaults[handle]
	do func(context.Context, *river.Job[handle]) error
}

func (w *worker) Work(ctx context.Context, j *river.Job[handle]) error { return w.do(ctx, j) }

func workers(f func(context.Context, *river.Job[handle]) error) *river.Workers {
	out := river.NewWorkers()
	river.AddWorker(out, &worker{do: f})
	return out
}

func guid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
