package store_test

import (
	"testing"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
)

// TestOverview: it holds what an installation did in the given repositories since a time, and
// nothing of others.
func TestOverview(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		old := b.open(5, "old")
		b.add(48 * time.Hour)
		i := b.open(7, "abc")
		b.bring(i.ID, store.Running)
		hostile := suite.TestID("a.B#\x00c\xff")
		b.do(func(tx *store.Tx) error {
			_, err := tx.SaveReport(i.ID, "h", &job.Report{Version: job.Version, Cost: job.Cost{Total: 12.5}, Tests: []job.TestReport{
				{Test: "a.B#v", Verdict: suite.Victim, Patches: []job.Patch{{Fixes: []suite.TestID{"a.B#v"}, Proof: job.Proof{Proved: true}}}},
				{Test: hostile, Verdict: suite.Genuine}, {Test: "a.B#v", Verdict: suite.Victim}}})
			return err
		})
		b.do(func(tx *store.Tx) error {
			p := store.Posted{Key: "comment/1", Repository: 1, PullRequest: 7, Kind: "comment", Holder: "h"}
			if _, _, err := tx.ClaimPost(p, time.Minute); err != nil {
				return err
			}
			return tx.Posted(p.Key, "h", 3)
		})
		ask := func(installation int64, repositories []int64, since time.Time) store.Overview {
			return get(b, func(tx *store.Tx) (store.Overview, error) { return tx.Overview(installation, repositories, since) })
		}
		got := ask(9, []int64{1, 2}, b.now().Add(-time.Hour))
		if len(got.Investigations) != 1 || got.Investigations[0].ID != i.ID || len(got.Findings) != 2 || len(got.Posted) != 1 ||
			got.Spent[i.ID] != 12500*time.Millisecond || got.More {
			t.Fatalf("%+v", got)
		}
		if f := got.Findings[0]; f.Test != "a.B#v" && f.Test != "a.B#\ufffdc\ufffd" || f.Repository != 1 || !f.Created.Equal(i.Created) {
			t.Errorf("%+v", f)
		}
		for _, f := range got.Findings {
			if f.Proved != (f.Verdict == suite.Victim) {
				t.Errorf("%+v", f)
			}
		}
		if all := ask(9, []int64{1}, time.UnixMicro(1)); len(all.Investigations) != 2 || all.Investigations[1].ID != old.ID {
			t.Errorf("%+v", all.Investigations)
		}
		for name, none := range map[string]store.Overview{"no repository": ask(9, nil, time.UnixMicro(1)),
			"another repository": ask(9, []int64{2}, time.UnixMicro(1)), "another installation": ask(8, []int64{1}, time.UnixMicro(1))} {
			if len(none.Investigations)+len(none.Findings)+len(none.Spent) != 0 {
				t.Errorf("%s: %+v", name, none)
			}
		}
	})
}
