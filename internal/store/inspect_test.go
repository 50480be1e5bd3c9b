package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestInspectChangesNothing checks that Inspect reports what Open would do, and does not do it.
func TestInspectChangesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, place string) {
		look := func() *store.Inspection {
			t.Helper()
			in, err := store.Inspect(t.Context(), place)
			if err != nil {
				t.Fatal(err)
			}
			return in
		}
		for range 2 {
			if in := look(); !in.New || len(in.Unknown) > 0 {
				t.Errorf("before the first start: %+v", in)
			}
		}
		s := storetest.Open(t, place, store.Options{})
		if in := look(); in.New || len(in.Pending)+len(in.Unknown) > 0 || in.Name != s.Name() {
			t.Errorf("beside one that runs: %+v", in)
		}
		s.Close()
		raw(t, place, `DELETE FROM odfix_migration`)
		raw(t, place, `INSERT INTO odfix_migration (name, sum, applied) VALUES ('999_later.sql', 'x', 0)`)
		if in := look(); in.New || len(in.Pending) == 0 || len(in.Unknown) != 1 {
			t.Errorf("of a newer one: %+v", in)
		}
	})
}

func TestInspectMakesNoFile(t *testing.T) {
	place := filepath.Join(t.TempDir(), "new.db")
	in, err := store.Inspect(t.Context(), place)
	if err != nil || !in.New {
		t.Errorf("%+v, %v", in, err)
	}
	if list, err := os.ReadDir(filepath.Dir(place)); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	for _, place := range []string{"", "mysql://x", filepath.Join(t.TempDir(), "no", "folder.db"),
		t.TempDir(), "postgres://nobody@127.0.0.1:1/x"} {
		if _, err := store.Inspect(t.Context(), place); err == nil {
			t.Errorf("%q can be used", place)
		}
	}
}
