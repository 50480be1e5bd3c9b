package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/store"
)

// TestAProofIsOfAnotherWorker: a worker does not get the proof of its own job while it is to be apart.
func TestAProofIsOfAnotherWorker(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		b.task("fix/one/abc")
		mine, err := b.takeTask("token 1")
		if err != nil || mine.Key != "fix/one/abc" {
			t.Fatal(mine.Key, err)
		}
		b.task("verify/one/abc")
		for _, c := range []struct {
			worker, apart string
			want          error
		}{
			{"w", "w", store.ErrNotFound},
			{"another", "w", store.ErrNotFound},
			{"another", "another", nil},
		} {
			err := b.Do(t.Context(), func(tx *store.Tx) error {
				_, err := tx.TakeTask(c.worker, "token 2", c.apart)
				return err
			})
			if !errors.Is(err, c.want) {
				t.Errorf("%s, apart %q: %v", c.worker, c.apart, err)
			}
		}
		see := func(tx *store.Tx, worker string) error {
			_, err := tx.SeeWorker(worker, worker)
			return err
		}
		b.do(func(tx *store.Tx) error { return errors.Join(see(tx, "idle"), see(tx, "another")) })
		b.add(time.Minute)
		for during, want := range map[time.Duration][]string{time.Minute: {"another", "idle", "w"}, time.Second: {"another", "w"}} {
			list := get(b, func(tx *store.Tx) ([]string, error) { return tx.Workers(during) })
			if slices.Sort(list); !slices.Equal(list, want) {
				t.Errorf("workers of %s: %q", during, list)
			}
		}
		b.add(48 * time.Hour)
		b.do(func(tx *store.Tx) error { return see(tx, "another") })
		if n := get(b, func(tx *store.Tx) (int64, error) { return tx.Rows("worker") }); n != 1 {
			t.Errorf("%d workers are kept", n)
		}
	})
}

// TestAProofDoesNotWaitForEver: where no other worker takes the proof in time, the one that did the job
// gets it.
func TestAProofDoesNotWaitForEver(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		take := func(token string) error {
			return b.Do(t.Context(), func(tx *store.Tx) error {
				_, err := tx.TakeTask("w", token, "w")
				return err
			})
		}
		b.task("fix/one/abc")
		if err := take("token 1"); err != nil {
			t.Fatal(err)
		}
		b.task("verify/one/abc")
		b.add(store.ProofWait - time.Second)
		if err := take("token 2"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("before: %v", err)
		}
		b.add(time.Second)
		if err := take("token 3"); err != nil {
			t.Errorf("after: %v", err)
		}
	})
}
