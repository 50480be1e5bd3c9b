package store_test

import (
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/odfix/odfix/internal/store"
)

// TestMarks checks that marks are kept by name, and never go back.
func TestMarks(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		mark := func() time.Time {
			return get(b, func(tx *store.Tx) (time.Time, error) { return tx.Mark("a") })
		}
		if m := mark(); !m.IsZero() {
			t.Errorf("at first: %s", m)
		}
		for _, name := range []string{"a", "b"} {
			for _, until := range []time.Time{b.now(), b.now().Add(-time.Hour)} {
				b.do(func(tx *store.Tx) error { return tx.SetMark(name, until) })
			}
		}
		b.do(func(tx *store.Tx) error { return tx.SetMark("b", b.now().Add(time.Hour)) })
		if m := mark(); !m.Equal(b.now()) {
			t.Errorf("%s, want %s", m, b.now())
		}
	})
}

// TestUnfinished checks that the jobs of a kind are found until they end.
func TestUnfinished(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		b.do(func(tx *store.Tx) error {
			return tx.Enqueue(store.Job(handle{"now"}, nil), store.Job(handle{"later"}, &river.InsertOpts{ScheduledAt: time.Now().Add(time.Hour)}))
		})
		for kind, want := range map[string]int{"handle": 2, "another": 0} {
			list := get(b, func(tx *store.Tx) ([][]byte, error) { return tx.Unfinished(kind) })
			if len(list) != want {
				t.Errorf("%s: %q", kind, list)
			}
		}
		raw(t, b.place, `UPDATE river_job SET state = 'completed', finalized_at = CURRENT_TIMESTAMP WHERE CAST(args AS TEXT) LIKE '%later%'`)
		raw(t, b.place, `UPDATE river_job SET state = 'running' WHERE state = 'available'`)
		list := get(b, func(tx *store.Tx) ([][]byte, error) { return tx.Unfinished("handle") })
		if len(list) != 1 || string(list[0]) != `{"guid": "now"}` && string(list[0]) != `{"guid":"now"}` {
			t.Errorf("%q", list)
		}
	})
}
