package store

import (
	"cmp"
	"time"
)

// Approval is a maintainer's permission to run the code of one commit of a pull request.
type Approval struct {
	Repository, PullRequest int64
	HeadSHA                 string
	By                      string // login
}

// Approve saves an approval. The first one of a commit counts.
func (tx *Tx) Approve(a Approval) error {
	_, err := tx.exec(`INSERT INTO approval (repository, pull_request, head_sha, approver, approved) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT DO NOTHING`, a.Repository, a.PullRequest, a.HeadSHA, a.By, micros(tx.time))
	return err
}

// Approved reports whether the commit of the pull request is approved.
func (tx *Tx) Approved(repository, pullRequest int64, headSHA string) (bool, error) {
	n, err := one(tx, scanInt, `SELECT count(*) FROM approval WHERE repository = $1 AND pull_request = $2 AND head_sha = $3`,
		repository, pullRequest, headSHA)
	return n > 0, err
}

// unknownAuthor stands for all authors without an id of GitHub, which deleted accounts can be. In the
// database, 0 is an investigation that counts for nobody.
const unknownAuthor = -1

// CountForAuthor lets an investigation count for the limit of its pull request's author; 0: one that
// is not known.
func (tx *Tx) CountForAuthor(id string, author int64) error {
	_, err := tx.exec(`UPDATE investigation SET author = $2 WHERE id = $1`, id, cmp.Or(author, unknownAuthor))
	return err
}

// CountOfAuthor counts an author's investigations in a repository since a time. All authors that are not
// known count as one.
func (tx *Tx) CountOfAuthor(repository, author int64, since time.Time) (int64, error) {
	return one(tx, scanInt, `SELECT count(*) FROM investigation WHERE repository = $1 AND created >= $2 AND author = $3`,
		repository, micros(since), cmp.Or(author, unknownAuthor))
}
