package store

import (
	"errors"
	"time"
)

// PullRequest is a pull request of a base repository.
type PullRequest struct {
	Repository     int64
	Number         int64
	HeadSHA        string
	HeadRepository int64 // of a fork: not Repository; 0: the fork was deleted
	HeadRef        string
	BaseRef        string
	Open           bool
	Updated        time.Time // GitHub's updated_at
}

const pullColumns = `repository, number, head_sha, head_repository, head_ref, base_ref, is_open, updated`

func scanPull(r rows) (PullRequest, error) {
	var p PullRequest
	var open, updated int64
	err := r.Scan(&p.Repository, &p.Number, &p.HeadSHA, &p.HeadRepository, &p.HeadRef, &p.BaseRef, &open, &updated)
	p.Open, p.Updated = open != 0, fromMicros(updated)
	return p, err
}

// SavePullRequest saves a pull request, unless a newer version is saved: deliveries come in any
// order. It supersedes investigations of other heads. If the pull request is closed, it cancels
// those of this head. It returns them, so that the caller can stop their runners.
func (tx *Tx) SavePullRequest(p PullRequest) ([]Investigation, error) {
	if p.Repository == 0 || p.Number == 0 || p.HeadSHA == "" {
		return nil, errors.New("store: a pull request without repository, number or head")
	}
	_, err := tx.exec(`INSERT INTO pull_request_head (repository, head_sha, number, seen) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		p.Repository, p.HeadSHA, p.Number, micros(tx.time))
	if err != nil {
		return nil, err
	}
	n, err := tx.exec(`INSERT INTO pull_request (`+pullColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (repository, number) DO UPDATE SET head_sha = excluded.head_sha, head_repository = excluded.head_repository,
			head_ref = excluded.head_ref, base_ref = excluded.base_ref, is_open = excluded.is_open, updated = excluded.updated
		WHERE excluded.updated >= pull_request.updated`,
		p.Repository, p.Number, p.HeadSHA, p.HeadRepository, p.HeadRef, p.BaseRef, flag(p.Open), micros(p.Updated))
	if err != nil || n == 0 {
		return nil, err
	}
	return tx.leave(p)
}

// leave ends the investigations that a pull request no longer needs.
func (tx *Tx) leave(p PullRequest) ([]Investigation, error) {
	list, err := all(tx, scanInvestigation, `SELECT `+investigationColumns+` FROM investigation
		WHERE repository = $1 AND pull_request = $2 AND state IN ('collecting', 'queued', 'running', 'reporting')`, p.Repository, p.Number)
	if err != nil {
		return nil, err
	}
	var left []Investigation
	for _, i := range list {
		c := Change{To: Cancelled, Reason: "the pull request was closed"}
		switch {
		case i.HeadSHA != p.HeadSHA:
			c = Change{To: Superseded, By: p.HeadSHA, Reason: "superseded by a newer push"}
		case p.Open:
			continue
		}
		switch i, err := tx.Move(i.ID, c); {
		case err == nil:
			left = append(left, i)
		case !errors.Is(err, ErrState): // it has just ended
			return nil, err
		}
	}
	return left, nil
}

// PullRequestsAt returns the open pull requests with this head. There can be several: a branch can
// be merged into two others.
func (tx *Tx) PullRequestsAt(repository int64, headSHA string) ([]PullRequest, error) {
	return all(tx, scanPull, `SELECT `+pullColumns+` FROM pull_request WHERE repository = $1 AND is_open = 1 AND head_sha = $2
		AND number IN (SELECT number FROM pull_request_head WHERE repository = $1 AND head_sha = $2) ORDER BY number`, repository, headSHA)
}

// WasHead reports whether the commit has ever been the head of a pull request of a branch of
// headRepository; 0: of any repository.
func (tx *Tx) WasHead(repository int64, headSHA string, headRepository int64) (bool, error) {
	n, err := one(tx, scanInt, `SELECT count(*) FROM pull_request_head h JOIN pull_request p ON p.repository = h.repository AND p.number = h.number
		WHERE h.repository = $1 AND h.head_sha = $2 AND ($3 = 0 OR p.head_repository = $3)`, repository, headSHA, headRepository)
	return n > 0, err
}

// OpenPullRequests returns the open pull requests of a repository.
func (tx *Tx) OpenPullRequests(repository int64) ([]PullRequest, error) {
	return all(tx, scanPull, `SELECT `+pullColumns+` FROM pull_request WHERE repository = $1 AND is_open = 1 ORDER BY number`, repository)
}
