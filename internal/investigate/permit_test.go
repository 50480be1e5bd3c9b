package investigate

import (
	"errors"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestPausedJobsSleep: the longer a pause lasts, the longer its jobs sleep, up to a limit. Jobs of
// runners go by the newest pause.
func TestPausedJobsSleep(t *testing.T) {
	clock := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return clock }
	db := storetest.Open(t, storetest.SQLite(t), store.Options{Now: now})
	s := &Service{store: db, now: now, log: zap.NewNop(), o: Options{Pace: DefaultPace}}
	sleep := func(err error) time.Duration {
		t.Helper()
		until, paused := github.Until(err, clock)
		if !paused {
			t.Fatal(err)
		}
		return until.Sub(clock)
	}
	write := func(f func(tx *store.Tx) error) {
		t.Helper()
		if err := db.Do(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	write(func(tx *store.Tx) error {
		_, perr := tx.SavePullRequest(store.PullRequest{Repository: 1, Number: 7, HeadSHA: "abc", Open: true, Updated: clock})
		i, _, ierr := tx.OpenInvestigation(store.Push{Installation: 9, Repository: 1, PullRequest: 7, HeadSHA: "abc", Lifetime: time.Hour})
		_, merr := tx.Move(i.ID, store.Change{To: store.Queued})
		return errors.Join(perr, ierr, merr, tx.Pause(store.Pause{Installation: 9, Reason: "x"}))
	})
	for _, c := range []struct{ after, want time.Duration }{
		{0, 30 * time.Second}, {4 * time.Minute, 30 * time.Second}, {16 * time.Minute, 2 * time.Minute}, {10 * time.Hour, 5 * time.Minute},
	} {
		clock = clock.Add(c.after)
		if got := sleep(s.permit(t.Context(), 9, 1)); got != c.want {
			t.Errorf("%s later: a job sleeps for %s, want %s", c.after, got, c.want)
		}
	}
	write(func(tx *store.Tx) error { return tx.Pause(store.Pause{Repository: 5, Reason: "y"}) })
	if got := sleep(s.resumed(t.Context())); got != 30*time.Second {
		t.Errorf("a job of the runners sleeps for %s", got)
	}
}
