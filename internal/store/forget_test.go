package store_test

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
)

// fill stores one record of each kind about a repository of an installation.
func fill(b *testStore, installation, repository int64) {
	b.t.Helper()
	name := fmt.Sprintf("%d-%d", installation, repository)
	a := arrival(name)
	a.Digest, a.Installation, a.Repository = name, installation, repository
	if _, err := b.Receive(b.t.Context(), a); err != nil {
		b.t.Fatal(err)
	}
	b.do(func(tx *store.Tx) error {
		_, herr := tx.Handled(name)
		_, perr := tx.SavePullRequest(store.PullRequest{Repository: repository, Number: 7, HeadSHA: "abc", Open: true, Updated: b.now()})
		i, _, ierr := tx.OpenInvestigation(store.Push{Installation: installation, Repository: repository, PullRequest: 7, HeadSHA: "abc", Lifetime: time.Hour})
		_, _, cerr := tx.ClaimPost(store.Posted{Key: "comment/" + name, Repository: repository, PullRequest: 7, Kind: "comment", Holder: "h"}, time.Minute)
		_, _, terr := tx.OpenTask(store.Task{Key: "fix/" + i.ID, Installation: installation, Repository: repository, About: []byte("{}"), Content: []byte("{}"), Limit: time.Hour}, time.Hour)
		return errors.Join(herr, perr, ierr, cerr, terr,
			tx.SaveInstallation(store.Installation{ID: installation, Account: "acme", Updated: b.now()}),
			tx.SaveRepository(store.Repository{ID: repository, Installation: installation, FullName: "acme/" + name}),
			tx.SaveConfig(store.ConfigFile{Repository: repository, Path: ".odfix.yml", Found: true}),
			tx.SaveEvidence(i.ID, map[string]string{"test": "private name"}))
	})
	// An investigation that has a report.
	b.do(func(tx *store.Tx) error {
		list, err := tx.Investigations(repository, 7)
		if err != nil {
			return err
		}
		_, qerr := tx.Move(list[0].ID, store.Change{To: store.Queued})
		_, terr := tx.Take(list[0].ID, "h")
		_, rerr := tx.SaveReport(list[0].ID, "h", &job.Report{Version: job.Version,
			Tests: []job.TestReport{{Test: suite.TestID("a.B#c"), Verdict: suite.Victim}}})
		return errors.Join(qerr, terr, rerr)
	})
}

// everything is what fill stores and Erase removes: rows by table, without those that go with their
// investigation.
func everything(n int64) map[string]int64 {
	out := map[string]int64{}
	for _, table := range []string{"investigation", "delivery", "task", "posted", "pull_request_head", "pull_request", "config_cache", "repository"} {
		out[table] = n
	}
	return out
}

func erase(b *testStore, s store.Scope, most int64) map[string]int64 {
	b.t.Helper()
	out, err := b.Erase(b.t.Context(), s, most)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// TestAttackWhatStays: of a removed installation or repository nothing stays but the audit log and the
// installation's id, and of others everything stays. Small batches remove the same.
func TestAttackWhatStays(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		// Ids are as large as GitHub's may become.
		const big = 1 << 40
		fill(b, big, big+1)
		fill(b, big, big+2)
		fill(b, big, big+3)
		fill(b, 9, 4)
		b.do(func(tx *store.Tx) error { return tx.RemoveRepository(big, big+1) })
		if diff := cmp.Diff(everything(1), erase(b, store.Scope{Installation: big, Repository: big + 1, Before: b.now()}, 1)); diff != "" {
			t.Error("a repository: ", diff)
		}
		b.do(func(tx *store.Tx) error {
			return tx.SaveInstallation(store.Installation{ID: big, Account: "acme", Removed: true, Updated: b.now()})
		})
		if diff := cmp.Diff(everything(2), erase(b, store.Scope{Installation: big, Before: b.now()}, 1)); diff != "" {
			t.Error("an installation: ", diff)
		}
		for _, table := range []string{"report", "evidence", "finding"} {
			if n := get(b, func(tx *store.Tx) (int64, error) { return tx.Rows(table) }); n != 1 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
		gone := get(b, func(tx *store.Tx) (store.Installation, error) { return tx.Installation(big) })
		if !gone.Removed || gone.Account != "" {
			t.Errorf("%+v", gone)
		}
		if diff := cmp.Diff(everything(1), erase(b, store.Scope{Installation: 9, Before: b.now()}, 100)); diff != "" {
			t.Error("the other installation had lost: ", diff)
		}
		if n := get(b, func(tx *store.Tx) (int64, error) { return tx.Rows("audit") }); n != 4 {
			t.Errorf("%d records of the audit log are left, want one for each investigation", n)
		}
		if _, err := b.Erase(t.Context(), store.Scope{}, 1); err == nil {
			t.Error("no installation means all")
		}
	})
}

