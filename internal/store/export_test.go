package store

import (
	"encoding/json"
	"slices"
	"time"
)

const installationColumns = `id, account, permissions, suspended, removed, updated, account_id`

func scanInstallation(r rows) (Installation, error) {
	var i Installation
	var permissions string
	var suspended, removed, updated int64
	if err := r.Scan(&i.ID, &i.Account, &permissions, &suspended, &removed, &updated, &i.AccountID); err != nil {
		return i, err
	}
	i.Suspended, i.Removed, i.Updated = suspended != 0, removed != 0, fromMicros(updated)
	return i, json.Unmarshal([]byte(permissions), &i.Permissions)
}

// Unhandled returns deliveries from before a time whose job is not done, the oldest first.
func (tx *Tx) Unhandled(before time.Time, most int) ([]Delivery, error) {
	return all(tx, scanDelivery, `SELECT `+deliveryColumns+
		` FROM delivery WHERE handled = 0 AND received < $1 ORDER BY received LIMIT $2`, micros(before), most)
}

// Rows counts the rows of a table.
func (tx *Tx) Rows(table string) (int64, error) {
	return one(tx, scanInt, `SELECT count(*) FROM `+table)
}

// Installation finds an installation, also a removed one.
func (tx *Tx) Installation(id int64) (Installation, error) {
	return one(tx, scanInstallation, `SELECT `+installationColumns+` FROM installation WHERE id = $1`, id)
}

// Installations returns the installations that are neither removed nor suspended.
func (tx *Tx) Installations() ([]Installation, error) {
	return all(tx, scanInstallation, `SELECT `+installationColumns+` FROM installation WHERE removed = 0 AND suspended = 0 ORDER BY id`)
}

// Repositories returns the repositories that an installation covers.
func (tx *Tx) Repositories(installation int64) ([]Repository, error) {
	return all(tx, scanRepository, `SELECT id, installation, full_name, removed FROM repository WHERE installation = $1 AND removed = 0 ORDER BY id`, installation)
}

// Begun counts the investigations of a repository since a time, for its budget.
func (tx *Tx) Begun(repository int64, since time.Time) (int64, error) {
	return one(tx, scanInt, `SELECT count(*) FROM investigation WHERE repository = $1 AND created >= $2`, repository, micros(since))
}

// PullRequest finds a pull request.
func (tx *Tx) PullRequest(repository, number int64) (PullRequest, error) {
	return one(tx, scanPull, `SELECT `+pullColumns+` FROM pull_request WHERE repository = $1 AND number = $2`, repository, number)
}

// May reports whether an investigation can go from s to next.
func (s State) May(next State) bool { return slices.Contains(arrows[s], next) }

// Beat and PutBack are what live does.
func (tx *Tx) Beat(process string) error                    { return tx.beat(process) }
func (tx *Tx) PutBack(silence time.Duration) (int64, error) { return tx.putBack(silence) }

// LastBeat is the last sign of life of any process.
func (tx *Tx) LastBeat() (int64, error) { return one(tx, scanInt, `SELECT max(beat) FROM process`) }

// Unfinished are the queries of the jobs that have not ended.
var Unfinished = []func(postgres bool) string{unfinishedJobs, queuedBefore, waitingBefore, dueOf}

// Details are the last columns of a query's rows.
func (tx *Tx) Details(query string, args ...any) ([]string, error) {
	return all(tx, func(r rows) (text string, err error) {
		var n [3]int64
		if tx.postgres {
			return text, r.Scan(&text)
		}
		return text, r.Scan(&n[0], &n[1], &n[2], &text)
	}, query, args...)
}
