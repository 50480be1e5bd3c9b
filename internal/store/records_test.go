package store_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/store"
)

func post(holder string) store.Posted {
	return store.Posted{Key: "review/1/7/abc", Repository: 1, PullRequest: 7, Kind: "comment", Holder: holder}
}

// TestOneWrites checks that only one of many concurrent claims of a write succeeds.
func TestOneWrites(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		var yours atomic.Int64
		var group sync.WaitGroup
		for n := range 16 {
			group.Go(func() {
				var c store.Claim
				err := b.Do(t.Context(), func(tx *store.Tx) (err error) {
					_, c, err = tx.ClaimPost(post(fmt.Sprint(n)), time.Minute)
					return err
				})
				if err != nil || c != store.Yours && c != store.Theirs {
					t.Errorf("%v: %v", c, err)
				}
				if c == store.Yours {
					yours.Add(1)
				}
			})
		}
		group.Wait()
		if yours.Load() != 1 {
			t.Errorf("%d may write", yours.Load())
		}
	})
}

func TestClaims(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		claim := func(holder string) (p store.Posted, c store.Claim) {
			t.Helper()
			b.do(func(tx *store.Tx) (err error) {
				p, c, err = tx.ClaimPost(post(holder), time.Minute)
				return err
			})
			return p, c
		}
		steps := []store.Claim{store.Yours, store.Theirs, store.Taken}
		for n, want := range steps {
			if _, got := claim(fmt.Sprint(n)); got != want {
				t.Fatalf("step %d: %v", n, got)
			}
			b.add(45 * time.Second)
		}
		err := b.Do(t.Context(), func(tx *store.Tx) error { return tx.Posted(post("").Key, "0", 1) })
		if !errors.Is(err, store.ErrClaimLost) {
			t.Errorf("the first holder: %v", err)
		}
		b.do(func(tx *store.Tx) error { return tx.Posted(post("").Key, "2", 4711) })
		b.add(time.Hour)
		if p, c := claim("3"); c != store.Already || p.RemoteID != 4711 || p.Holder != "2" {
			t.Errorf("%v: %+v", c, p)
		}
		if n := get(b, func(tx *store.Tx) (int64, error) { return tx.CountPosted(1, "comment", b.now().Add(-2*time.Hour)) }); n != 1 {
			t.Errorf("%d counted", n)
		}
		if list := get(b, func(tx *store.Tx) ([]store.Posted, error) { return tx.PostedOn(1, 7) }); len(list) != 1 {
			t.Errorf("%+v", list)
		}
	})
}

// TestUnclaimed checks that a write that GitHub refused can be tried again, by any holder.
func TestUnclaimed(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for _, holder := range []string{"a", "b"} {
			b.do(func(tx *store.Tx) error {
				_, c, err := tx.ClaimPost(post(holder), time.Minute)
				if c != store.Yours {
					t.Errorf("%s: %v", holder, c)
				}
				return errors.Join(err, tx.Unclaim(post("").Key, holder))
			})
		}
	})
}

func TestInstallations(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		want := store.Installation{ID: 1, AccountID: 5, Account: "acme", Permissions: map[string]string{"checks": "write"}, Updated: b.now()}
		save := func(i store.Installation) {
			t.Helper()
			b.do(func(tx *store.Tx) error { return tx.SaveInstallation(i) })
		}
		save(want)
		older := want
		older.Suspended, older.Updated = true, b.now().Add(-time.Second)
		save(older)
		got := get(b, func(tx *store.Tx) (store.Installation, error) { return tx.Installation(1) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		list := func() []store.Installation {
			return get(b, func(tx *store.Tx) ([]store.Installation, error) { return tx.Installations() })
		}
		if len(list()) != 1 {
			t.Errorf("%+v", list())
		}
		want.Removed, want.Updated = true, b.now().Add(time.Second)
		save(want)
		if len(list()) != 0 {
			t.Errorf("%+v", list())
		}
	})
}

