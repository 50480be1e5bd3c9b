package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// work starts the queue and stops it with the test.
func work(t *testing.T, s *store.Store, f func(context.Context, *river.Job[handle]) error) *store.Worker {
	t.Helper()
	w, err := s.Work(t.Context(), store.Work{Workers: workers(f), Queues: map[string]int{river.QueueDefault: 4}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second) // River may hang, seldom
		defer cancel()
		w.Stop(ctx)
	})
	return w
}

// realTime opens a store with the real clock, because the queue uses it.
func realTime(t *testing.T, f func(t *testing.T, place string, s *store.Store)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, place string) {
		f(t, place, storetest.Open(t, place, store.Options{}))
	})
}

// TestQueuedBefore: older jobs about the same are found, and no others.
func TestQueuedBefore(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for _, of := range []string{"ab", "abc", "ab"} {
			b.do(func(tx *store.Tx) error { return tx.Enqueue(store.Job(handle{of}, nil)) })
		}
		for job, c := range map[int64]struct {
			of   string
			want bool
		}{1: {"ab", false}, 2: {"abc", false}, 3: {"ab", true}} {
			if got := get(b, func(tx *store.Tx) (bool, error) { return tx.QueuedBefore(handle{}.Kind(), job, c.of) }); got != c.want {
				t.Errorf("%d: %t", job, got)
			}
		}
		if get(b, func(tx *store.Tx) (bool, error) { return tx.QueuedBefore("other", 3, "ab") }) {
			t.Error("a job of another kind")
		}
		waiting := func(job int64) int {
			return len(get(b, func(tx *store.Tx) ([]store.Waiting, error) { return tx.WaitingBefore(handle{}.Kind(), job, "ab") }))
		}
		if first, last := waiting(1), waiting(3); first != 0 || last != 1 {
			t.Errorf("%d wait before the first, %d before the last", first, last)
		}
		ran := func() bool {
			return get(b, func(tx *store.Tx) ([]store.Waiting, error) { return tx.WaitingBefore(handle{}.Kind(), 3, "ab") })[0].Ran
		}
		if ran() {
			t.Error("a job that is new has run")
		}
		raw(t, b.place, `UPDATE river_job SET metadata = '{"snoozes": 1}' WHERE id = 1`)
		if !ran() {
			t.Error("a job that came back has not run")
		}
		raw(t, b.place, `UPDATE river_job SET metadata = '{}', attempt = 1 WHERE id = 1`)
		if !ran() {
			t.Error("a job that failed has not run")
		}
		raw(t, b.place, `UPDATE river_job SET state = 'running', attempted_at = `+map[bool]string{true: "now()", false: "datetime()"}[strings.HasPrefix(b.place, "postgres")]+
			` WHERE id = 1`)
		if n := waiting(3); n != 0 {
			t.Errorf("%d that run count as waiting", n)
		}
	})
}

type search struct {
	Installation int64 `json:"installation"`
}

func (search) Kind() string { return "search" }

// TestDueOf: each installation with a job that could run now is named once.
func TestDueOf(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		later := &river.InsertOpts{ScheduledAt: time.Now().Add(time.Hour)}
		for of, o := range []*river.InsertOpts{nil, later, nil, nil} {
			for range 2 {
				b.do(func(tx *store.Tx) error { return tx.Enqueue(store.Job(search{int64(of)}, o)) })
			}
		}
		raw(t, b.place, `DELETE FROM river_job WHERE id = 7`)
		due := get(b, func(tx *store.Tx) ([]int64, error) { return tx.DueOf(search{}.Kind()) })
		if slices.Sort(due); !slices.Equal(due, []int64{0, 2, 3}) {
			t.Errorf("due: %d", due)
		}
	})
}

// TestJobsAreDone checks that each job is done once, and that failed jobs run again.
func TestJobsAreDone(t *testing.T) {
	realTime(t, func(t *testing.T, _ string, s *store.Store) {
		var mu sync.Mutex
		done := map[string]int{}
		all := make(chan struct{})
		work(t, s, func(_ context.Context, j *river.Job[handle]) error {
			mu.Lock()
			defer mu.Unlock()
			if done[j.Args.GUID]++; j.Args.GUID == guid(3) && j.Attempt == 1 {
				return errors.New("not yet")
			}
			if len(done) == 50 && done[guid(3)] == 2 {
				close(all)
			}
			return nil
		})
		for n := range 50 {
			if _, err := s.Receive(t.Context(), arrival(guid(n))); err != nil {
				t.Fatal(err)
			}
		}
		wait(t, all)
		mu.Lock()
		defer mu.Unlock()
		for id, n := range done {
			if n != 1 && id != guid(3) {
				t.Errorf("%s was done %d times", id, n)
			}
		}
	})
}

