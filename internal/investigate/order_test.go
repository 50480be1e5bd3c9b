package investigate

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestStoredOrder: the order of the tests is stored apart from the rest of the evidence. One that an
// earlier version has stored with it is read, too.
func TestStoredOrder(t *testing.T) {
	s := &Service{store: storetest.Open(t, storetest.SQLite(t), store.Options{})}
	queued := evidence{Tests: []string{"b.B#fails"}, Order: &job.ObservedOrder{Tests: []string{"a.A#first", "b.B#fails"}}}
	for name, save := range map[string]func(*store.Tx, string) error{
		"now": func(tx *store.Tx, id string) error {
			if err := tx.SaveOrder(id, []byte(`{"tests": ["a.A#first", "b.B#fails"]}`)); err != nil {
				return err
			}
			return queued.save(tx, id)
		},
		"earlier": func(tx *store.Tx, id string) error { return tx.SaveEvidence(id, queued) },
	} {
		var i store.Investigation
		err := s.store.Do(t.Context(), func(tx *store.Tx) error {
			_, err := tx.SavePullRequest(store.PullRequest{Repository: 1, Number: 7, HeadSHA: name, Open: true, Updated: time.Now()})
			if err == nil {
				i, _, err = tx.OpenInvestigation(store.Push{Installation: 9, Repository: 1, PullRequest: 7, HeadSHA: name, Lifetime: time.Hour})
			}
			if err == nil {
				err = save(tx, i.ID)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		ev, err := s.ordered(t.Context(), i)
		if err == nil { // as while it runs; then it may run again
			if err = s.store.Do(t.Context(), func(tx *store.Tx) error { return ev.save(tx, i.ID) }); err == nil {
				ev, err = s.ordered(t.Context(), i)
			}
		}
		if err != nil || ev.Order == nil || !slices.Equal(ev.Order.Tests, queued.Order.Tests) || !slices.Equal(ev.Tests, queued.Tests) {
			t.Errorf("%s: %+v, %v", name, ev, err)
		}
		if rest, err := s.evidence(t.Context(), i); name == "now" && (err != nil || rest.Order != nil) {
			t.Errorf("the order is stored with the rest: %+v, %v", rest, err)
		}
	}
}

// TestLateListsOfHosts: a process that has lost its lease does not overwrite what the next one has
// saved.
func TestLateListsOfHosts(t *testing.T) {
	s := &Service{store: storetest.Open(t, storetest.SQLite(t), store.Options{}), log: zap.NewNop()}
	lost, now := running{s: s, holder: "lost"}, running{s: s, holder: "now", ev: evidence{Confirmed: true}}
	err := s.store.Do(t.Context(), func(tx *store.Tx) error {
		_, err := tx.SavePullRequest(store.PullRequest{Repository: 1, Number: 7, HeadSHA: "abc", Open: true, Updated: time.Now()})
		if err != nil {
			return err
		}
		i, _, err := tx.OpenInvestigation(store.Push{Installation: 9, Repository: 1, PullRequest: 7, HeadSHA: "abc", Lifetime: time.Hour})
		if err == nil {
			_, err = tx.Move(i.ID, store.Change{To: store.Queued})
		}
		if err == nil {
			i, err = tx.Take(i.ID, now.holder)
		}
		lost.i, now.i = i, i
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*running{&now, &lost} {
		r.ev.Contacted = []job.Contact{{Host: r.holder + ".example:443", Times: 1}}
		r.keepContacts(t.Context())
	}
	ev, err := s.evidence(t.Context(), now.i)
	if err != nil || !ev.Confirmed || len(ev.Contacted) != 1 || ev.Contacted[0].Host != "now.example:443" {
		t.Errorf("%+v, %v", ev, err)
	}
}
