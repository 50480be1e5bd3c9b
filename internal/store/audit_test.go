package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/store"
)

// TestAudit checks which records are read, in which order, also by another process while this one has
// the database.
func TestAudit(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		begun := b.now()
		for n := range 1200 { // more than a page, many at the same time
			if n%400 == 0 {
				b.add(time.Hour)
			}
			b.do(func(tx *store.Tx) error {
				_, err := tx.Record(store.Audit{Event: store.AuditAsked, Installation: int64(n%2 + 1), Repository: int64(n % 3), Login: fmt.Sprint(n)})
				return err
			})
		}
		read := func(q store.AuditQuery) map[string]int {
			t.Helper()
			out := map[string]int{}
			last := store.Audit{}
			err := store.ReadAudit(t.Context(), b.place, q, func(a store.Audit) error {
				if a.At.Before(last.At) || a.At.Equal(last.At) && a.ID <= last.ID {
					t.Errorf("%+v after %+v", a, last)
				}
				last = a
				out[a.Login]++
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		for _, c := range []struct {
			q    store.AuditQuery
			want int
		}{
			{store.AuditQuery{}, 1200},
			{store.AuditQuery{Installation: 1}, 600},
			{store.AuditQuery{Repository: 2}, 400},
			{store.AuditQuery{Since: begun.Add(2 * time.Hour)}, 800},
			{store.AuditQuery{Since: begun.Add(2 * time.Hour), Until: begun.Add(3 * time.Hour)}, 400},
			{store.AuditQuery{Until: begun}, 0},
			{store.AuditQuery{Installation: 3}, 0},
		} {
			if got := read(c.q); len(got) != c.want {
				t.Errorf("%+v: %d records", c.q, len(got))
			}
		}
	})
}

// TestAuditOnce checks that a record with an ID is added once, and then not changed.
func TestAuditOnce(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for n, want := range []bool{true, false} {
			b.do(func(tx *store.Tx) error {
				added, err := tx.Record(store.Audit{ID: "asked/1", Event: store.AuditAsked, Login: fmt.Sprint(n)})
				if added != want {
					t.Errorf("time %d: %v", n, added)
				}
				return err
			})
		}
		got := get(b, func(tx *store.Tx) ([]store.Audit, error) { return tx.AuditPage(store.AuditQuery{}, store.Audit{}, 10) })
		if diff := cmp.Diff([]store.Audit{{ID: "asked/1", At: b.now(), Event: store.AuditAsked, Login: "0", Hosts: []store.AuditHost{}}}, got,
			cmp.Comparer(func(a, b []store.AuditHost) bool { return len(a) == len(b) })); diff != "" {
			t.Error(diff)
		}
	})
}

// TestAttackAuditSize: foreign texts and lists do not make a record large.
func TestAttackAuditSize(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		long := strings.Repeat("ü\x00", 1<<20)
		hosts := make([]store.AuditHost, 1<<14)
		for n := range hosts {
			hosts[n].Host = long[:10000]
		}
		b.do(func(tx *store.Tx) error {
			_, err := tx.Record(store.Audit{Event: store.AuditAsked, Login: long, Command: long, Path: long, URL: long, Worker: long, Hosts: hosts})
			return err
		})
		got := get(b, func(tx *store.Tx) ([]store.Audit, error) { return tx.AuditPage(store.AuditQuery{}, store.Audit{}, 10) })
		text, err := json.Marshal(got)
		if err != nil || len(text) > 500<<10 || !utf8.ValidString(got[0].Login) || len(got[0].Hosts) == 0 {
			t.Errorf("%d bytes, %v", len(text), err)
		}
	})
}
