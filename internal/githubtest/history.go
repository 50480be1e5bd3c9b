package githubtest

import (
	"context"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

// CommitDir adds a commit to a branch whose files are those of a folder, taken
// as git would; modes, and all that is in the branch besides, follow the folder.
// Where nothing differs the commit changes nothing.
func (r *Repository) CommitDir(ctx context.Context, by *Account, branch, message, dir string) (string, error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	before, err := r.git.Resolve(ctx, "heads/"+branch)
	parent := before
	if err != nil {
		if parent, err = r.git.Resolve(ctx, "heads/"+r.Default); err != nil {
			return "", err
		}
	}
	tree, err := r.git.Snapshot(ctx, dir)
	if err != nil {
		return "", err
	}
	sha, err := r.commitTree(ctx, tree, message, by, parent)
	if err != nil {
		return "", err
	}
	return sha, r.move(ctx, "refs/heads/"+branch, before, sha, by)
}

// Checks are all check runs of a commit as GitHub would return them, oldest
// first, each with its annotations.
func (r *Repository) Checks(sha string) []Object {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	all := []Object{}
	for _, u := range r.suites {
		if u.sha != sha {
			continue
		}
		for _, c := range u.runs {
			o := c.view()
			o["annotations"] = append([]annotation{}, c.annotations...)
			all = append(all, o)
		}
	}
	return all
}

// Commit is one commit of a pull request.
type Commit struct {
	Sha     string
	Message string
	Author  string // a login, where an account has the address
	When    time.Time
}

// Commits are those of the pull request, oldest first.
func (p *PullRequest) Commits(ctx context.Context) ([]Commit, error) {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	from, err := p.from(ctx)
	if err != nil {
		return nil, err
	}
	list, err := p.repo.git.Log(ctx, p.headSha, from, "", mostCommits)
	if err != nil {
		return nil, err
	}
	var out []Commit
	for i := range list {
		out = append(out, p.commit(list[len(list)-1-i]))
	}
	return out, nil
}

// mostCommits is how many commits of a pull request GitHub lists.
const mostCommits = 250

func (p *PullRequest) commit(c gitrepo.Commit) Commit {
	author := c.Author.Name
	if a := p.repo.s.accountByEmail(c.Author.Email); a != nil {
		author = a.Login
	}
	return Commit{Sha: c.Sha, Message: c.Message, Author: author, When: c.Committer.When}
}

// Heads are the head commits that the pull request has had, oldest first.
func (p *PullRequest) Heads() []string {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	return slices.Clone(p.timeline)
}
