package investigate

import (
	"errors"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestWhatIsOldIsForgotten: a handled delivery goes after its time, one that waits does not.
func TestWhatIsOldIsForgotten(t *testing.T) {
	clock := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return clock }
	db, err := store.Open(t.Context(), storetest.SQLite(t), store.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := &Service{store: db, now: now, log: zap.NewNop(), o: Options{Keep: DefaultKeep}}
	for _, guid := range []string{"handled", "waiting"} {
		if _, err := db.Receive(t.Context(), store.Arrival{GUID: guid, Event: "push", Content: []byte("{}"),
			Digest: guid, Job: store.Job(considerArgs{guid}, nil)}); err != nil {
			t.Fatal(err)
		}
	}
	err = db.Do(t.Context(), func(tx *store.Tx) error { _, err := tx.Handled("handled"); return err })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		gone  bool
	}{{DefaultKeep.Deliveries - time.Hour, false}, {2 * time.Hour, true}} {
		clock = clock.Add(c.after)
		if err := s.forget(t.Context(), forgetArgs{}); err != nil {
			t.Fatal(err)
		}
		_, err := find(t, db, "handled")
		if errors.Is(err, store.ErrNotFound) != c.gone {
			t.Errorf("after %s: %v", c.after, err)
		}
		if _, err := find(t, db, "waiting"); err != nil {
			t.Error("a delivery that waits was forgotten: ", err)
		}
	}
}

func find(t *testing.T, db *store.Store, guid string) (d store.Delivery, err error) {
	err = db.View(t.Context(), func(tx *store.Tx) (err error) {
		d, err = tx.Delivery(guid)
		return err
	})
	return d, err
}
