package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Investigation examines why the tests of one push failed.
type Investigation struct {
	ID           string
	Installation int64
	Repository   int64
	PullRequest  int64
	HeadSHA      string
	Round        int64 // 1, then one more for each retry of the same head
	State        State
	SupersededBy string // head sha
	Reason       string // why it ended, for people
	Attempt      int64  // how often a runner has taken it
	Holder       string // of the lease
	Heartbeat    time.Time
	Deadline     time.Time
	Created      time.Time
	Updated      time.Time
}

const investigationColumns = `id, installation, repository, pull_request, head_sha, round, state, superseded_by, reason, attempt, holder, heartbeat, deadline, created, updated`

func scanInvestigation(r rows) (Investigation, error) {
	var i Investigation
	var heartbeat, deadline, created, updated int64
	err := r.Scan(&i.ID, &i.Installation, &i.Repository, &i.PullRequest, &i.HeadSHA, &i.Round, &i.State,
		&i.SupersededBy, &i.Reason, &i.Attempt, &i.Holder,
		&heartbeat, &deadline, &created, &updated)
	i.Heartbeat, i.Deadline, i.Created, i.Updated = fromMicros(heartbeat), fromMicros(deadline), fromMicros(created), fromMicros(updated)
	return i, err
}

var (
	// ErrStale means that the commit is no longer the head of an open pull request.
	ErrStale = errors.New("the commit is not the head of this pull request now")
	// ErrState means that the investigation's state does not allow the change.
	ErrState = errors.New("the investigation's state does not allow it")
	// ErrLeaseLost means that another holder has the investigation, or that it has ended. Stop the
	// runner.
	ErrLeaseLost = errors.New("the investigation has another holder, or has ended")
)

// Push is the push that an investigation is about.
type Push struct {
	Installation, Repository, PullRequest int64
	HeadSHA                               string
	// Lifetime is the time until the investigation expires.
	Lifetime time.Duration
	// Again opens another round if the last one of this head has ended.
	Again bool
	By    string // the login of the person who asked for it; empty: CI failed
}

// OpenInvestigation returns the push's investigation: the existing one (created is false), or a new
// one. So a push has one investigation, no matter how many of its jobs fail and how often each is
// delivered. It returns ErrStale if the saved pull request has another head: save the pull request
// first.
func (tx *Tx) OpenInvestigation(p Push) (i Investigation, created bool, err error) {
	if p.Lifetime <= 0 {
		return i, false, errors.New("store: an investigation needs a lifetime")
	}
	// This update changes nothing, but locks the row. So two replicas, or a push that arrives now,
	// take turns.
	n, err := tx.exec(`UPDATE pull_request SET number = number WHERE repository = $1 AND number = $2 AND head_sha = $3 AND is_open = 1`, p.Repository, p.PullRequest, p.HeadSHA)
	if err != nil {
		return i, false, err
	}
	if n == 0 {
		return i, false, ErrStale
	}
	last, err := one(tx, scanInvestigation, `SELECT `+investigationColumns+` FROM investigation
		WHERE repository = $1 AND pull_request = $2 AND head_sha = $3 ORDER BY round DESC LIMIT 1`, p.Repository, p.PullRequest, p.HeadSHA)
	switch {
	case errors.Is(err, ErrNotFound):
	case err != nil:
		return i, false, err
	case !p.Again || !last.State.Ended():
		return last, false, nil
	}
	i = Investigation{
		ID: newID(), Installation: p.Installation, Repository: p.Repository, PullRequest: p.PullRequest,
		HeadSHA: p.HeadSHA, Round: last.Round + 1,
		State: Collecting, Deadline: fromMicros(micros(tx.time.Add(p.Lifetime))), Created: fromMicros(micros(tx.time)),
		Updated: fromMicros(micros(tx.time)),
	}
	_, err = tx.exec(`INSERT INTO investigation (`+investigationColumns+
		`) VALUES ($1, $2, $3, $4, $5, $6, $7, '', '', 0, '', 0, $8, $9, $9)`,
		i.ID, i.Installation, i.Repository, i.PullRequest, i.HeadSHA, i.Round, i.State, micros(i.Deadline), micros(i.Created))
	if err == nil {
		_, err = tx.Record(Audit{Event: AuditOpened, Installation: i.Installation, Repository: i.Repository, PullRequest: i.PullRequest,
			Commit: i.HeadSHA, Investigation: i.ID, Login: p.By})
	}
	return i, err == nil, err
}

