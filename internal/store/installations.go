package store

import (
	"encoding/json"
	"time"
)

// Installation is the App on an account.
type Installation struct {
	ID          int64
	Account     string
	Permissions map[string]string // permission to level, as GitHub names them
	Suspended   bool
	Removed     bool
	Updated     time.Time
}

// Repository is one that an installation covers.
type Repository struct {
	ID           int64
	Installation int64
	FullName     string // owner/name
	Removed      bool
}

// SaveInstallation saves an installation, unless a newer version is saved: deliveries come in any
// order.
func (tx *Tx) SaveInstallation(i Installation) error {
	permissions, err := json.Marshal(i.Permissions)
	if err != nil {
		return err
	}
	_, err = tx.exec(`INSERT INTO installation (id, account, permissions, suspended, removed, updated) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (id) DO UPDATE SET account = excluded.account, permissions = excluded.permissions,
			suspended = excluded.suspended, removed = excluded.removed, updated = excluded.updated
		WHERE excluded.updated >= installation.updated`,
		i.ID, i.Account, string(permissions), flag(i.Suspended), flag(i.Removed), micros(i.Updated))
	return err
}

const installationColumns = `id, account, permissions, suspended, removed, updated`

func scanInstallation(r rows) (Installation, error) {
	var i Installation
	var permissions string
	var suspended, removed, updated int64
	if err := r.Scan(&i.ID, &i.Account, &permissions, &suspended, &removed, &updated); err != nil {
		return i, err
	}
	i.Suspended, i.Removed, i.Updated = suspended != 0, removed != 0, fromMicros(updated)
	return i, json.Unmarshal([]byte(permissions), &i.Permissions)
}

// Installation finds an installation, also a removed one.
func (tx *Tx) Installation(id int64) (Installation, error) {
	return one(tx, scanInstallation, `SELECT `+installationColumns+` FROM installation WHERE id = $1`, id)
}

// Installations returns the installations that are neither removed nor suspended.
func (tx *Tx) Installations() ([]Installation, error) {
	return all(tx, scanInstallation, `SELECT `+installationColumns+` FROM installation WHERE removed = 0 AND suspended = 0 ORDER BY id`)
}

// SaveRepository saves a repository's installation and name. Both can change.
func (tx *Tx) SaveRepository(r Repository) error {
	_, err := tx.exec(`INSERT INTO repository (id, installation, full_name, removed) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET installation = excluded.installation, full_name = excluded.full_name, removed = excluded.removed`,
		r.ID, r.Installation, r.FullName, flag(r.Removed))
	return err
}

func scanRepository(r rows) (x Repository, err error) {
	var removed int64
	err = r.Scan(&x.ID, &x.Installation, &x.FullName, &removed)
	x.Removed = removed != 0
	return x, err
}

// Repository finds a repository, also a removed one.
func (tx *Tx) Repository(id int64) (Repository, error) {
	return one(tx, scanRepository, `SELECT id, installation, full_name, removed FROM repository WHERE id = $1`, id)
}

// Repositories returns the repositories that an installation covers.
func (tx *Tx) Repositories(installation int64) ([]Repository, error) {
	return all(tx, scanRepository, `SELECT id, installation, full_name, removed FROM repository WHERE installation = $1 AND removed = 0 ORDER BY id`, installation)
}
