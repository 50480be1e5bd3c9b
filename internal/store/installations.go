package store

import (
	"encoding/json"
	"time"
)

// Installation is the App on an account.
type Installation struct {
	ID          int64
	AccountID   int64             // GitHub's id of the account; 0: not known
	Account     string            // its login
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
// order. Nothing comes after a removal. A pause of the installation learns the account.
func (tx *Tx) SaveInstallation(i Installation) error {
	permissions, err := json.Marshal(i.Permissions)
	if err != nil {
		return err
	}
	_, err = tx.exec(`INSERT INTO installation (id, account, permissions, suspended, removed, updated, account_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (id) DO UPDATE SET account = excluded.account, account_id = excluded.account_id, permissions = excluded.permissions,
			suspended = excluded.suspended, removed = excluded.removed, updated = excluded.updated
		WHERE excluded.updated >= installation.updated OR excluded.removed = 1`,
		i.ID, i.Account, string(permissions), flag(i.Suspended), flag(i.Removed), micros(i.Updated), i.AccountID)
	if err != nil || i.AccountID == 0 {
		return err
	}
	_, err = tx.exec(`UPDATE pause SET account_id = $2, account = $3 WHERE installation = $1 AND account_id = 0`, i.ID, i.AccountID, i.Account)
	return err
}

// InstallationRemoved reports whether an installation was removed.
func (tx *Tx) InstallationRemoved(id int64) (bool, error) {
	n, err := one(tx, scanInt, `SELECT count(*) FROM installation WHERE id = $1 AND removed = 1`, id)
	return n > 0, err
}

// RemoveRepository marks a repository as removed from an installation, unless it belongs to another
// one by now.
func (tx *Tx) RemoveRepository(installation, id int64) error {
	_, err := tx.exec(`UPDATE repository SET removed = 1 WHERE id = $1 AND installation = $2`, id, installation)
	return err
}

// RestoreRepository takes back that a repository was removed from an installation.
func (tx *Tx) RestoreRepository(installation, id int64) error {
	_, err := tx.exec(`UPDATE repository SET removed = 0 WHERE id = $1 AND installation = $2`, id, installation)
	return err
}

// SaveRepository saves a repository's installation and name. Both can change. Each delivery and each sweep
// calls it, so it writes only what has changed.
func (tx *Tx) SaveRepository(r Repository) error {
	_, err := tx.exec(`INSERT INTO repository (id, installation, full_name, removed) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET installation = excluded.installation, full_name = excluded.full_name, removed = excluded.removed
		WHERE excluded.installation <> repository.installation OR excluded.full_name <> repository.full_name
			OR excluded.removed <> repository.removed`,
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
