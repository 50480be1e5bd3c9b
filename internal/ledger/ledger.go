// Package ledger keeps every run of tests that was heard, in a database beside
// the report, so that a search which is killed goes on where it was: asked
// the same questions again, the ledger answers those it has heard.
//
// Invariants: a run is in the ledger whole or not at all, however the process
// ends; an answer is given back once each time it is asked for after opening,
// in the order in which it was heard; a ledger belongs to one fingerprint (of
// the tests and the code), and is used by one process at a time.
package ledger

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver "sqlite", in Go alone: one binary for every platform

	"github.com/odfix/odfix/internal/suite"
)

// version of the tables. A ledger of another one is not read.
const version = 1

const schema = `
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS tests (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS runs (
	seq INTEGER PRIMARY KEY,
	asked BLOB NOT NULL,     -- hash of the order
	lone INTEGER NOT NULL,   -- nothing ran beside it
	tests BLOB NOT NULL,     -- numbers, varints
	outcomes BLOB NOT NULL,  -- a letter each
	nanos INTEGER NOT NULL,
	rest TEXT NOT NULL       -- failures and crash, JSON
) STRICT;
CREATE INDEX IF NOT EXISTS runs_asked ON runs (asked, seq);
CREATE TABLE IF NOT EXISTS kept (kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, name)) STRICT;
`

// Ledger is an open ledger. It is safe for concurrent use.
type Ledger struct {
	db *sql.DB

	mu      sync.Mutex
	numbers map[suite.TestID]int
	ids     []suite.TestID
	given   map[string]int // answers given back or heard since opening, by question
	old     int            // runs that were there when it was opened
	reused  int
}

// Errors of Open, for errors.Is.
var (
	// ErrChanged: the ledger is of other tests or other code.
	ErrChanged = errors.New("the tests, or the code, are not those of the interrupted run")
	// ErrNone: there is nothing to go on with.
	ErrNone = errors.New("there is no interrupted run")
	// ErrBusy: another process uses it.
	ErrBusy = errors.New("another odfix is using it")
)

// Open opens the ledger in the file, or begins one. To resume is to go on with
// what is there, which must have the same fingerprint; else what is
// there is set aside under another name, never removed.
func Open(ctx context.Context, file, fingerprint string, resume bool) (*Ledger, error) {
	_, err := os.Stat(file)
	switch {
	case resume && errors.Is(err, os.ErrNotExist):
		return nil, ErrNone
	case err == nil && !resume:
		if err := setAside(ctx, file); err != nil {
			return nil, err
		}
	}
	l, err := open(ctx, file)
	if err != nil {
		return nil, err
	}
	if err := l.begin(ctx, fingerprint); err != nil {
		_ = l.db.Close()
		return nil, plain(err)
	}
	return l, nil
}

// setAside renames an earlier ledger, after the one before it.
func setAside(ctx context.Context, file string) error {
	old, err := open(ctx, file) // so that one in use is not taken away
	if err == nil {
		_, err = old.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		_ = old.db.Close()
	}
	if errors.Is(plain(err), ErrBusy) {
		return ErrBusy
	}
	for _, end := range []string{"-wal", "-shm"} {
		_ = os.Remove(file + end + ".old")
		if err := os.Rename(file+end, file+".old"+end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.Rename(file, file+".old")
}

func open(ctx context.Context, file string) (*Ledger, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	path := filepath.ToSlash(abs)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	// Exclusive: nobody else writes. Normal: a power cut may take the last runs, a kill none.
	pragmas := url.Values{"_pragma": {"locking_mode(EXCLUSIVE)", "journal_mode(WAL)", "synchronous(NORMAL)", "busy_timeout(5000)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: pragmas.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, schema); err != nil {
		_ = db.Close()
		return nil, plain(err)
	}
	return &Ledger{db: db, numbers: map[suite.TestID]int{}, given: map[string]int{}}, nil
}

// begin checks whose ledger it is and reads what it needs in memory.
func (l *Ledger) begin(ctx context.Context, fingerprint string) error {
	mark := fmt.Sprintf("%d %s", version, fingerprint)
	var had string
	err := l.db.QueryRowContext(ctx, "SELECT value FROM about WHERE name = 'mark'").Scan(&had)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		if _, err := l.db.ExecContext(ctx, "INSERT INTO about VALUES ('mark', ?)", mark); err != nil {
			return err
		}
	case err != nil:
		return err
	case had != mark:
		return ErrChanged
	}
	if err := l.db.QueryRowContext(ctx, "SELECT count(*) FROM runs").Scan(&l.old); err != nil {
		return err
	}
	return l.readTests(ctx)
}

func (l *Ledger) readTests(ctx context.Context) error {
	rows, err := l.db.QueryContext(ctx, "SELECT number, id FROM tests ORDER BY number")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		var id string
		if err := rows.Scan(&n, &id); err != nil {
			return err
		}
		if n != len(l.ids) {
			return fmt.Errorf("the ledger is damaged: test %d stands at %d", n, len(l.ids))
		}
		l.numbers[suite.TestID(id)] = n
		l.ids = append(l.ids, suite.TestID(id))
	}
	return rows.Err()
}

// plain recognises what SQLite says of a file in use.
func plain(err error) error {
	if err != nil && strings.Contains(err.Error(), "SQLITE_BUSY") {
		return ErrBusy
	}
	return err
}

// Close writes everything into the one file.
func (l *Ledger) Close() error { return l.db.Close() }

// Old is how many runs there were at opening, and Reused how many of them were given back.
func (l *Ledger) Old() (old, reused int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.old, l.reused
}

func keyOf(o suite.Order) []byte {
	h := sha256.Sum256([]byte(o.Key()))
	return h[:]
}

// Keep stores a value of the caller's under a kind and a name, as JSON.
func (l *Ledger) Keep(ctx context.Context, kind, name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = l.db.ExecContext(ctx, "INSERT INTO kept VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", kind, name, string(text))
	return err
}

// Kept reads such a value; false where there is none.
func (l *Ledger) Kept(ctx context.Context, kind, name string, into any) (bool, error) {
	var text string
	err := l.db.QueryRowContext(ctx, "SELECT value FROM kept WHERE kind = ? AND name = ?", kind, name).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal([]byte(text), into)
}