// newID is 128 random bits, so ids of several replicas differ.
func newID() string { return strings.ToLower(rand.Text()) }

// Investigation finds an investigation.
func (tx *Tx) Investigation(id string) (Investigation, error) {
	return one(tx, scanInvestigation, `SELECT `+investigationColumns+` FROM investigation WHERE id = $1`, id)
}

// Locked finds an investigation that nobody else changes before this transaction ends. What a
// transaction writes because of an investigation's state needs it. The transaction must be one that writes.
func (tx *Tx) Locked(id string) (Investigation, error) {
	lock := "" // SQLite has one writer
	if tx.postgres {
		lock = ` FOR NO KEY UPDATE`
	}
	return one(tx, scanInvestigation, `SELECT `+investigationColumns+` FROM investigation WHERE id = $1`+lock, id)
}

// Investigations returns those of a pull request, the newest first.
func (tx *Tx) Investigations(repository, pullRequest int64) ([]Investigation, error) {
	return all(tx, scanInvestigation, `SELECT `+investigationColumns+
		` FROM investigation WHERE repository = $1 AND pull_request = $2 ORDER BY created DESC, round DESC`, repository, pullRequest)
}

// Change is a change of state that states.go allows.
type Change struct {
	To     State
	Reason string // for people
	By     string // with Superseded: the new head sha
	// Holder restricts the change to the holder of the lease; empty: anyone.
	Holder string
	// From restricts the change to one earlier state; empty: any.
	From State
	// Uncounted takes back that an attempt was counted.
	Uncounted bool
}

// Move changes an investigation's state. It returns ErrState if states.go does not allow that, and
// ErrLeaseLost if another holder has the lease. Only Take makes it Running.
func (tx *Tx) Move(id string, c Change) (Investigation, error) {
	if c.To == Running {
		return Investigation{}, errors.New("store: only Take makes an investigation Running")
	}
	from := before(c.To)
	if len(from) == 0 { // PostgreSQL does not parse IN ()
		return tx.refused(id, c)
	}
	reason := storable(c.Reason[:min(len(c.Reason), maxReason)])
	args := []any{id, string(c.To), reason, c.By, micros(tx.time), c.Holder, string(c.From), flag(c.Uncounted)}
	i, err := one(tx, scanInvestigation, `UPDATE investigation SET state = $2, reason = $3, superseded_by = $4, updated = $5, attempt = attempt - $8
		WHERE id = $1 AND ($6 = '' OR holder = $6) AND ($7 = '' OR state = $7) AND state IN (`+list(from)+`) RETURNING `+investigationColumns, args...)
	if errors.Is(err, ErrNotFound) {
		return tx.refused(id, c)
	}
	return i, err
}

// maxReason bounds the reason of a change, which a worker can write.
const maxReason = 8 << 10

// refused returns the reason why a change was not made.
func (tx *Tx) refused(id string, c Change) (Investigation, error) {
	i, err := tx.Investigation(id)
	switch {
	case err != nil:
		return i, fmt.Errorf("investigation %s: %w", id, err)
	case c.Holder != "" && (i.Holder != c.Holder || i.State.Ended()):
		return i, ErrLeaseLost
	}
	return i, fmt.Errorf("%w: from %s to %s", ErrState, i.State, c.To)
}

// list are states as SQL. They are constants, so nothing is quoted.
func list(states []State) string {
	var b strings.Builder
	for i, s := range states {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("'" + string(s) + "'")
	}
	return b.String()
}
