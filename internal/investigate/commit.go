package investigate

import (
	"context"
	"strings"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/verdict"
)

// stacked opens a pull request with the fix into the pull request's branch. That is
// there only where the branch is in this repository; a fork's is not ours to push to.
func (t *telling) stacked(ctx context.Context, f *verdict.Fix) (int64, error) {
	client, repo := t.at.client, t.at.repo
	if t.pull.HeadRepository != repo.ID {
		return 0, errNoRung // no branch of this repository could be its base
	}
	if strings.HasPrefix(t.pull.HeadRef, "odfix/") {
		return 0, errNoRung // it is ours already: a fix of a fix of a fix has no end
	}
	if n, err := client.OwnPull(ctx, repo, f.Branch); err != nil || n != 0 {
		return n, err // of an earlier try
	}
	sha, err := client.Commit(ctx, repo, t.change(f))
	if err != nil {
		return 0, err
	}
	if err := client.MakeBranch(ctx, repo, f.Branch, sha); err != nil {
		return 0, err
	}
	return client.OpenPull(ctx, repo, f.Branch, t.pull.HeadRef, f.Title, f.Body)
}

// committed puts the fix on the pull request's branch. The push that this is has its
// own CI, and makes the investigation one of an older head.
func (t *telling) committed(ctx context.Context, f *verdict.Fix) (int64, error) {
	client, repo := t.at.client, t.at.repo
	if t.pull.HeadRepository != repo.ID {
		return 0, errNoRung // the token is for repositories of this installation
	}
	sha, err := client.Commit(ctx, repo, t.change(f))
	if err != nil {
		return 0, err
	}
	return t.i.PullRequest, client.Advance(ctx, repo, t.pull.HeadRef, sha)
}

func (t *telling) change(f *verdict.Fix) github.Change {
	return github.Change{Parent: t.i.HeadSHA, Message: f.Message, Files: f.Files, Removed: f.Removed}
}
