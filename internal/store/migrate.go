package store

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is the number of PostgreSQL's advisory lock. The number is arbitrary.
const migrationLock = 0x6f64666978 // "odfix"

const migrationTable = `CREATE TABLE IF NOT EXISTS odfix_migration (name TEXT PRIMARY KEY, sum TEXT NOT NULL, applied BIGINT NOT NULL)`

// migrate applies new migrations in one transaction. There are no downward migrations: files are
// added, never changed, and a database of a newer odfix is refused.
func (s *Store) migrate(ctx context.Context) error {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted by name
	if err != nil {
		return err
	}
	return s.Do(ctx, func(tx *Tx) error {
		if tx.postgres {
			if _, err := tx.exec(`SELECT pg_advisory_xact_lock($1)`, migrationLock); err != nil {
				return err
			}
		}
		if _, err := tx.exec(migrationTable); err != nil {
			return err
		}
		applied, err := tx.applied()
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := tx.apply(name, applied); err != nil {
				return err
			}
			delete(applied, strings.TrimPrefix(name, "migrations/"))
		}
		for name := range applied {
			return fmt.Errorf("the database has %s, which is not part of this odfix: a newer odfix has used it. "+
				"Start that version, or restore an older backup", name)
		}
		return nil
	})
}

// applied are the checksums of the migrations that the database has, by name.
func (tx *Tx) applied() (map[string]string, error) {
	type row struct{ name, sum string }
	list, err := all(tx, func(r rows) (m row, err error) { return m, r.Scan(&m.name, &m.sum) }, `SELECT name, sum FROM odfix_migration`)
	out := map[string]string{}
	for _, m := range list {
		out[m.name] = m.sum
	}
	return out, err
}

func (tx *Tx) apply(file string, applied map[string]string) error {
	text, err := migrationFiles.ReadFile(file)
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(file, "migrations/")
	digest := sha256.Sum256(text)
	sum := hex.EncodeToString(digest[:])
	if had, ok := applied[name]; ok {
		if had != sum {
			return fmt.Errorf("the database has another version of %s: use the odfix that made the database, or a new database", name)
		}
		return nil
	}
	for _, statement := range statements(string(text)) {
		if _, err := tx.exec(statement); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	_, err = tx.exec(`INSERT INTO odfix_migration (name, sum, applied) VALUES ($1, $2, $3)`, name, sum, micros(tx.time))
	return err
}

// statements splits a file, since PostgreSQL prepares only single statements. Semicolons in the
// files are only at the ends of statements.
func statements(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		code, _, _ := strings.Cut(line, "--")
		lines = append(lines, strings.TrimRight(code, " \n"))
	}
	var out []string
	for _, s := range strings.Split(strings.Join(lines, "\n"), ";") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
