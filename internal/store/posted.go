package store

import (
	"errors"
	"time"
)

// Posted is a write to GitHub.
type Posted struct {
	Key         string // identifies the content; used once
	Repository  int64
	PullRequest int64
	Kind        string // "check", "review", "comment", …
	RemoteID    int64  // GitHub's id; 0 until Done
	Holder      string
	Claimed     time.Time
	Done        time.Time // zero: not yet
}

const postedColumns = `key, repository, pull_request, kind, remote_id, holder, claimed, done`

func scanPosted(r rows) (Posted, error) {
	var p Posted
	var claimed, done int64
	err := r.Scan(&p.Key, &p.Repository, &p.PullRequest, &p.Kind, &p.RemoteID, &p.Holder, &claimed, &done)
	p.Claimed, p.Done = fromMicros(claimed), fromMicros(done)
	return p, err
}

// Claim is the result of a claim for a write to GitHub.
type Claim int

// The results.
const (
	// Yours: the write is new. Write, then call Posted.
	Yours Claim = iota
	// Taken: an earlier holder did not finish in time, and can have written. Look for the marker
	// before you write.
	Taken
	// Theirs: another holder is writing. Try again later.
	Theirs
	// Already: it is written, as RemoteID.
	Already
)

// ClaimPost claims a write, which is done once. If the holder has not finished after wait, another
// claim succeeds.
func (tx *Tx) ClaimPost(p Posted, wait time.Duration) (Posted, Claim, error) {
	if p.Key == "" || p.Holder == "" {
		return p, Theirs, errors.New("store: a write needs a key and a holder")
	}
	p.Claimed, p.Done, p.RemoteID = fromMicros(micros(tx.time)), time.Time{}, 0
	n, err := tx.exec(`INSERT INTO posted (`+postedColumns+`) VALUES ($1, $2, $3, $4, 0, $5, $6, 0) ON CONFLICT (key) DO NOTHING`,
		p.Key, p.Repository, p.PullRequest, p.Kind, p.Holder, micros(p.Claimed))
	if err != nil || n > 0 {
		return p, Yours, err
	}
	n, err = tx.exec(`UPDATE posted SET holder = $2, claimed = $3 WHERE key = $1 AND done = 0 AND claimed <= $4`,
		p.Key, p.Holder, micros(tx.time), micros(tx.time.Add(-wait)))
	if err != nil {
		return p, Theirs, err
	}
	taken := n > 0
	p, err = one(tx, scanPosted, `SELECT `+postedColumns+` FROM posted WHERE key = $1`, p.Key)
	switch {
	case taken:
		return p, Taken, err
	case !p.Done.IsZero():
		return p, Already, err
	}
	return p, Theirs, err
}

// ErrClaimLost means that another holder has claimed the write.
var ErrClaimLost = errors.New("another holder has claimed the write")

// Posted records that the write is done, with GitHub's id.
func (tx *Tx) Posted(key, holder string, remoteID int64) error {
	n, err := tx.exec(`UPDATE posted SET remote_id = $3, done = $4 WHERE key = $1 AND holder = $2 AND done = 0`,
		key, holder, remoteID, micros(tx.time))
	if err == nil && n == 0 {
		return ErrClaimLost
	}
	return err
}

// Unclaim removes a claim after GitHub has refused the write.
func (tx *Tx) Unclaim(key, holder string) error {
	_, err := tx.exec(`DELETE FROM posted WHERE key = $1 AND holder = $2 AND done = 0`, key, holder)
	return err
}

// HasPosted reports whether a write was begun.
func (tx *Tx) HasPosted(key string) (bool, error) {
	n, err := one(tx, scanInt, `SELECT count(*) FROM posted WHERE key = $1`, key)
	return n > 0, err
}

// PostedOn returns the writes on a pull request, the oldest first.
func (tx *Tx) PostedOn(repository, pullRequest int64) ([]Posted, error) {
	return all(tx, scanPosted, `SELECT `+postedColumns+
		` FROM posted WHERE repository = $1 AND pull_request = $2 ORDER BY claimed, key`, repository, pullRequest)
}

// CountPosted counts the writes of a kind in a repository since a time, also unfinished ones, for
// its budget.
func (tx *Tx) CountPosted(repository int64, kind string, since time.Time) (int64, error) {
	return one(tx, scanInt, `SELECT count(*) FROM posted WHERE repository = $1 AND kind = $2 AND claimed >= $3`,
		repository, kind, micros(since))
}
