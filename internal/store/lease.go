package store

import (
	"errors"
	"time"
)

// Take gives a queued investigation to a holder, whose name must be new for each
// attempt, and makes it Running. Only one of several callers gets it; the
// others see ErrState.
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

// Heartbeat renews the holder's lease. ErrLeaseLost means: stop, whatever you
// found is nobody's any more.
func (tx *Tx) Heartbeat(id, holder string) (Investigation, error) {
	i, err := one(tx, scanInvestigation, `UPDATE investigation SET heartbeat = $3
		WHERE id = $1 AND holder = $2 AND state IN ('running', 'reporting') AND deadline > $3 RETURNING `+investigationColumns, id, holder, micros(tx.time))
	if errors.Is(err, ErrNotFound) {
		i, err = tx.Investigation(id)
		if err == nil {
			err = ErrLeaseLost
		}
	}
	return i, err
}

// Reaped is what Reap did.
type Reaped struct {
	Requeued []Investigation // their holders fell silent; each needs a job in this transaction
	Expired  []Investigation
}

// Reap ends what is past its deadline, and takes back the leases whose holder has
// not been heard of for so long. One that was taken as often as attempts allow
// is Failed instead, and counts as expired: what kills its runner each time would go on to.
func (tx *Tx) Reap(silence time.Duration, attempts int64) (Reaped, error) {
	var r Reaped
	var err error
	now, quiet := micros(tx.time), micros(tx.time.Add(-silence))
	r.Expired, err = all(tx, scanInvestigation, `UPDATE investigation SET state = 'expired', reason = 'it took longer than it may', updated = $1
		WHERE state IN (`+list(live())+`) AND deadline <= $1 RETURNING `+investigationColumns, now)
	if err != nil {
		return r, err
	}
	failed, err := all(tx, scanInvestigation, `UPDATE investigation SET state = 'failed', reason = 'the runner died each time it was tried', updated = $1
		WHERE state = 'running' AND heartbeat <= $2 AND attempt >= $3 RETURNING `+investigationColumns, now, quiet, attempts)
	if err != nil {
		return r, err
	}
	r.Expired = append(r.Expired, failed...)
	r.Requeued, err = all(tx, scanInvestigation, `UPDATE investigation SET state = 'queued', holder = '', updated = $1
		WHERE state = 'running' AND heartbeat <= $2 RETURNING `+investigationColumns, now, quiet)
	return r, err
}

// Stalled are the investigations that wait for a job of the queue, and of which
// nothing was heard for so long: the job may have died with its process. They count as heard of
// now.
func (tx *Tx) Stalled(silence time.Duration) ([]Investigation, error) {
	now, quiet := micros(tx.time), micros(tx.time.Add(-silence))
	return all(tx, scanInvestigation, `UPDATE investigation SET updated = $1
		WHERE state IN ('collecting', 'queued', 'reporting') AND updated <= $2 RETURNING `+investigationColumns, now, quiet)
}

// Begun is how many investigations of a repository were opened since then, for its budget.
func (tx *Tx) Begun(repository int64, since time.Time) (int64, error) {
	return one(tx, scanInt, `SELECT count(*) FROM investigation WHERE repository = $1 AND created >= $2`, repository, micros(since))
}

// Counts are how many investigations stand where.
func (tx *Tx) Counts() (map[State]int64, error) {
	type count struct {
		state State
		n     int64
	}
	rows, err := all(tx, func(r rows) (c count, err error) { return c, r.Scan(&c.state, &c.n) }, `SELECT state, count(*) FROM investigation GROUP BY state`)
	out := map[State]int64{}
	for _, c := range rows {
		out[c.state] = c.n
	}
	return out, err
}

// NextQueued is the queued investigation whose turn it is: of the installation
// that had fewest runs since then, and of that one the oldest. However many one
// installation queues, the others' come in between.
func (tx *Tx) NextQueued(since time.Time) (Investigation, error) {
	return one(tx, scanInvestigation, `SELECT `+investigationColumns+` FROM investigation q WHERE state = 'queued' AND deadline > $1
		ORDER BY (SELECT count(*) FROM investigation r WHERE r.installation = q.installation AND r.attempt > 0 AND (r.state = 'running' OR r.updated >= $2)), created, id LIMIT 1`,
		micros(tx.time), micros(since))
}
