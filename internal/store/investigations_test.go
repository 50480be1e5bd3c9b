package store_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

var states = []store.State{
	store.Collecting, store.Queued, store.Running, store.Reporting,
	store.Done, store.Failed, store.Superseded, store.Cancelled, store.Expired,
}

// TestEveryChangeOfState tries every change from every state on the database. Only the allowed
// changes succeed.
func TestEveryChangeOfState(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		arrows, number := 0, int64(0)
		for _, from := range states {
			for _, to := range states {
				number++
				i := b.open(number, "a")
				b.bring(i.ID, from)
				err := b.Do(t.Context(), func(tx *store.Tx) error { return step(tx, i.ID, to) })
				if got := b.state(i.ID).State; (err == nil) != from.May(to) || err == nil && got != to || err != nil && got != from {
					t.Errorf("from %s to %s: %v, now %s", from, to, err, got)
				}
				if err != nil && !errors.Is(err, store.ErrState) {
					t.Errorf("from %s to %s: %v", from, to, err)
				}
				if err == nil {
					arrows++
				}
			}
		}
		if arrows != 21 {
			t.Errorf("%d arrows", arrows)
		}
	})
}

// TestEveryStateEnds checks that every state leads to a final state, and that the deadline ends
// every state.
func TestEveryStateEnds(t *testing.T) {
	ends := 0
	for _, s := range states {
		if s.Ended() {
			ends++
		}
		for _, to := range states {
			if s.Ended() && s.May(to) {
				t.Errorf("%s goes on to %s", s, to)
			}
		}
		if !s.Ended() && (!s.May(store.Expired) || !s.May(store.Superseded) || !s.May(store.Cancelled)) {
			t.Errorf("%s cannot be ended", s)
		}
	}
	if ends != 5 {
		t.Errorf("%d ends", ends)
	}
}

// TestOneInvestigationForAPush checks that a push has one investigation, even if many of its jobs
// fail at once.
func TestOneInvestigationForAPush(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		b.pull(7, "abc")
		var created atomic.Int64
		var ids sync.Map
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				var i store.Investigation
				var fresh bool
				err := b.Do(t.Context(), func(tx *store.Tx) (err error) {
					i, fresh, err = tx.OpenInvestigation(push(7, "abc"))
					return err
				})
				if err != nil {
					t.Error(err)
				}
				if fresh {
					created.Add(1)
				}
				ids.Store(i.ID, true)
			})
		}
		group.Wait()
		n := 0
		ids.Range(func(any, any) bool { n++; return true })
		if created.Load() != 1 || n != 1 {
			t.Errorf("%d created, %d ids", created.Load(), n)
		}
	})
}

func TestANewPushSupersedes(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		old, other := b.open(7, "old"), b.open(8, "old")
		b.bring(old.ID, store.Running)
		var left []store.Investigation
		b.add(time.Second)
		next := store.PullRequest{Repository: 1, Number: 7, HeadSHA: "new", Open: true, Updated: b.now()}
		b.do(func(tx *store.Tx) (err error) {
			left, err = tx.SavePullRequest(next)
			return err
		})
		if len(left) != 1 || left[0].ID != old.ID || left[0].State != store.Superseded ||
			left[0].SupersededBy != "new" || left[0].Holder != "h" {
			t.Errorf("%+v", left)
		}
		if b.state(other.ID).State != store.Collecting {
			t.Error("another pull request's is superseded, too")
		}
		// Its holder gets an error, and cannot report.
		err := b.Do(t.Context(), func(tx *store.Tx) error { _, err := tx.Heartbeat(old.ID, "h"); return err })
		if !errors.Is(err, store.ErrLeaseLost) {
			t.Errorf("heartbeat: %v", err)
		}
		err = b.Do(t.Context(), func(tx *store.Tx) error { _, err := tx.SaveReport(old.ID, "h", &job.Report{}); return err })
		if !errors.Is(err, store.ErrLeaseLost) {
			t.Errorf("report: %v", err)
		}
		// A late failure of the old push opens no investigation.
		err = b.Do(t.Context(), func(tx *store.Tx) error { _, _, err := tx.OpenInvestigation(push(7, "old")); return err })
		if !errors.Is(err, store.ErrStale) {
			t.Errorf("the old head: %v", err)
		}
	})
}

