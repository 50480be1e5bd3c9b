package store

import (
	"errors"
	"strings"
	"time"
)

// Pause is what the operator has paused: a repository, an account by its installation, or everything
// if both ids are 0. It also holds for other installations of that account: whoever removes the App
// and installs it again gets a new one. Deliveries are still stored. All other work waits, in every
// replica.
type Pause struct {
	Installation, Repository int64
	Reason                   string
	Since                    time.Time
	AccountID                int64  // of the installation; 0: not known
	Account                  string // its login when the pause began
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
	return `NOT EXISTS (SELECT 1 FROM pause p WHERE ` + covers("p", row+".installation", row+".repository") + `)`
}

// covers is the SQL condition that a pause holds for a repository of an installation.
func covers(pause, installation, repository string) string {
	return `(` + pause + `.installation = 0 OR ` + pause + `.installation = ` + installation + ` OR ` + pause + `.account_id <> 0
			AND ` + pause + `.account_id = (SELECT account_id FROM installation n WHERE n.id = ` + installation + `))
		AND (` + pause + `.repository = 0 OR ` + pause + `.repository = ` + repository + `)`
}

const pauseColumns = `installation, repository, reason, since, account_id, account`

func scanPause(r rows) (p Pause, err error) {
	var since int64
	err = r.Scan(&p.Installation, &p.Repository, &p.Reason, &since, &p.AccountID, &p.Account)
	p.Since = fromMicros(since)
	return p, err
}

// Pause pauses work. If it is paused, only the reason changes. Of p it needs the scope and the
// reason.
func (tx *Tx) Pause(p Pause) error {
	if p.Reason == "" || p.Installation != 0 && p.Repository != 0 {
		return errors.New("store: a pause needs a reason, and one scope")
	}
	if old, err := tx.pauseLike(p.Installation, p.Repository); err == nil {
		p.Installation = old.Installation
	} else if !errors.Is(err, ErrNotFound) {
		return err
	}
	_, err := tx.exec(`INSERT INTO pause (installation, repository, reason, since, account_id, account) VALUES ($1, $2, $3, $4,
			COALESCE((SELECT account_id FROM installation WHERE id = $1), 0), COALESCE((SELECT account FROM installation WHERE id = $1), ''))
		ON CONFLICT (installation, repository) DO UPDATE SET reason = excluded.reason`, p.Installation, p.Repository, p.Reason, micros(tx.time))
	return err
}

// pauseLike finds the pause with this scope. One of an account may have begun with another
// installation.
func (tx *Tx) pauseLike(installation, repository int64) (Pause, error) {
	return one(tx, scanPause, `SELECT `+pauseColumns+` FROM pause WHERE repository = $2 AND (installation = $1
		OR account_id <> 0 AND account_id = (SELECT account_id FROM installation n WHERE n.id = $1))`, installation, repository)
}

// Resume ends a pause. The deadlines of its investigations move by the time that they were paused.
// Where others of its pauses overlap with this one, their time counts at their end. It returns
// ErrNotFound if there is no such pause.
func (tx *Tx) Resume(installation, repository int64) error {
	p, err := tx.pauseLike(installation, repository)
	if err != nil {
		return err
	}
	const own = `(q.installation = $3 AND q.repository = $4)`
	const begin = `CASE WHEN created > $2 THEN created ELSE $2 END`
	covered := covers("q", "investigation.installation", "investigation.repository")
	end := `COALESCE((SELECT min(q.since) FROM pause q WHERE NOT ` + own + ` AND ` + covered + `), $1)`
	_, err = tx.exec(`UPDATE investigation SET deadline = deadline + `+end+` - `+begin+` WHERE state IN (`+list(live())+`)
		AND EXISTS (SELECT 1 FROM pause q WHERE `+own+` AND `+covered+`) AND `+end+` > `+begin,
		micros(tx.time), micros(p.Since), p.Installation, p.Repository)
	if err != nil {
		return err
	}
	_, err = tx.exec(`DELETE FROM pause WHERE installation = $1 AND repository = $2`, p.Installation, p.Repository)
	return err
}

// Pauses are all pauses, that of everything first.
func (tx *Tx) Pauses() ([]Pause, error) {
	return all(tx, scanPause, `SELECT `+pauseColumns+` FROM pause ORDER BY repository, installation`)
}

// PauseOf is a pause that a repository falls under; with repository 0, one of the whole
// installation. It returns ErrNotFound if there is none.
func (tx *Tx) PauseOf(installation, repository int64) (Pause, error) {
	return one(tx, scanPause, `SELECT `+pauseColumns+` FROM pause WHERE `+covers("pause", "$1", "$2")+
		` ORDER BY repository, installation LIMIT 1`, installation, repository)
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

// InstallationOf finds an account's installation that is not removed. If there is none, it is the one
// with which a pause of the account began.
func (tx *Tx) InstallationOf(login string) (int64, error) {
	id, err := one(tx, scanInt, `SELECT id FROM installation WHERE lower(account) = lower($1) AND removed = 0 ORDER BY id DESC LIMIT 1`, login)
	if errors.Is(err, ErrNotFound) {
		id, err = one(tx, scanInt, `SELECT installation FROM pause WHERE lower(account) = lower($1) AND installation <> 0 LIMIT 1`, login)
	}
	return id, err
}

// RepositoryNamed finds a repository by owner/name.
func (tx *Tx) RepositoryNamed(fullName string) (Repository, error) {
	return one(tx, scanRepository, `SELECT id, installation, full_name, removed FROM repository
		WHERE lower(full_name) = lower($1) ORDER BY removed, id DESC LIMIT 1`, fullName)
}
