package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
)

// TestOneHolder checks that only one of many concurrent callers gets an investigation.
func TestOneHolder(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(7, "abc")
		b.bring(i.ID, store.Queued)
		var got atomic.Int64
		var group sync.WaitGroup
		for n := range 16 {
			group.Go(func() {
				err := b.Do(t.Context(), func(tx *store.Tx) error { _, err := tx.Take(i.ID, fmt.Sprint(n)); return err })
				if err == nil {
					got.Add(1)
				} else if !errors.Is(err, store.ErrState) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if now := b.state(i.ID); got.Load() != 1 || now.Attempt != 1 || now.Holder == "" || now.State != store.Running {
			t.Errorf("%d got it: %+v", got.Load(), now)
		}
	})
}

func reap(b *testStore) store.Reaped {
	b.t.Helper()
	var r store.Reaped
	b.do(func(tx *store.Tx) (err error) {
		if r, err = tx.Reap(time.Minute, 3); err != nil {
			return err
		}
		for _, i := range r.Requeued {
			err = errors.Join(err, tx.Enqueue(store.Job(handle{i.ID}, nil)))
		}
		return err
	})
	return r
}

// TestStalled checks that an investigation that waits for a job gets another one from time to time.
// An investigation that has a holder or has ended gets none.
func TestStalled(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		waits, runs, over := b.open(7, "abc"), b.open(8, "def"), b.open(9, "fed")
		b.bring(runs.ID, store.Running)
		b.bring(over.ID, store.Done)
		stalled := func() []store.Investigation {
			var list []store.Investigation
			b.do(func(tx *store.Tx) (err error) {
				list, err = tx.Stalled(time.Minute)
				return err
			})
			return list
		}
		b.add(50 * time.Second) // the earlier steps took some seconds, too
		if list := stalled(); len(list) != 0 {
			t.Errorf("too early: %+v", list)
		}
		b.add(11 * time.Second)
		if list := stalled(); len(list) != 1 || list[0].ID != waits.ID {
			t.Errorf("%+v", list)
		}
		if list := stalled(); len(list) != 0 {
			t.Errorf("at once again: %+v", list)
		}
	})
}

// TestALostLease checks that a holder without heartbeats loses its lease. Another holder gets it,
// and the first can neither renew nor report.
func TestALostLease(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(7, "abc")
		b.bring(i.ID, store.Running)
		b.add(50 * time.Second)
		b.do(func(tx *store.Tx) error { _, err := tx.Heartbeat(i.ID, "h"); return err })
		b.add(50 * time.Second)
		if r := reap(b); len(r.Requeued) != 0 {
			t.Fatalf("a lease that was renewed is taken: %+v", r)
		}
		b.add(11 * time.Second)
		if r := reap(b); len(r.Requeued) != 1 || r.Requeued[0].ID != i.ID || b.jobs() != 1 {
			t.Fatalf("%+v", r)
		}
		b.do(func(tx *store.Tx) error { _, err := tx.Take(i.ID, "second"); return err })
		for name, f := range map[string]func(tx *store.Tx) error{
			"heartbeat": func(tx *store.Tx) error { _, err := tx.Heartbeat(i.ID, "h"); return err },
			"report":    func(tx *store.Tx) error { _, err := tx.SaveReport(i.ID, "h", &job.Report{}); return err },
			"failure": func(tx *store.Tx) error {
				_, err := tx.Move(i.ID, store.Change{To: store.Failed, Holder: "h"})
				return err
			},
		} {
			if err := b.Do(t.Context(), f); !errors.Is(err, store.ErrLeaseLost) {
				t.Errorf("%s: %v", name, err)
			}
		}
		b.do(func(tx *store.Tx) error {
			_, err := tx.SaveReport(i.ID, "second", &job.Report{Version: job.Version})
			return err
		})
		if now := b.state(i.ID); now.State != store.Reporting || now.Attempt != 2 {
			t.Errorf("%+v", now)
		}
	})
}

// TestInvestigationThatKillsRunnersEnds checks that an investigation is not tried for ever.
func TestInvestigationThatKillsRunnersEnds(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(7, "abc")
		b.bring(i.ID, store.Queued)
		for n := range 3 {
			b.do(func(tx *store.Tx) error { _, err := tx.Take(i.ID, fmt.Sprint(n)); return err })
			b.add(2 * time.Minute)
			reap(b)
		}
		if now := b.state(i.ID); now.State != store.Failed || !strings.Contains(now.Reason, "died") {
			t.Errorf("%+v", now)
		}
	})
}

// TestDeadlines checks that an investigation ends in any state.
func TestDeadlines(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		ids := map[string]store.State{}
		for n, s := range []store.State{store.Collecting, store.Queued, store.Running, store.Reporting, store.Done} {
			i := b.open(int64(n+1), "abc")
			b.bring(i.ID, s)
			ids[i.ID] = s
		}
		b.add(time.Hour)
		if r := reap(b); len(r.Expired) != 4 || len(r.Requeued) != 0 {
			t.Errorf("%+v", r)
		}
		for id, was := range ids {
			want := store.Expired
			if was == store.Done {
				want = store.Done
			}
			if now := b.state(id); now.State != want {
				t.Errorf("from %s: %+v", was, now)
			}
		}
		late := b.open(99, "abc")
		b.bring(late.ID, store.Queued)
		b.add(time.Hour)
		err := b.Do(t.Context(), func(tx *store.Tx) error { _, err := tx.Take(late.ID, "h"); return err })
		if !errors.Is(err, store.ErrState) {
			t.Errorf("taken after its deadline: %v", err)
		}
		counts := get(b, func(tx *store.Tx) (map[store.State]int64, error) { return tx.Counts() })
		if diff := cmp.Diff(map[store.State]int64{store.Expired: 4, store.Done: 1, store.Queued: 1}, counts); diff != "" {
			t.Error(diff)
		}
	})
}

func TestReportsAreKept(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(7, "abc")
		b.bring(i.ID, store.Running)
		want := &job.Report{Version: job.Version,
			Tests: []job.TestReport{{Test: suite.TestID("a.B#ü"), Verdict: suite.Victim}}, Notes: []string{"a\x00b\n"}}
		b.do(func(tx *store.Tx) error { _, err := tx.SaveReport(i.ID, "h", want); return err })
		got := get(b, func(tx *store.Tx) (*job.Report, error) { return tx.Report(i.ID) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		b.do(func(tx *store.Tx) error { _, err := tx.Move(i.ID, store.Change{To: store.Done}); return err })
		b.add(time.Hour)
		if n, err := b.Forget(t.Context(), store.Ages{Reports: b.now()}, 10); err != nil || n["investigation"] != 1 {
			t.Errorf("%v forgotten, %v", n, err)
		}
		err := b.View(t.Context(), func(tx *store.Tx) error { _, err := tx.Report(i.ID); return err })
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the report of a forgotten one: %v", err)
		}
	})
}
