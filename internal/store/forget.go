package store

import (
	"context"
	"errors"
	"time"
)

// Records are removed a few at a time, so that no transaction locks many rows, or all of SQLite,
// for long. Several replicas can remove the same ones at once.

// removal chooses rows of a table to be removed.
type removal struct {
	table, key string // key: columns that identify a row
	where      string
	args       []any
}

// remove removes the chosen rows, at most so many in a transaction. It adds their number to counts.
func (s *Store) remove(ctx context.Context, list []removal, most int64, counts map[string]int64) error {
	for _, r := range list {
		for n := most; n == most; {
			err := s.Do(ctx, func(tx *Tx) (err error) {
				n, err = tx.remove(r, most)
				return err
			})
			if err != nil {
				return err
			}
			if n > 0 {
				counts[r.table] += n
			}
		}
	}
	return nil
}

func (tx *Tx) remove(r removal, most int64) (int64, error) {
	lock := ""
	if tx.postgres {
		lock = ` FOR UPDATE SKIP LOCKED` // so that replicas do not wait for each other
	}
	return tx.exec(`DELETE FROM `+r.table+` WHERE (`+r.key+`) IN (SELECT `+r.key+` FROM `+r.table+` WHERE `+r.where+` LIMIT $1`+lock+`)`,
		append([]any{most}, r.args...)...)
}

// Ages are times: what is older is removed.
type Ages struct {
	// Reports is for investigations that have ended, with their reports, for what was written about
	// them, and for pull requests that are closed.
	Reports    time.Time
	Deliveries time.Time // handled ones. GitHub redelivers for three days; older ones do not arrive again
	Tasks      time.Time // that have ended
	Audit      time.Time
}

// Forget removes old records, at most so many in a transaction. It returns how many, by table.
func (s *Store) Forget(ctx context.Context, a Ages, most int64) (map[string]int64, error) {
	out := map[string]int64{}
	reports := []any{micros(a.Reports)}
	return out, s.remove(ctx, []removal{
		{"investigation", "id", `state NOT IN (` + list(live()) + `) AND updated < $2`, reports},
		{"posted", "key", `claimed < $2`, reports},
		{"approval", "repository, pull_request, head_sha", `approved < $2`, reports},
		{"pull_request_head", "repository, head_sha, number", `seen < $2 AND NOT EXISTS (SELECT 1 FROM pull_request p
			WHERE p.repository = pull_request_head.repository AND p.number = pull_request_head.number AND p.is_open = 1)`, reports},
		{"pull_request", "repository, number", `is_open = 0 AND updated < $2`, reports},
		{"config_cache", "repository, place", `fetched <> 0 AND abs(fetched) < $2`, reports},
		{"delivery", "guid", `handled > 0 AND received < $2`, []any{micros(a.Deliveries)}},
		{"task", "id", `state IN ('done', 'failed') AND updated < $2`, []any{micros(a.Tasks)}},
		{"task_job", "task", `task IN (SELECT id FROM task WHERE state IN ('done', 'failed'))`, nil},
		{"observed_order", "investigation", `investigation IN (SELECT id FROM investigation
			WHERE state NOT IN ('collecting', 'queued', 'running'))`, nil},
		{"audit", "id", `at < $2`, []any{micros(a.Audit)}},
	}, most, out)
}

// Scope is an installation, or one repository of it.
type Scope struct {
	Installation int64
	Repository   int64     // 0: all
	Before       time.Time // what came later stays: the App may be back
}

// Erase removes everything about a scope but the audit log, at most so many rows in a transaction.
// It returns how many, by table. Records of the audit log stay for their own time: whoever removes
// the App must not remove the traces of what it did. Of a removed installation its id stays, so
// that late deliveries do not begin anew.
func (s *Store) Erase(ctx context.Context, of Scope, most int64) (map[string]int64, error) {
	if of.Installation == 0 {
		return nil, errors.New("store: Erase without an installation")
	}
	out := map[string]int64{}
	args := []any{of.Installation, of.Repository, micros(of.Before)}
	const own = `installation = $2 AND (CAST($3 AS BIGINT) = 0 OR repository = $3) AND `
	const theirs = `repository IN (SELECT id FROM repository WHERE installation = $2 AND (CAST($3 AS BIGINT) = 0 OR id = $3)) AND `
	err := s.remove(ctx, []removal{
		{"investigation", "id", own + `created <= $4`, args},
		{"delivery", "guid", own + `received <= $4`, args},
		{"task", "id", own + `created <= $4`, args},
		{"posted", "key", theirs + `claimed <= $4`, args},
		{"approval", "repository, pull_request, head_sha", theirs + `approved <= $4`, args},
		{"pull_request_head", "repository, head_sha, number", theirs + `seen <= $4`, args},
		{"pull_request", "repository, number", theirs + `updated <= $4`, args},
		{"config_cache", "repository, place", theirs + `fetched <= $4`, args},
		{"repository", "id", `installation = $2 AND (CAST($3 AS BIGINT) = 0 OR id = $3 AND removed = 1)`, args[:2]},
	}, most, out)
	if err != nil || of.Repository != 0 {
		return out, err
	}
	return out, s.Do(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE installation SET account = '', account_id = 0, permissions = '{}'
			WHERE id = $1 AND removed = 1`, of.Installation)
		return err
	})
}
