package store

import (
	"encoding/json"

	"github.com/odfix/odfix/internal/job"
)

// Draft is a runner's report that waits for a second runner.
type Draft struct {
	Report *job.Report
	// Attempt is how often a runner had taken the investigation when the report was saved.
	Attempt int64
}

// SaveDraft saves a runner's report that a second runner has to confirm, and makes the investigation
// Queued again. It refuses the report of a runner that has lost its lease.
func (tx *Tx) SaveDraft(id, holder string, r *job.Report) (Investigation, error) {
	content, err := json.Marshal(r)
	if err != nil {
		return Investigation{}, err
	}
	i, err := tx.Move(id, Change{To: Queued, Holder: holder})
	if err != nil {
		return i, err
	}
	_, err = tx.exec(`INSERT INTO draft (investigation, content, attempt, created) VALUES ($1, $2, $3, $4)
		ON CONFLICT (investigation) DO NOTHING`, id, content, i.Attempt, micros(tx.time))
	return i, err
}

// Draft finds an investigation's draft, or returns ErrNotFound.
func (tx *Tx) Draft(id string) (Draft, error) {
	type row struct {
		content []byte
		attempt int64
	}
	found, err := one(tx, func(r rows) (x row, err error) { return x, r.Scan(&x.content, &x.attempt) },
		`SELECT content, attempt FROM draft WHERE investigation = $1`, id)
	if err != nil {
		return Draft{}, err
	}
	r, err := job.ParseReport(found.content)
	return Draft{Report: r, Attempt: found.attempt}, err
}