func wait(t *testing.T, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Hour):
		t.Fatal("waited for a minute")
	}
}

// TestTwoReplicas checks that two replicas with one PostgreSQL do each job once.
func TestTwoReplicas(t *testing.T) {
	place := storetest.Postgres(t)
	var done atomic.Int64
	var seen sync.Map
	all := make(chan struct{})
	count := func(_ context.Context, j *river.Job[handle]) error {
		if _, twice := seen.LoadOrStore(j.Args.GUID, true); twice {
			t.Errorf("%s is done twice", j.Args.GUID)
		}
		if done.Add(1) == 100 {
			close(all)
		}
		return nil
	}
	var stores []*store.Store
	for range 2 {
		s := storetest.Open(t, place, store.Options{})
		work(t, s, count)
		stores = append(stores, s)
	}
	for n := range 100 {
		if _, err := stores[n%2].Receive(t.Context(), arrival(guid(n))); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, all)
}

// TestSQLiteHasOneWorker checks that a second process cannot work. It would treat the first one's
// jobs as orphans.
func TestSQLiteHasOneWorker(t *testing.T) {
	place := storetest.SQLite(t)
	first, second := storetest.Open(t, place, store.Options{}), storetest.Open(t, place, store.Options{})
	nothing := func(context.Context, *river.Job[handle]) error { return nil }
	work(t, first, nothing)
	_, err := second.Work(t.Context(), store.Work{Workers: workers(nothing), Queues: map[string]int{river.QueueDefault: 1}})
	if err == nil || !strings.Contains(err.Error(), "another odfix") {
		t.Errorf("%v", err)
	}
}

// TestAttackDeadlyJob: a job that takes its process with it each time does not run for ever, also with
// SQLite. TestJobsOfDeadProcesses is about PostgreSQL.
func TestAttackDeadlyJob(t *testing.T) {
	place := storetest.SQLite(t)
	s, err := store.Open(t.Context(), place, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if _, err := s.Receive(t.Context(), arrival(guid(n))); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	errs := func(n int) string { return "'[" + strings.TrimSuffix(strings.Repeat(`{"error":"x"},`, n), ",") + "]'" }
	raw(t, place, `UPDATE river_job SET state = 'running', attempt = 40, max_attempts = 500, errors =
		CASE WHEN id = (SELECT max(id) FROM river_job) THEN `+errs(21)+` ELSE `+errs(20)+` END`)
	s = storetest.Open(t, place, store.Options{})
	ran := make(chan struct{}, 2)
	work(t, s, func(context.Context, *river.Job[handle]) error {
		ran <- struct{}{}
		return nil
	})
	<-ran
	q, err := store.Read(t.Context(), s, func(tx *store.Tx) (store.QueueState, error) { return tx.Queue() })
	deadly, why := store.Read(t.Context(), s, func(tx *store.Tx) ([][]byte, error) { return tx.Deadly(handle{}.Kind()) })
	if why != nil || len(deadly) != 1 || !strings.Contains(string(deadly[0]), guid(0)) {
		t.Errorf("deadly: %q, %v", deadly, why)
	}
	if err != nil || q.Jobs["discarded"] != 1 || len(ran) != 0 {
		t.Errorf("%v, %d more ran, %v", q.Jobs, len(ran), err)
	}
}

// TestStopWaits checks that running jobs finish and that others stay in the queue.
func TestStopWaits(t *testing.T) {
	realTime(t, func(t *testing.T, _ string, s *store.Store) {
		begun, finish := make(chan struct{}), make(chan struct{})
		var finished atomic.Bool
		w := work(t, s, func(context.Context, *river.Job[handle]) error {
			close(begun)
			<-finish
			finished.Store(true)
			return nil
		})
		if _, err := s.Receive(t.Context(), arrival(guid(1))); err != nil {
			t.Fatal(err)
		}
		wait(t, begun)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			if err := w.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		close(finish)
		wait(t, stopped)
		if !finished.Load() {
			t.Error("it was cut off")
		}
	})
}

// TestStopWithoutWaiting checks that a job that does not end by itself is cancelled, and runs again
// after the next start.
func TestStopWithoutWaiting(t *testing.T) {
	realTime(t, func(t *testing.T, place string, s *store.Store) {
		begun := make(chan struct{}, 1)
		w := work(t, s, func(ctx context.Context, _ *river.Job[handle]) error {
			begun <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		})
		if _, err := s.Receive(t.Context(), arrival(guid(1))); err != nil {
			t.Fatal(err)
		}
		wait(t, begun)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Error(err)
		}
		s.Close()
		again := make(chan struct{})
		work(t, storetest.Open(t, place, store.Options{}), func(context.Context, *river.Job[handle]) error {
			close(again)
			return nil
		})
		wait(t, again)
	})
}
