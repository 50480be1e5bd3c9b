package store

import (
	"errors"
	"time"
)

// Posted is a write to GitHub.
type Posted struct {
	Key         string // once-only; says what is written, not when
	Repository  int64
	PullRequest int64
	Kind        string // "check", "review", "comment", …
	RemoteID    int64  // GitHub's id; 0 until it is Done
	Holder      string
	Claimed     time.Time
	Done        time.Time // zero until it is
}

const postedColumns = `key, repository, pull_request, kind, remote_id, holder, claimed, done`

func scanPosted(r rows) (Posted, error) {
	var p Posted
	var claimed, done int64
	err := r.Scan(&p.Key, &p.Repository, &p.PullRequest, &p.Kind, &p.RemoteID, &p.Holder, &claimed, &done)
	p.Claimed, p.Done = fromMicros(claimed), fromMicros(done)
	return p, err
}

// Claim is how a write to GitHub begins.
type Claim int

// What comes of a claim.
const (
	// Yours: nobody began it before. Write, then call Posted.
	Yours Claim = iota
	// Taken: somebody began it, and said nothing for so long that they count as
	// dead; they may have written. Look for the marker before you write.
	Taken
	// Theirs: somebody is at it. Come back later.
	Theirs
	// Already: it is written; RemoteID says where.
	Already
)

// ClaimPost asks for the right to do a write once. Patience is how long a
// claim without an answer is believed.
func (tx *Tx) ClaimPost(p Posted, patience time.Duration) (Posted, Claim, error) {
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
		p.Key, p.Holder, micros(tx.time), micros(tx.time.Add(-patience)))
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

// ErrClaimLost: the claim was given to somebody else meanwhile.
var ErrClaimLost = errors.New("the write was claimed by somebody else")

// Posted notes that GitHub has it, under this id.
func (tx *Tx) Posted(key, holder string, remoteID int64) error {
	n, err := tx.exec(`UPDATE posted SET remote_id = $3, done = $4 WHERE key = $1 AND holder = $2 AND done = 0`, key, holder, remoteID, micros(tx.time))
	if err == nil && n == 0 {
		return ErrClaimLost
	}
	return err
}

// Unclaim gives a claim back: GitHub refused the write, so that nothing is there.
func (tx *Tx) Unclaim(key, holder string) error {
	_, err := tx.exec(`DELETE FROM posted WHERE key = $1 AND holder = $2 AND done = 0`, key, holder)
	return err
}

// PostedOn are the writes on a pull request, the oldest first.
func (tx *Tx) PostedOn(repository, pullRequest int64) ([]Posted, error) {
	return all(tx, scanPosted, `SELECT `+postedColumns+` FROM posted WHERE repository = $1 AND pull_request = $2 ORDER BY claimed, key`, repository, pullRequest)
}

// CountPosted is how many writes of a kind a repository got since then, those
// under way included, for its budget.
func (tx *Tx) CountPosted(repository int64, kind string, since time.Time) (int64, error) {
	return one(tx, scanInt, `SELECT count(*) FROM posted WHERE repository = $1 AND kind = $2 AND claimed >= $3`, repository, kind, micros(since))
}
