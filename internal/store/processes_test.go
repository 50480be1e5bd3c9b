package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// runningJobs adds jobs that these processes have taken.
func runningJobs(t *testing.T, b *testStore, by ...string) {
	t.Helper()
	for n, processes := range by {
		b.do(func(tx *store.Tx) error {
			return tx.Enqueue(store.Job(handle{guid(n)}, &river.InsertOpts{MaxAttempts: 1}))
		})
		raw(t, b.place, fmt.Sprintf(`UPDATE river_job SET state = 'running', attempt = 1, attempted_at = now(), attempted_by = '%s'
			WHERE args->>'guid' = '%s'`, processes, guid(n)))
	}
}

// TestJobsOfDeadProcesses checks that the jobs of processes that gave a sign of life once, and give
// none any more, go back into the queue, and no others.
func TestJobsOfDeadProcesses(t *testing.T) {
	place := storetest.Postgres(t)
	c := newClock()
	b := &testStore{storetest.Open(t, place, store.Options{Now: c.now}), c, t, place}
	runningJobs(t, b, `{dead}`, `{slow}`, `{slow,dead}`, `{dead,slow}`, `{unknown}`)
	for _, process := range []string{"dead", "slow"} {
		b.do(func(tx *store.Tx) error { return tx.Beat(process) })
	}
	putBack := func() (n int64) {
		b.do(func(tx *store.Tx) (err error) {
			n, err = tx.PutBack(time.Minute)
			return err
		})
		return n
	}
	b.add(time.Hour) // only the database's clock counts
	if n := putBack(); n != 0 {
		t.Errorf("%d jobs of living processes", n)
	}
	raw(t, place, `UPDATE process SET beat = beat - 61000000`)
	b.do(func(tx *store.Tx) error { return tx.Beat("slow") })
	if n := putBack(); n != 2 {
		t.Errorf("%d jobs of a dead process", n)
	}
	q := get(b, func(tx *store.Tx) (store.QueueState, error) { return tx.Queue() })
	if q.Jobs["available"] != 2 || q.Jobs["running"] != 3 {
		t.Errorf("%v", q.Jobs)
	}
	if n := putBack(); n != 0 {
		t.Errorf("%d jobs again", n)
	}
	// A job that has taken many processes with it does not run again.
	raw(t, place, `UPDATE river_job SET state = 'running', attempt = 40, errors = array_fill('{"error":"x"}'::jsonb, ARRAY[20]) WHERE state = 'available'`)
	if n := putBack(); n != 2 {
		t.Errorf("%d jobs that may be the reason", n)
	}
	q = get(b, func(tx *store.Tx) (store.QueueState, error) { return tx.Queue() })
	if q.Jobs["available"] != 0 || q.Jobs["discarded"] != 2 {
		t.Errorf("%v", q.Jobs)
	}
	if list := get(b, func(tx *store.Tx) ([][]byte, error) { return tx.Deadly(handle{}.Kind()) }); len(list) != 2 {
		t.Errorf("deadly: %q", list)
	}
}

// TestJobsOfAKilledProcess checks that a process does the jobs that a killed one had, long before
// they count as lost, also those of which that was the only attempt; and that it gives signs of life.
func TestJobsOfAKilledProcess(t *testing.T) {
	place := storetest.Postgres(t)
	c := newClock()
	b := &testStore{storetest.Open(t, place, store.Options{Now: c.now}), c, t, place}
	runningJobs(t, b, `{killed}`)
	raw(t, place, `INSERT INTO process (name, beat) VALUES ('killed', 0)`)
	done := make(chan int, 10)
	w, err := b.Work(t.Context(), store.Work{Queues: map[string]int{river.QueueDefault: 4}, RescueAfter: time.Hour,
		Silence: 2 * time.Second,
		Workers: workers(func(_ context.Context, j *river.Job[handle]) error {
			done <- j.Attempt
			return nil
		})})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop(t.Context())
	select {
	case attempt := <-done:
		if attempt != 2 {
			t.Errorf("attempt %d", attempt)
		}
	case <-time.After(time.Hour):
		t.Fatal("nobody does the job")
	}
	beat := func() int64 {
		return get(b, func(tx *store.Tx) (int64, error) { return tx.LastBeat() })
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for first, end := beat(), time.Now().Add(time.Hour); beat() == first; <-tick.C {
		if time.Now().After(end) {
			t.Fatal("it gives one sign of life only")
		}
	}
}
