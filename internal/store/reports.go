package store

import (
	"encoding/json"

	"github.com/odfix/odfix/internal/job"
)

// SaveReport saves a runner's report and makes the investigation Reporting. It refuses the report
// of a runner that has lost its lease.
func (tx *Tx) SaveReport(id, holder string, r *job.Report) (Investigation, error) {
	content, err := json.Marshal(r)
	if err != nil {
		return Investigation{}, err
	}
	i, err := tx.Move(id, Change{To: Reporting, Holder: holder})
	if err != nil {
		return i, err
	}
	if _, err := tx.exec(`DELETE FROM draft WHERE investigation = $1`, id); err != nil {
		return i, err
	}
	_, err = tx.exec(`INSERT INTO report (investigation, content, created, spent) VALUES ($1, $2, $3, $4)`,
		id, content, micros(tx.time), int64(r.Cost.Total*1000))
	if err != nil {
		return i, err
	}
	return i, tx.saveFindings(id, r)
}

// Report finds an investigation's report. An older odfix can have stored it.
func (tx *Tx) Report(id string) (*job.Report, error) {
	content, err := one(tx, scanBytes, `SELECT content FROM report WHERE investigation = $1`, id)
	if err != nil {
		return nil, err
	}
	return job.ParseReport(content)
}