// TestBackAgain checks that what came after the removal stays, and that a repository which moved to
// another installation is not removed with the former one.
func TestBackAgain(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		removed := b.now()
		b.add(time.Hour)
		fill(b, 9, 4)
		if got := erase(b, store.Scope{Installation: 9, Repository: 4, Before: removed}, 10); len(got) > 0 {
			t.Errorf("of a repository that is back: %v", got)
		}
		b.do(func(tx *store.Tx) error {
			return errors.Join(tx.SaveRepository(store.Repository{ID: 4, Installation: 10, FullName: "acme/moved"}), tx.RemoveRepository(9, 4))
		})
		got := erase(b, store.Scope{Installation: 9, Repository: 4, Before: b.now()}, 10)
		if diff := cmp.Diff(map[string]int64{"investigation": 1, "delivery": 1, "task": 1}, got); diff != "" {
			t.Error("of one that moved: ", diff)
		}
		if r := get(b, func(tx *store.Tx) (store.Repository, error) { return tx.Repository(4) }); r.Removed || r.Installation != 10 {
			t.Errorf("%+v", r)
		}
	})
}

// TestErasedByTwo checks that replicas can remove the same records at once.
func TestErasedByTwo(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for r := range int64(20) {
			fill(b, 9, r+1)
		}
		var group sync.WaitGroup
		sums := make([]map[string]int64, 2)
		for n := range sums {
			group.Go(func() {
				var err error
				if sums[n], err = b.Erase(t.Context(), store.Scope{Installation: 9, Before: b.now()}, 3); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		sum := erase(b, store.Scope{Installation: 9, Before: b.now()}, 100)
		for _, s := range sums {
			for table, n := range maps.All(s) {
				sum[table] += n
			}
		}
		if diff := cmp.Diff(everything(20), sum); diff != "" {
			t.Error(diff)
		}
	})
}

// TestALostInvestigation checks that a runner whose investigation was removed stops.
func TestALostInvestigation(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		i := b.open(7, "abc")
		b.bring(i.ID, store.Running)
		erase(b, store.Scope{Installation: i.Installation, Before: b.now()}, 10)
		err := b.Do(t.Context(), func(tx *store.Tx) error { _, err := tx.Heartbeat(i.ID, "h"); return err })
		if !errors.Is(err, store.ErrLeaseLost) {
			t.Error(err)
		}
	})
}

// TestForget checks that each kind of record is removed after its own time, and that what is in use
// stays.
func TestForget(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		fill(b, 9, 4)
		b.add(time.Hour)
		forget := func(a store.Ages) map[string]int64 {
			n, err := b.Forget(t.Context(), a, 10)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		old := b.now()
		for _, c := range []struct {
			ages store.Ages
			want map[string]int64
		}{
			{store.Ages{}, map[string]int64{}},
			{store.Ages{Deliveries: old}, map[string]int64{"delivery": 1}},
			{store.Ages{Audit: old}, map[string]int64{"audit": 1}},
			// The investigation runs, the pull request is open, and the task waits.
			{store.Ages{Reports: old, Tasks: old}, map[string]int64{"posted": 1, "config_cache": 1}},
		} {
			if diff := cmp.Diff(c.want, forget(c.ages)); diff != "" {
				t.Errorf("%+v: %s", c.ages, diff)
			}
		}
		b.do(func(tx *store.Tx) error {
			_, err := tx.SavePullRequest(store.PullRequest{Repository: 4, Number: 7, HeadSHA: "abc", Updated: b.now()})
			return err
		})
		b.add(time.Hour)
		want := map[string]int64{"investigation": 1, "pull_request_head": 1, "pull_request": 1}
		if diff := cmp.Diff(want, forget(store.Ages{Reports: b.now()})); diff != "" {
			t.Error(diff)
		}
	})
}
