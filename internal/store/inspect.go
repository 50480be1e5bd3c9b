package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Inspection is the state of a database.
type Inspection struct {
	Name    string   // "sqlite" or "postgres"
	New     bool     // it has no tables of odfix
	Pending []string // migrations that the next start applies
	Unknown []string // migrations of a newer odfix; this version refuses the database
}

// Inspect reads the state of a database and changes nothing: it applies no migration and makes no
// file. Its errors are those with which Open would fail.
func Inspect(ctx context.Context, place string) (*Inspection, error) {
	if file, ok := sqliteFile(place); ok {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return &Inspection{Name: "sqlite", New: true}, canHold(filepath.Dir(file))
		}
	}
	db, err := connect(ctx, place, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer db.close()
	s := &Store{db: db, now: time.Now}
	if err := db.ping(ctx); err != nil {
		return nil, fmt.Errorf("the database does not answer: %w", err)
	}
	in := &Inspection{Name: db.name()}
	return in, s.View(ctx, in.look)
}

func sqliteFile(place string) (string, bool) {
	file := strings.TrimPrefix(place, "sqlite:")
	return file, place != "" && !strings.Contains(file, "://")
}

// canHold returns an error if a database cannot be made in a folder.
func canHold(dir string) error {
	f, err := os.CreateTemp(dir, ".odfix-*")
	if err != nil {
		return fmt.Errorf("the database file cannot be made: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (in *Inspection) look(tx *Tx) error {
	there, err := tx.hasMigrations()
	if err != nil {
		return err
	}
	applied := map[string]string{}
	if in.New = !there; there {
		if applied, err = tx.applied(); err != nil {
			return err
		}
	}
	files, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return err
	}
	for _, f := range files {
		name := strings.TrimPrefix(f, "migrations/")
		if _, ok := applied[name]; !ok {
			in.Pending = append(in.Pending, name)
		}
		delete(applied, name)
	}
	in.Unknown = slices.Sorted(maps.Keys(applied))
	return nil
}

// hasMigrations reports whether odfix has used the database before.
func (tx *Tx) hasMigrations() (bool, error) {
	query := `SELECT count(*) FROM sqlite_master WHERE name = 'odfix_migration'`
	if tx.postgres {
		query = `SELECT count(*) FROM pg_class WHERE oid = to_regclass('odfix_migration')`
	}
	n, err := all(tx, func(r rows) (n int64, err error) { return n, r.Scan(&n) }, query)
	return len(n) == 1 && n[0] > 0, err
}
