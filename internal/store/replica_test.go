package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// replicaPlace makes the test binary a replica that investigates.
const replicaPlace = "ODFIX_TEST_REPLICA"

func TestMain(m *testing.M) {
	place := os.Getenv(replicaPlace)
	if place == "" {
		storetest.Main(m)
		return
	}
	if err := replica(place); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type investigate struct {
	ID string `json:"id"`
}

func (investigate) Kind() string { return "investigate" }

// investigator handles an investigation like a dispatcher, without the runner.
type investigator struct {
	river.WorkerDefaults[investigate]
	store *store.Store
}

// Work implements river.Worker.
func (w *investigator) Work(ctx context.Context, j *river.Job[investigate]) error {
	holder := fmt.Sprintf("%d/%d", os.Getpid(), j.ID)
	id := j.Args.ID
	err := w.store.Do(ctx, func(tx *store.Tx) error { _, err := tx.Take(id, holder); return err })
	if errors.Is(err, store.ErrState) {
		return nil // another replica has it, or it has ended
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for n := 0; n < 4 && err == nil; n++ {
		<-tick.C
		err = w.store.Do(ctx, func(tx *store.Tx) error { _, err := tx.Heartbeat(id, holder); return err })
	}
	if err != nil {
		return err
	}
	return w.store.Do(ctx, func(tx *store.Tx) error {
		if _, err := tx.SaveReport(id, holder, &job.Report{Version: job.Version, Tool: holder}); err != nil {
			return err
		}
		_, err := tx.Move(id, store.Change{To: store.Done, Holder: holder})
		return err
	})
}

// silence is how long a replica may send no heartbeat.
const silence = 2 * time.Second

// replica works until its parent closes its standard input.
func replica(place string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := store.Open(ctx, place, store.Options{})
	if err != nil {
		return err
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &investigator{store: s})
	// A replica can die between fetching a job and taking its investigation. The investigation then
	// has no lease that could expire. The queue itself gives such a job to another replica.
	work := store.Work{Workers: workers, Queues: map[string]int{river.QueueDefault: 3}, JobTimeout: 4 * time.Second,
		RescueAfter: 5 * time.Second}
	if _, err := s.Work(ctx, work); err != nil {
		return err
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for range time.Tick(300 * time.Millisecond) {
		err := s.Do(ctx, func(tx *store.Tx) error {
			r, err := tx.Reap(silence, 1000)
			for _, i := range r.Requeued {
				err = errors.Join(err, tx.Enqueue(store.Job(investigate{i.ID}, nil)))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// startReplica starts a replica. kill ends it without a chance to clean up.
func startReplica(t *testing.T, place string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), replicaPlace+"="+place)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // the pipe closes with this process
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		cmd.Process.Kill() // it may have ended
		cmd.Wait()
	}
	t.Cleanup(kill)
	return kill
}

// TestTwoReplicasInvestigateOnce runs two processes with one PostgreSQL and kills one after the
// other while they work. Every investigation ends with one report, from its last holder.
func TestTwoReplicasInvestigateOnce(t *testing.T) {
	place := storetest.Postgres(t)
	s := storetest.Open(t, place, store.Options{})
	const all = 40
	var ids []string
	for n := range int64(all) {
		ids = append(ids, queued(t, s, n+1))
	}
	kills := [2]func(){startReplica(t, place), startReplica(t, place)}
	done := func() (n int64) {
		err := s.View(t.Context(), func(tx *store.Tx) error {
			counts, err := tx.Counts()
			n = counts[store.Done]
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	killed, next := 0, time.Now().Add(time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Hour); done() < all; <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("%d of %d are done", done(), all)
		}
		if killed < 6 && time.Now().After(next) {
			which := killed % 2
			kills[which]()
			kills[which] = startReplica(t, place)
			killed++
			next = time.Now().Add(time.Duration(200+rand.IntN(600)) * time.Millisecond)
		}
	}
	var attempts int64
	for _, id := range ids {
		attempts += reported(t, s, id)
	}
	t.Logf("%d investigations, %d kills, %d attempts", all, killed, attempts)
	if killed < 2 {
		t.Errorf("only %d kills: the test shows nothing", killed)
	}
}

// queued opens an investigation and its job.
func queued(t *testing.T, s *store.Store, number int64) string {
	t.Helper()
	var id string
	err := s.Do(t.Context(), func(tx *store.Tx) error {
		_, err := tx.SavePullRequest(store.PullRequest{Repository: 1, Number: number, HeadSHA: "a", Open: true, Updated: time.Now()})
		if err != nil {
			return err
		}
		i, _, err := tx.OpenInvestigation(push(number, "a"))
		if err != nil {
			return err
		}
		id = i.ID
		_, err = tx.Move(id, store.Change{To: store.Queued})
		return errors.Join(err, tx.Enqueue(store.Job(investigate{id}, nil)))
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// reported checks an investigation that is done, and returns how often a replica took it.
func reported(t *testing.T, s *store.Store, id string) (attempts int64) {
	t.Helper()
	err := s.View(t.Context(), func(tx *store.Tx) error {
		i, err := tx.Investigation(id)
		if err != nil {
			return err
		}
		r, err := tx.Report(id)
		if err == nil && (r.Tool != i.Holder || i.State != store.Done) {
			t.Errorf("%+v has the report of %s", i, r.Tool)
		}
		attempts = i.Attempt
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return attempts
}