func TestRepositories(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for _, r := range []store.Repository{{ID: 1, Installation: 5, FullName: "a/b"},
			{ID: 2, Installation: 5, FullName: "a/c", Removed: true}, {ID: 1, Installation: 5, FullName: "a/renamed"}} {
			b.do(func(tx *store.Tx) error { return tx.SaveRepository(r) })
		}
		list := get(b, func(tx *store.Tx) ([]store.Repository, error) { return tx.Repositories(5) })
		if len(list) != 1 || list[0].FullName != "a/renamed" {
			t.Errorf("%+v", list)
		}
		if r := get(b, func(tx *store.Tx) (store.Repository, error) { return tx.Repository(2) }); !r.Removed {
			t.Errorf("%+v", r)
		}
	})
}

// TestConfigPushedMeanwhile: what was read before a push is not saved as fresh after it, the first
// time and later, also where another read was saved meanwhile.
func TestConfigPushedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		const place = "acme/.github:HEAD:.odfix.yml"
		read := func() store.ConfigFile {
			return get(b, func(tx *store.Tx) (store.ConfigFile, error) { return tx.Config(1, place) })
		}
		save := func(was store.ConfigFile, text string) {
			b.add(time.Second)
			was.Content = []byte(text)
			b.do(func(tx *store.Tx) error { return tx.SaveConfig(was) })
		}
		push := func() {
			b.add(time.Second)
			b.do(func(tx *store.Tx) error { return tx.ForgetConfig(2, "acme/.github") })
		}
		b.do(func(tx *store.Tx) error { return tx.AwaitConfig(1, place) })
		first := read()
		if !first.Fetched.IsZero() {
			t.Fatalf("%+v", first)
		}
		push()
		save(first, "old")
		if got := read(); len(got.Content) > 0 || got.Fetched.Unix() >= 0 {
			t.Errorf("the first read: %+v", got)
		}
		before := read()
		b.do(func(tx *store.Tx) error { return tx.AwaitConfig(1, place) }) // changes nothing
		save(before, "new")
		if got := read(); string(got.Content) != "new" || !got.Fetched.Equal(b.now()) {
			t.Errorf("a read after the push: %+v", got)
		}
		push()
		save(before, "older")
		if got := read(); string(got.Content) != "new" || got.Fetched.Unix() >= 0 {
			t.Errorf("two pushes during a read: %+v", got)
		}
		b.do(func(tx *store.Tx) error { return tx.ForgetConfig(2, "acme/.github") })
	})
}

func TestConfigCache(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		for _, c := range []store.ConfigFile{{Repository: 1, Path: ".odfix.yml", ETag: "x", Found: true,
			Content: []byte("jdk: 17")}, {Repository: 1, Path: ".github/.odfix.yml"}} {
			b.do(func(tx *store.Tx) error { return tx.SaveConfig(c) })
			got := get(b, func(tx *store.Tx) (store.ConfigFile, error) { return tx.Config(1, c.Path) })
			if got.Found != c.Found || string(got.Content) != string(c.Content) || got.ETag != c.ETag || !got.Fetched.Equal(b.now()) {
				t.Errorf("%+v", got)
			}
		}
		const theirs = "acme/.github:HEAD:.odfix.yml"
		for _, place := range []string{theirs, "acme/.githubs:HEAD:.odfix.yml"} {
			b.do(func(tx *store.Tx) error { return tx.SaveConfig(store.ConfigFile{Repository: 2, Path: place}) })
		}
		forgotten := func(repository int64, place string) bool {
			var got store.ConfigFile
			err := b.View(t.Context(), func(tx *store.Tx) (err error) { got, err = tx.Config(repository, place); return err })
			if err != nil {
				t.Error(err)
			}
			return got.Fetched.Unix() < 0
		}
		b.do(func(tx *store.Tx) error { return tx.ForgetConfig(1, "acme/shop") })
		if !forgotten(1, ".odfix.yml") || forgotten(2, theirs) {
			t.Error("a push into acme/shop")
		}
		b.do(func(tx *store.Tx) error { return tx.ForgetConfig(3, "acme/.github") })
		if !forgotten(2, theirs) || forgotten(2, "acme/.githubs:HEAD:.odfix.yml") {
			t.Error("a push into the organisation's repository")
		}
	})
}