// TestAnOldDeliveryChangesNothing handles "synchronize" of the old head after that of the new head.
func TestAnOldDeliveryChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(7, "new")
		b.do(func(tx *store.Tx) error {
			left, err := tx.SavePullRequest(store.PullRequest{Repository: 1, Number: 7, HeadSHA: "old",
				Open: true, Updated: b.now().Add(-time.Hour)})
			if len(left) > 0 {
				t.Errorf("superseded: %+v", left)
			}
			return err
		})
		p := get(b, func(tx *store.Tx) (store.PullRequest, error) { return tx.PullRequest(1, 7) })
		if p.HeadSHA != "new" || b.state(i.ID).State != store.Collecting {
			t.Errorf("%+v", p)
		}
		b.do(func(tx *store.Tx) error {
			_, err := tx.SavePullRequest(store.PullRequest{Repository: 1, Number: 8, HeadSHA: "fork", HeadRepository: 2, Updated: b.now()})
			return err
		})
		for _, c := range []struct {
			sha  string
			of   int64
			want bool
		}{{"old", 0, true}, {"new", 0, true}, {"other", 0, false}, {"fork", 0, true}, {"fork", 2, true}, {"fork", 1, false}} {
			if got := get(b, func(tx *store.Tx) (bool, error) { return tx.WasHead(1, c.sha, c.of) }); got != c.want {
				t.Errorf("%s was a head of %d: %v", c.sha, c.of, got)
			}
		}
	})
}

func TestAClosedPullRequestCancels(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(7, "abc")
		b.bring(i.ID, store.Queued)
		b.add(time.Second)
		b.do(func(tx *store.Tx) error {
			_, err := tx.SavePullRequest(store.PullRequest{Repository: 1, Number: 7, HeadSHA: "abc", Updated: b.now()})
			return err
		})
		if got := b.state(i.ID); got.State != store.Cancelled || got.Reason == "" {
			t.Errorf("%+v", got)
		}
		err := b.Do(t.Context(), func(tx *store.Tx) error { _, _, err := tx.OpenInvestigation(push(7, "abc")); return err })
		if !errors.Is(err, store.ErrStale) {
			t.Errorf("it is opened again: %v", err)
		}
	})
}

func TestPullRequestsByHead(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		b.pull(1, "same")
		b.pull(2, "same")
		b.pull(3, "other")
		list := get(b, func(tx *store.Tx) ([]store.PullRequest, error) { return tx.PullRequestsAt(1, "same") })
		if len(list) != 2 || list[0].Number != 1 || list[1].Number != 2 || !list[0].Open || list[0].BaseRef != "main" {
			t.Errorf("%+v", list)
		}
		b.pull(1, "moved")
		if list := get(b, func(tx *store.Tx) ([]store.PullRequest, error) { return tx.PullRequestsAt(1, "same") }); len(list) != 1 {
			t.Errorf("%+v", list)
		}
		if list := get(b, func(tx *store.Tx) ([]store.PullRequest, error) { return tx.PullRequestsAt(2, "same") }); len(list) != 0 {
			t.Errorf("of another repository: %+v", list)
		}
		if list := get(b, func(tx *store.Tx) ([]store.PullRequest, error) { return tx.OpenPullRequests(1) }); len(list) != 3 {
			t.Errorf("%+v", list)
		}
	})
}

// TestAgain checks that a retry is another round, after the last one has ended.
func TestAgain(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		first := b.open(7, "abc")
		p := push(7, "abc")
		p.Again = true
		var next store.Investigation
		open := func() (created bool) {
			b.do(func(tx *store.Tx) (err error) {
				next, created, err = tx.OpenInvestigation(p)
				return err
			})
			return created
		}
		if open() || next.ID != first.ID {
			t.Error("another round while the first is running")
		}
		b.bring(first.ID, store.Done)
		if !open() || next.Round != 2 || next.ID == first.ID {
			t.Errorf("%+v", next)
		}
		list := get(b, func(tx *store.Tx) ([]store.Investigation, error) { return tx.Investigations(1, 7) })
		if len(list) != 2 || list[0].Round != 2 {
			t.Errorf("%+v", list)
		}
		if n := get(b, func(tx *store.Tx) (int64, error) { return tx.Begun(1, first.Created) }); n != 2 {
			t.Errorf("%d begun", n)
		}
	})
}

// TestLocked lets one transaction save because of the state that it has read, while another one
// changes the state and saves. The other one comes later, and what it saves stays.
func TestLocked(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(7, "abc")
		queued := make(chan error, 1)
		var once sync.Once
		b.do(func(tx *store.Tx) error {
			if now, err := tx.Locked(i.ID); err != nil || now.State != store.Collecting {
				t.Fatalf("%+v, %v", now, err)
			}
			once.Do(func() {
				go func() {
					queued <- b.Do(t.Context(), func(tx *store.Tx) error {
						_, err := tx.Move(i.ID, store.Change{To: store.Queued})
						return errors.Join(err, tx.SaveEvidence(i.ID, "queued"))
					})
				}()
			})
			select {
			case err := <-queued:
				t.Errorf("the state was changed meanwhile: %v", err)
				queued <- err
			case <-time.After(300 * time.Millisecond): // it waits for the lock; nothing signals that
			}
			return tx.SaveEvidence(i.ID, "collecting")
		})
		if err := <-queued; err != nil {
			t.Fatal(err)
		}
		kept := ""
		b.do(func(tx *store.Tx) error { return tx.Evidence(i.ID, &kept) })
		if kept != "queued" {
			t.Errorf("kept is what was saved %s", kept)
		}
	})
}
