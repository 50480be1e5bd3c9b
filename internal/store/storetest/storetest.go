// Package storetest provides databases for tests: files of SQLite, and a PostgreSQL server that the
// test binary starts in a temporary folder, on a unix socket only. A package that uses it calls
// Main from TestMain.
package storetest

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/odfix/odfix/internal/store"
)

// Each runs a test on both kinds of database, with the place of a new one.
func Each(t *testing.T, f func(t *testing.T, place string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, Postgres(t)) })
}

// SQLite is the path of a new file.
func SQLite(t testing.TB) string { return filepath.Join(t.TempDir(), "odfix.db") }

var databases atomic.Int64

// Postgres is the URL of a new, empty database.
func Postgres(t testing.TB) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the server needs a unix socket")
	}
	s, err := running()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("t%d", databases.Add(1))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return s.url(name)
}

func (s *server) url(database string) string {
	return "postgres:///" + database + "?" + url.Values{"host": {s.dir}, "user": {"odfix"}}.Encode()
}

// Open opens a database and closes it with the test.
func Open(t testing.TB, place string, o store.Options) *store.Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := store.Open(ctx, place, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
