package store_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

func TestADeliveryIsStoredOnce(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for n := range 3 {
			fresh, err := b.Receive(t.Context(), arrival(guid(1)))
			if err != nil || fresh != (n == 0) {
				t.Errorf("time %d: fresh is %v, %v", n, fresh, err)
			}
		}
		if n := b.jobs(); n != 1 {
			t.Errorf("%d jobs", n)
		}
		d := get(b, func(tx *store.Tx) (store.Delivery, error) { return tx.Delivery(guid(1)) })
		if d.Event != "check_run" || string(d.Content) != `{"id":1}` || !d.Received.Equal(b.now()) || !d.Handled.IsZero() {
			t.Errorf("%+v", d)
		}
	})
}

// TestAReplay checks that the same body under another GUID adds nothing if it has a digest, and is
// stored without one.
func TestAReplay(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for n, want := range []bool{true, false, true, true} {
			a := arrival(guid(n))
			a.Digest = []string{"x", "x", "", ""}[n]
			if fresh, err := b.Receive(t.Context(), a); err != nil || fresh != want {
				t.Errorf("%d: fresh is %v, %v", n, fresh, err)
			}
		}
		if n := b.jobs(); n != 3 {
			t.Errorf("%d jobs", n)
		}
	})
}

// TestManyAtOnce sends each of 100 deliveries four times at once. Exactly one sender learns that
// the delivery is fresh, and there is one job for each delivery.
func TestManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		var fresh atomic.Int64
		var group sync.WaitGroup
		for n := range 400 {
			group.Go(func() {
				ok, err := b.Receive(t.Context(), arrival(guid(n%100)))
				if err != nil {
					t.Error(err)
				}
				if ok {
					fresh.Add(1)
				}
			})
		}
		group.Wait()
		if fresh.Load() != 100 || b.jobs() != 100 {
			t.Errorf("%d fresh, %d jobs", fresh.Load(), b.jobs())
		}
	})
}

// TestARefusedDeliveryAffectsNoOther checks that a delivery which the database cannot store fails
// alone.
func TestARefusedDeliveryAffectsNoOther(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		bad := arrival(guid(999))
		bad.Content = nil // the column refuses it
		var group sync.WaitGroup
		var failed atomic.Int64
		for n := range 100 {
			group.Go(func() {
				a := arrival(guid(n))
				if n%10 == 0 {
					a = bad
				}
				if _, err := b.Receive(t.Context(), a); (err != nil) != (n%10 == 0) {
					t.Errorf("%d: %v", n, err)
				} else if err != nil {
					failed.Add(1)
				}
			})
		}
		group.Wait()
		if failed.Load() != 10 || b.jobs() != 90 {
			t.Errorf("%d failed, %d jobs", failed.Load(), b.jobs())
		}
	})
}

// TestDeliveryAndJobTogether checks that a delivery is not stored if its job cannot be stored.
func TestDeliveryAndJobTogether(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		a := arrival(guid(1))
		a.Job.InsertOpts = nil
		a.Job.Args = unstorable{make(chan int)}
		if _, err := b.Receive(t.Context(), a); err == nil {
			t.Fatal("a job that cannot be encoded is taken")
		}
		err := b.View(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Delivery(guid(1))
			return err
		})
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the delivery is there without its job: %v", err)
		}
		if fresh, err := b.Receive(t.Context(), arrival(guid(1))); err != nil || !fresh {
			t.Errorf("the next try: %v, %v", fresh, err)
		}
	})
}

type unstorable struct{ C chan int }

func (unstorable) Kind() string { return "unstorable" }

func TestHandledDeliveries(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for n := range 3 {
			if _, err := b.Receive(t.Context(), arrival(guid(n))); err != nil {
				t.Fatal(err)
			}
			b.add(time.Hour)
		}
		for n, want := range []bool{true, false} {
			b.do(func(tx *store.Tx) error {
				ok, err := tx.Handled(guid(0))
				if ok != want {
					t.Errorf("time %d: %v", n, ok)
				}
				return err
			})
		}
		left := get(b, func(tx *store.Tx) ([]store.Delivery, error) { return tx.Unhandled(b.now(), 10) })
		if len(left) != 2 || left[0].GUID != guid(1) {
			t.Errorf("%+v", left)
		}
		if n, err := b.Forget(t.Context(), store.Ages{Deliveries: b.now()}, 10); err != nil || n["delivery"] != 1 {
			t.Errorf("%v forgotten, %v", n, err)
		}
		if q := get(b, func(tx *store.Tx) (store.QueueState, error) { return tx.Queue() }); q.Oldest != 2*time.Hour {
			t.Errorf("the oldest waits for %v", q.Oldest)
		}
	})
}

func TestClosedStoresRefuse(t *testing.T) {
	storetest.Each(t, func(t *testing.T, place string) {
		s, err := store.Open(t.Context(), place, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for n := range 50 {
			group.Go(func() {
				// Each is stored or refused, but answered.
				if _, err := s.Receive(t.Context(), arrival(guid(n))); err != nil && !strings.Contains(err.Error(), "closed") {
					t.Error(err)
				}
			})
		}
		s.Close()
		group.Wait()
		if _, err := s.Receive(t.Context(), arrival(guid(1))); err == nil {
			t.Error("a closed store takes a delivery")
		}
		s.Close()
	})
}

// TestASenderThatGivesUp checks that a sender whose context ends gets an error. The delivery is
// stored, or can be stored later.
func TestASenderThatGivesUp(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		b.Receive(ctx, arrival(guid(1))) // both results are allowed
		if _, err := b.Receive(t.Context(), arrival(guid(1))); err != nil || b.jobs() != 1 {
			t.Errorf("%v, %d jobs", err, b.jobs())
		}
	})
}
