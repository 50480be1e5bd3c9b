package investigate

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestTasksOfEndedInvestigations: a newer push comes while no server waits for the tasks of the older
// one. They are cancelled; those of other investigations, and of none, are not.
func TestTasksOfEndedInvestigations(t *testing.T) {
	clock := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return clock }
	db := storetest.Open(t, storetest.SQLite(t), store.Options{Now: now})
	s := &Service{store: db, now: now, log: zap.NewNop()}
	s.o.Pace.fill()
	do := func(f func(*store.Tx) error) {
		t.Helper()
		if err := db.Do(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	opened := func(pull int64, sha string) *running {
		clock = clock.Add(time.Second)
		r := &running{s: s, sha: "merge-" + sha}
		do(func(tx *store.Tx) error {
			_, err := tx.SavePullRequest(store.PullRequest{Repository: 1, Number: pull, HeadSHA: sha, HeadRepository: 1,
				HeadRef: "x", BaseRef: "main", Open: true, Updated: clock})
			if err == nil {
				r.i, _, err = tx.OpenInvestigation(store.Push{Installation: 9, Repository: 1, PullRequest: pull, HeadSHA: sha, Lifetime: time.Hour})
			}
			return err
		})
		return r
	}
	old, other := opened(7, "a"), opened(8, "b")
	tasks := map[string]string{} // IDs by key
	for _, key := range []string{old.key("fix"), old.key("verify"), other.key("fix"), push{Repository: 1, Pull: 7, Head: "a"}.key("pollution-run"), ""} {
		clock = clock.Add(time.Second)
		do(func(tx *store.Tx) error {
			task, _, err := tx.OpenTask(store.Task{Key: key, About: []byte("{}"), Content: []byte("{}"), Limit: time.Hour}, time.Hour)
			tasks[key] = task.ID
			return err
		})
	}
	do(func(tx *store.Tx) error { _, err := tx.TakeTask("w", "t", ""); return err }) // that of old.key("fix")
	check := func(when string, cancelled ...string) {
		t.Helper()
		if err := s.reap(t.Context(), reapArgs{}); err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, key := range cancelled {
			want[key] = true
		}
		for key, id := range tasks {
			task, err := store.Read(t.Context(), db, func(tx *store.Tx) (store.Task, error) { return tx.Task(id) })
			if err != nil || task.Stop != want[key] || task.State.Ended() {
				t.Errorf("%s: the task %q: %+v, %v", when, key, task, err)
			}
		}
	}
	check("before")
	opened(7, "c")
	check("after the newer push", old.key("fix"), old.key("verify"))
}

// TestAttackDeadlyReport: a report whose publication takes the process with it, again and again, is not
// queued once more. That of another investigation is.
func TestAttackDeadlyReport(t *testing.T) {
	clock := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return clock }
	place := storetest.SQLite(t)
	db := storetest.Open(t, place, store.Options{Now: now})
	s := &Service{store: db, now: now, log: zap.NewNop()}
	s.o.Pace.fill()
	var opened []store.Investigation
	err := db.Do(t.Context(), func(tx *store.Tx) error {
		for pull, sha := range map[int64]string{7: "a", 8: "b"} {
			if _, err := tx.SavePullRequest(store.PullRequest{Repository: 1, Number: pull, HeadSHA: sha, HeadRepository: 1, HeadRef: sha,
				BaseRef: "main", Open: true, Updated: clock}); err != nil {
				return err
			}
			i, _, err := tx.OpenInvestigation(store.Push{Installation: 9, Repository: 1, PullRequest: pull, HeadSHA: sha, Lifetime: 5 * time.Hour})
			if opened = append(opened, i); err != nil {
				return err
			}
		}
		return tx.Enqueue(s.in(publishArgs{ID: opened[0].ID}, 0))
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", place)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	for _, query := range []string{`UPDATE investigation SET state = 'reporting'`,
		`UPDATE river_job SET state = 'discarded', attempt = 20, finalized_at = datetime()`} {
		if _, err := raw.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	clock = clock.Add(2 * s.o.Pace.Stall)
	if err := s.reap(t.Context(), reapArgs{}); err != nil {
		t.Fatal(err)
	}
	queued, err := store.Read(t.Context(), db, func(tx *store.Tx) ([][]byte, error) { return tx.Unfinished(publishArgs{}.Kind()) })
	if err != nil || len(queued) != 1 || !strings.Contains(string(queued[0]), opened[1].ID) {
		t.Errorf("%q, %v", queued, err)
	}
}
