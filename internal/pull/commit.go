package pull

import (
	"context"
	"strings"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/verdict"
)

// stacked opens a pull request with the fix into the pull request's branch, which must be in this
// repository: the App cannot push to a fork.
func (t *Publication) stacked(ctx context.Context, f *verdict.Fix) (int64, error) {
	client, repo := t.Client, t.Repo
	if t.Pull.HeadRepository != repo.ID {
		return 0, ErrNoRung // its base would be a branch of the fork
	}
	if strings.HasPrefix(t.Pull.HeadRef, "odfix/") {
		return 0, ErrNoRung // the pull request is odfix's own: fixes of fixes would not end
	}
	if n, err := client.OwnPull(ctx, repo, f.Branch); err != nil || n != 0 {
		return n, err // opened by an earlier attempt
	}
	sha, err := client.Commit(ctx, repo, t.change(f))
	if err != nil {
		return 0, err
	}
	if err := client.MakeBranch(ctx, repo, f.Branch, sha); err != nil {
		return 0, err
	}
	return client.OpenPull(ctx, repo, f.Branch, t.Pull.HeadRef, f.Title, f.Body)
}

// committed commits the fix to the pull request's branch. This push has its own CI and supersedes
// the investigation.
func (t *Publication) committed(ctx context.Context, f *verdict.Fix) (int64, error) {
	client, repo := t.Client, t.Repo
	if t.Pull.HeadRepository != repo.ID {
		return 0, ErrNoRung // the token is for this installation's repositories
	}
	sha, err := client.Commit(ctx, repo, t.change(f))
	if err != nil {
		return 0, err
	}
	return t.Pull.Number, client.Advance(ctx, repo, t.Pull.HeadRef, sha)
}

func (t *Publication) change(f *verdict.Fix) github.Change {
	return github.Change{Parent: t.HeadSHA, Message: f.Message, Files: f.Files, Removed: f.Removed}
}
