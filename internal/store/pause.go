package store

import (
	"errors"
	"strings"
	"time"
)

// Pause is what the operator has paused: a repository, an installation, or everything if both ids
// are 0. Deliveries are still stored. All other work waits, in every replica.
type Pause struct {
	Installation, Repository int64
	Reason                   string
	Since                    time.Time
}

// Scope is "all", "installation" or "repository".
func (p Pause) Scope() string {
	switch {
	case p.Repository != 0:
		return "repository"
	case p.Installation != 0:
		return "installation"
	}
	return "all"
}

// working is the SQL condition that nothing has paused an investigation; workingOn is that for a
// row of a table.
var working = workingOn("investigation")

func workingOn(row string) string {
	return `NOT EXISTS (SELECT 1 FROM pause p WHERE (p.installation = 0 OR p.installation = ` + row + `.installation)
		AND (p.repository = 0 OR p.repository = ` + row + `.repository))`
}

func scanPause(r rows) (p Pause, err error) {
	var since int64
	err = r.Scan(&p.Installation, &p.Repository, &p.Reason, &since)
	p.Since = fromMicros(since)
	return p, err
}

// Pause pauses work. If it is paused, only the reason changes.
func (tx *Tx) Pause(p Pause) error {
	if p.Reason == "" || p.Installation != 0 && p.Repository != 0 {
		return errors.New("store: a pause needs a reason, and one scope")
	}
	_, err := tx.exec(`INSERT INTO pause (installation, repository, reason, since) VALUES ($1, $2, $3, $4)
		ON CONFLICT (installation, repository) DO UPDATE SET reason = excluded.reason`, p.Installation, p.Repository, p.Reason, micros(tx.time))
	return err
}

// Resume ends a pause. The deadlines of its investigations move by the time that they were paused.
// It returns ErrNotFound if there is no such pause.
func (tx *Tx) Resume(installation, repository int64) error {
	p, err := one(tx, scanPause, `DELETE FROM pause WHERE installation = $1 AND repository = $2
		RETURNING installation, repository, reason, since`, installation, repository)
	if err != nil {
		return err
	}
	_, err = tx.exec(`UPDATE investigation SET deadline = deadline + $1 - CASE WHEN created > $2 THEN created ELSE $2 END
		WHERE state IN (`+list(live())+`) AND ($3 = 0 OR installation = $3) AND ($4 = 0 OR repository = $4)`,
		micros(tx.time), micros(p.Since), installation, repository)
	return err
}

// Pauses are all pauses, that of everything first.
func (tx *Tx) Pauses() ([]Pause, error) {
	return all(tx, scanPause, `SELECT installation, repository, reason, since FROM pause ORDER BY repository, installation`)
}

// PauseOf is a pause that a repository falls under; with repository 0, one of the whole
// installation. It returns ErrNotFound if there is none.
func (tx *Tx) PauseOf(installation, repository int64) (Pause, error) {
	return one(tx, scanPause, `SELECT installation, repository, reason, since FROM pause
		WHERE (installation = 0 OR installation = $1) AND (repository = 0 OR repository = $2) ORDER BY repository, installation LIMIT 1`,
		installation, repository)
}

// Account is the login of an installation's account. It returns ErrNotFound if no delivery has
// named it.
func (tx *Tx) Account(installation int64) (string, error) {
	scan := func(r rows) (s string, err error) { return s, r.Scan(&s) }
	login, err := one(tx, scan, `SELECT account FROM installation WHERE id = $1`, installation)
	if errors.Is(err, ErrNotFound) {
		login, err = one(tx, scan, `SELECT full_name FROM repository WHERE installation = $1 LIMIT 1`, installation)
		login, _, _ = strings.Cut(login, "/")
	}
	return login, err
}

// InstallationOf finds an account's installation that is not removed.
func (tx *Tx) InstallationOf(login string) (int64, error) {
	return one(tx, scanInt, `SELECT id FROM installation WHERE lower(account) = lower($1) AND removed = 0 ORDER BY id DESC LIMIT 1`, login)
}

// RepositoryNamed finds a repository by owner/name.
func (tx *Tx) RepositoryNamed(fullName string) (Repository, error) {
	return one(tx, scanRepository, `SELECT id, installation, full_name, removed FROM repository
		WHERE lower(full_name) = lower($1) ORDER BY removed, id DESC LIMIT 1`, fullName)
}
