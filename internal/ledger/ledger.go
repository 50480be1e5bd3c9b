// Package ledger stores every run of tests in a database beside the report. So a search that was
// killed can continue: for orders that it has run before, the ledger returns the stored runs.
//
// Invariants: a run is in the ledger as a whole or not at all, however the process ends. After
// opening, each stored run is returned once, in the order of storing. A ledger belongs to one
// fingerprint (of the tests and the code), and one process at a time uses it. A new ledger takes
// over the results of earlier searches from the one that it replaces.
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

// version of the tables. A ledger of another version is not read.
const version = 1

const schema = `
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS tests (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS runs (
	seq INTEGER PRIMARY KEY,
	asked BLOB NOT NULL,     -- hash of the order
	lone INTEGER NOT NULL,   -- no other process ran at the same time
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
	given   map[string]int // the last run that was returned since opening, by order
	old     int            // runs at opening
	reused  int
}

// Errors of Open, for errors.Is.
var (
	// ErrChanged means that the ledger belongs to other tests or other code.
	ErrChanged = errors.New("the tests or the code have changed since the interrupted run")
	// ErrNone means that there is no ledger to continue.
	ErrNone = errors.New("there is no interrupted run")
	// ErrBusy means that another process uses the ledger.
	ErrBusy = errors.New("another odfix is using it")
)

// Open opens the ledger in the file, or makes one. resume continues an existing ledger, which must
// have the same fingerprint. Without resume, an existing ledger is renamed, not removed.
func Open(ctx context.Context, file, fingerprint string, resume bool) (*Ledger, error) {
	_, err := os.Stat(file)
	var earlier []Search
	switch {
	case resume && errors.Is(err, os.ErrNotExist):
		return nil, ErrNone
	case err == nil && !resume:
		if earlier, err = setAside(ctx, file); err != nil {
			return nil, err
		}
	}
	l, err := open(ctx, file)
	if err != nil {
		return nil, err
	}
	err = l.begin(ctx, fingerprint)
	if err == nil && len(earlier) > 0 {
		err = l.Keep(ctx, historyKind, earlierName, earlier)
	}
	if err != nil {
		_ = l.db.Close()
		return nil, plain(err)
	}
	return l, nil
}

// setAside renames an existing ledger, and returns the searches that it remembers. It replaces the
// one that was renamed before.
func setAside(ctx context.Context, file string) ([]Search, error) {
	var earlier []Search
	old, err := open(ctx, file) // it fails if another process uses the file
	if err == nil {
		earlier, _ = old.history(ctx) // a damaged history is not worth a refusal
		_, err = old.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		_ = old.db.Close()
	}
	if errors.Is(plain(err), ErrBusy) {
		return nil, ErrBusy
	}
	for _, end := range []string{"-wal", "-shm"} {
		_ = os.Remove(file + end + ".old")
		if err := os.Rename(file+end, file+".old"+end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return earlier, os.Rename(file, file+".old")
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
	// EXCLUSIVE: no other process writes. NORMAL: a power cut can lose the last runs, a kill
	// cannot.
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

// begin checks the fingerprint and reads the tests.
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
			return fmt.Errorf("the ledger is damaged: test %d has position %d", n, len(l.ids))
		}
		l.numbers[suite.TestID(id)] = n
		l.ids = append(l.ids, suite.TestID(id))
	}
	return rows.Err()
}

// plain turns SQLite's error about a file in use into ErrBusy.
func plain(err error) error {
	if err != nil && strings.Contains(err.Error(), "SQLITE_BUSY") {
		return ErrBusy
	}
	return err
}

// Close closes the ledger and moves everything into the one file.
func (l *Ledger) Close() error { return l.db.Close() }

// Old returns the number of runs at opening, and the number of those that Recall has returned.
func (l *Ledger) Old() (old, reused int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.old, l.reused
}

func keyOf(o suite.Order) []byte {
	h := sha256.Sum256([]byte(o.Key()))
	return h[:]
}

// Keep stores a value under a kind and a name, as JSON.
func (l *Ledger) Keep(ctx context.Context, kind, name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = l.db.ExecContext(ctx, "INSERT INTO kept VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
		kind, name, string(text))
	return err
}

// Kept reads a value that Keep stored. false means that there is none.
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
