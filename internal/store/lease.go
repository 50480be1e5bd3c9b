package store

import (
	"errors"
	"time"
)

// Take gives a queued investigation to a holder and makes it Running. Each attempt needs a new
// holder's name. Only one of several callers gets the investigation; the others get ErrState.
func (tx *Tx) Take(id, holder string) (Investigation, error) {
	if holder == "" {
		return Investigation{}, errors.New("store: a lease needs a holder")
	}
	i, err := one(tx, scanInvestigation, `UPDATE investigation SET state = 'running', holder = $2, heartbeat = $3, updated = $3, attempt = attempt + 1
		WHERE id = $1 AND state = 'queued' AND deadline > $3 RETURNING `+investigationColumns, id, holder, micros(tx.time))
	if errors.Is(err, ErrNotFound) {
		return tx.refused(id, Change{To: Running})
	}
	return i, err
}

// Heartbeat renews the holder's lease. After ErrLeaseLost the holder must stop: its results are not
// accepted any more.
func (tx *Tx) Heartbeat(id, holder string) (Investigation, error) {
	i, err := one(tx, scanInvestigation, `UPDATE investigation SET heartbeat = $3
		WHERE id = $1 AND holder = $2 AND state IN ('running', 'reporting') AND deadline > $3 RETURNING `+investigationColumns, id, holder, micros(tx.time))
	if errors.Is(err, ErrNotFound) {
		if i, err = tx.Investigation(id); err == nil || errors.Is(err, ErrNotFound) { // it was removed
			err = ErrLeaseLost
		}
	}
	return i, err
}

// Reaped is the result of Reap.
type Reaped struct {
	Requeued []Investigation // without a heartbeat; each needs a job in this transaction
	Expired  []Investigation
}

// Reap ends investigations after their deadline, and takes back leases without a heartbeat during
// silence. An investigation that was taken attempts times becomes Failed instead, and is returned
// as expired: it would kill its next runner, too. One with a draft is never Failed for that: it has
// a result. Investigations that are paused stay as they are.
func (tx *Tx) Reap(silence time.Duration, attempts int64) (Reaped, error) {
	var r Reaped
	var err error
	now, quiet := micros(tx.time), micros(tx.time.Add(-silence))
	r.Expired, err = all(tx, scanInvestigation, `UPDATE investigation SET state = 'expired', reason = 'it took longer than it may', updated = $1
		WHERE state IN (`+list(live())+`) AND deadline <= $1 AND `+working+` RETURNING `+investigationColumns, now)
	if err != nil {
		return r, err
	}
	failed, err := all(tx, scanInvestigation, `UPDATE investigation SET state = 'failed', reason = 'the runner died each time it was tried', updated = $1
		WHERE state = 'running' AND heartbeat <= $2 AND attempt >= $3
			AND NOT EXISTS (SELECT 1 FROM draft d WHERE d.investigation = investigation.id) AND `+working+` RETURNING `+investigationColumns, now, quiet, attempts)
	if err != nil {
		return r, err
	}
	r.Expired = append(r.Expired, failed...)
	r.Requeued, err = all(tx, scanInvestigation, `UPDATE investigation SET state = 'queued', holder = '', updated = $1
		WHERE state = 'running' AND heartbeat <= $2 AND `+working+` RETURNING `+investigationColumns, now, quiet)
	return r, err
}

// Stalled returns the investigations that wait for a job of the queue and have not changed during
// silence: the job can have died with its process. It marks them as changed now. It leaves out
// those that are paused.
func (tx *Tx) Stalled(silence time.Duration) ([]Investigation, error) {
	now, quiet := micros(tx.time), micros(tx.time.Add(-silence))
	return all(tx, scanInvestigation, `UPDATE investigation SET updated = $1
		WHERE state IN ('collecting', 'queued', 'reporting') AND updated <= $2 AND `+working+` RETURNING `+investigationColumns, now, quiet)
}

// Counts counts the investigations in each state.
func (tx *Tx) Counts() (map[State]int64, error) {
	type count struct {
		state State
		n     int64
	}
	rows, err := all(tx, func(r rows) (c count, err error) { return c, r.Scan(&c.state, &c.n) },
		`SELECT state, count(*) FROM investigation GROUP BY state`)
	out := map[State]int64{}
	for _, c := range rows {
		out[c.state] = c.n
	}
	return out, err
}

// NextQueued returns the queued investigation that is next: the oldest one of the installation with
// the fewest runs since a time. So an installation with many investigations does not block the
// others. It leaves out those that are paused, and those of suspended installations.
func (tx *Tx) NextQueued(since time.Time) (Investigation, error) {
	// The runs are counted once. They are few beside what an installation can have queued.
	return one(tx, scanInvestigation, `WITH had AS MATERIALIZED (SELECT installation AS whose, count(*) AS runs FROM investigation
			WHERE attempt > 0 AND (state = 'running' OR updated >= $2) GROUP BY installation)
		SELECT `+investigationColumns+` FROM investigation LEFT JOIN had ON had.whose = investigation.installation
		WHERE state = 'queued' AND deadline > $1 AND `+working+`
		AND NOT EXISTS (SELECT 1 FROM installation s WHERE s.id = investigation.installation AND s.suspended = 1)
		ORDER BY COALESCE(runs, 0), created, id LIMIT 1`,
		micros(tx.time), micros(since))
}
