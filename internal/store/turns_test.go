package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/store"
)

// TestTurns checks that an installation with many queued investigations does not block the others.
func TestTurns(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		queue := func(installation, pull int64) {
			b.do(func(tx *store.Tx) error {
				p := store.PullRequest{Repository: installation, Number: pull, HeadSHA: "abc", HeadRef: "x",
					BaseRef: "main", Open: true, Updated: b.now()}
				if _, err := tx.SavePullRequest(p); err != nil {
					return err
				}
				i, _, err := tx.OpenInvestigation(store.Push{Installation: installation, Repository: installation,
					PullRequest: pull, HeadSHA: "abc", Lifetime: time.Hour})
				if err != nil {
					return err
				}
				if _, err := tx.Move(i.ID, store.Change{To: store.Queued}); err != nil {
					return err
				}
				return tx.SaveEvidence(i.ID, map[string]int64{"of": installation})
			})
			b.add(time.Second)
		}
		for n := range int64(4) {
			queue(1, n+1)
		}
		queue(2, 1)
		queue(3, 1)
		var turns []int64
		for {
			var next store.Investigation
			err := b.Do(t.Context(), func(tx *store.Tx) (err error) {
				if next, err = tx.NextQueued(b.now().Add(-time.Hour)); err == nil {
					_, err = tx.Take(next.ID, "me")
				}
				return err
			})
			if errors.Is(err, store.ErrNotFound) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			turns = append(turns, next.Installation)
		}
		if !slices.Equal(turns, []int64{1, 2, 3, 1, 1, 1}) {
			t.Error(turns)
		}
		i := get(b, func(tx *store.Tx) ([]store.Investigation, error) { return tx.Investigations(2, 1) })[0]
		var kept map[string]int64
		err := b.View(t.Context(), func(tx *store.Tx) error { return tx.Evidence(i.ID, &kept) })
		if err != nil || kept["of"] != 2 {
			t.Errorf("%v, %v", kept, err)
		}
		err = b.View(t.Context(), func(tx *store.Tx) error { return tx.Evidence("nothing", &kept) })
		if !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
	})
}

// TestMoveFromOneState checks that a late job does not reset an investigation that has continued.
func TestMoveFromOneState(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(7, "abc")
		b.bring(i.ID, store.Running)
		err := b.Do(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Move(i.ID, store.Change{To: store.Queued, From: store.Collecting})
			return err
		})
		if !errors.Is(err, store.ErrState) || b.state(i.ID).State != store.Running {
			t.Errorf("%v, %s", err, b.state(i.ID).State)
		}
		b.do(func(tx *store.Tx) error {
			_, err := tx.Move(i.ID, store.Change{To: store.Cancelled, From: store.Running})
			return err
		})
	})
}

// TestAttackSuspendedTurn checks that a suspended installation has no turn: its requests fail.
func TestAttackSuspendedTurn(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(7, "abc")
		b.bring(i.ID, store.Queued)
		for _, suspended := range []bool{true, false} {
			b.add(time.Second)
			b.do(func(tx *store.Tx) error {
				return tx.SaveInstallation(store.Installation{ID: i.Installation, Account: "acme", Suspended: suspended, Updated: b.now()})
			})
			_, err := store.Read(t.Context(), b.Store, func(tx *store.Tx) (store.Investigation, error) { return tx.NextQueued(b.now()) })
			if errors.Is(err, store.ErrNotFound) != suspended || err != nil && !suspended {
				t.Errorf("suspended %v: %v", suspended, err)
			}
		}
	})
}
