package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

// TestDrafts: a draft puts its investigation back into the queue, outlives runners that die, and is
// gone when the report is saved.
func TestDrafts(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(7, "abc")
		save := func(holder, tool string) error {
			return b.Do(t.Context(), func(tx *store.Tx) error {
				_, err := tx.SaveDraft(i.ID, holder, &job.Report{Version: job.Version, Tool: tool})
				return err
			})
		}
		missing := func() {
			err := b.View(t.Context(), func(tx *store.Tx) error { _, err := tx.Draft(i.ID); return err })
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("a draft where there is none: %v", err)
			}
		}
		b.bring(i.ID, store.Running)
		missing()
		if err := save("another", "another"); !errors.Is(err, store.ErrLeaseLost) {
			t.Errorf("saved without the lease: %v", err)
		}
		if err := save("h", "first"); err != nil || b.state(i.ID).State != store.Queued {
			t.Errorf("%v, %+v", err, b.state(i.ID))
		}
		for _, holder := range []string{"two", "three", "four", "five"} { // each of them dies
			b.do(func(tx *store.Tx) error { _, err := tx.Take(i.ID, holder); return err })
			b.add(2 * time.Minute)
			if r := reap(b); len(r.Requeued) != 1 || len(r.Expired) != 0 {
				t.Errorf("%+v", r)
			}
		}
		if d := get(b, func(tx *store.Tx) (store.Draft, error) { return tx.Draft(i.ID) }); d.Report.Tool != "first" || d.Attempt != 1 {
			t.Errorf("%+v", d)
		}
		b.do(func(tx *store.Tx) error { _, err := tx.Take(i.ID, "six"); return err })
		b.do(func(tx *store.Tx) error {
			_, err := tx.SaveReport(i.ID, "six", &job.Report{Version: job.Version})
			return err
		})
		missing()
	})
}
