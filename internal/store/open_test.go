package store_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// TestOpenAgain checks that stored data is there when the database is opened again, and that
// migrations are applied once.
func TestOpenAgain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, place string) {
		s, err := store.Open(t.Context(), place, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Receive(t.Context(), arrival(guid(1))); err != nil {
			t.Fatal(err)
		}
		s.Close()
		s = storetest.Open(t, place, store.Options{})
		if fresh, err := s.Receive(t.Context(), arrival(guid(1))); err != nil || fresh {
			t.Errorf("%v, %v", fresh, err)
		}
		if err := s.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestReplicasStartTogether checks that the first creates the tables and the others use them.
func TestReplicasStartTogether(t *testing.T) {
	storetest.Each(t, func(t *testing.T, place string) {
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				s, err := store.Open(t.Context(), place, store.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				s.Close()
			})
		}
		group.Wait()
	})
}

// raw runs a statement without the store.
func raw(t *testing.T, place, statement string) {
	t.Helper()
	if strings.HasPrefix(place, "postgres") {
		c, err := pgx.Connect(t.Context(), place)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.WithoutCancel(t.Context()))
		if _, err := c.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		return
	}
	db, err := sql.Open("sqlite", place)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// TestForeignMigrations checks that a database of a newer odfix, or of another history, is not
// changed.
func TestForeignMigrations(t *testing.T) {
	for statement, want := range map[string]string{
		`INSERT INTO odfix_migration (name, sum, applied) VALUES ('999_later.sql', 'x', 0)`: "a newer odfix has used it",
		`UPDATE odfix_migration SET sum = 'x'`:                                              "another version of 001",
	} {
		storetest.Each(t, func(t *testing.T, place string) {
			s, err := store.Open(t.Context(), place, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s.Close()
			raw(t, place, statement)
			if s, err = store.Open(t.Context(), place, store.Options{}); err == nil {
				s.Close()
				t.Fatal("it is opened")
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestInvalidDatabaseNames(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{
		"": "no database is named", "mysql://x/y": "no database mysql://", dir: "cannot be used",
		dir + "/a/b": "a/b", text: "does not answer",
		"postgres://user:hunter2@127.0.0.1:1/x?connect_timeout=2": "does not answer",
		"postgres://user:hunter2@[::1/x":                          "", "postgres://u:hunter2@h/d?pool_max_conns=x": "",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		s, err := store.Open(ctx, place, store.Options{})
		cancel()
		if err == nil {
			s.Close()
			t.Errorf("%q is opened", place)
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", place, err)
		}
	}
}

// TestTheFileIsPrivate checks the permissions, because the file holds names of private repositories
// and reports on them.
func TestTheFileIsPrivate(t *testing.T) {
	place := storetest.SQLite(t)
	storetest.Open(t, place, store.Options{})
	for _, file := range []string{place, place + "-wal"} {
		fi, err := os.Stat(file)
		if err != nil || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", file, fi, err)
		}
	}
}

// TestATransactionIsAllOrNothing checks this also with a job in the transaction, and that a reading
// transaction writes nothing.
func TestATransactionIsAllOrNothing(t *testing.T) {
	each(t, func(t *testing.T, b *testStore) {
		err := b.Do(t.Context(), func(tx *store.Tx) error {
			if err := tx.SaveRepository(store.Repository{ID: 1, Installation: 2, FullName: "a/b"}); err != nil {
				return err
			}
			if err := tx.Enqueue(store.Job(handle{"x"}, nil)); err != nil {
				return err
			}
			return context.Canceled
		})
		if err == nil || b.jobs() != 0 {
			t.Errorf("%v, %d jobs", err, b.jobs())
		}
		err = b.View(t.Context(), func(tx *store.Tx) error {
			if err := tx.Enqueue(store.Job(handle{"x"}, nil)); err == nil {
				t.Error("a job is added while reading")
			}
			return tx.SaveRepository(store.Repository{ID: 1})
		})
		if err == nil {
			t.Error("a repository is saved while reading")
		}
	})
}
