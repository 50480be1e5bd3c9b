package githubtest

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// State is a pull request as GitHub's REST API returns it.
type State struct {
	Pull     Object   `json:"pull_request"`
	Files    []Object `json:"files"`
	Checks   []Object `json:"check_runs"` // of the head commit, of all Apps, oldest first
	Reviews  []Object `json:"reviews"`
	Inline   []Object `json:"review_comments"`
	Comments []Object `json:"comments"`
	Onto     []Object `json:"stacked_pull_requests"` // their base is this one's branch
}

// State reads the pull request and everything that belongs to it.
func (p *PullRequest) State(ctx context.Context) (State, error) {
	defer p.repo.s.lock()()
	full, err := p.full(ctx)
	if err != nil {
		return State{}, err
	}
	files, err := p.files(ctx)
	if err != nil {
		return State{}, err
	}
	st := State{Pull: full, Files: views(files, p.fileView), Checks: views(p.repo.checksOf(p.headSha), (*CheckRun).view),
		Reviews: views(p.reviews, (*Review).view), Inline: views(p.inline, func(k *InlineComment) Object { return k.view(ctx) }),
		Comments: views(p.comments, (*Comment).view), Onto: []Object{}}
	for _, other := range p.repo.pulls {
		if p.head == p.repo && other.baseRef == p.headRef {
			st.Onto = append(st.Onto, other.simple())
		}
	}
	return st, nil
}

// PullRequests returns the repository's pull requests, oldest first.
func (r *Repository) PullRequests() []*PullRequest {
	defer r.s.lock()()
	return slices.Clone(r.pulls)
}

// As converts an object, or several, into a type of go-github or of the caller's own.
func As[T any](from any) (T, error) {
	var into T
	raw, err := json.Marshal(from)
	if err != nil {
		return into, err
	}
	return into, json.Unmarshal(raw, &into)
}

// Checks returns all check runs of a commit as the REST API does, oldest first, each with its
// annotations.
func (r *Repository) Checks(sha string) []Object {
	defer r.s.lock()()
	return views(r.checksOf(sha), func(c *CheckRun) Object {
		o := c.view()
		o["annotations"] = append([]annotation{}, c.annotations...)
		return o
	})
}

// Commit is a commit of a pull request.
type Commit struct {
	Sha     string
	Message string
	Author  string // the login of the account with that address, or the name
	When    time.Time
}

// Commits returns the commits of the pull request, oldest first.
func (p *PullRequest) Commits(ctx context.Context) ([]Commit, error) {
	defer p.repo.s.lock()()
	from, err := p.from(ctx)
	if err != nil {
		return nil, err
	}
	list, err := p.repo.git.Log(ctx, p.headSha, from, listedCommits)
	var out []Commit
	for _, c := range slices.Backward(list) {
		author := c.Author.Name
		if a := p.repo.s.accountByEmail(c.Author.Email); a != nil {
			author = a.Login
		}
		out = append(out, Commit{Sha: c.Sha, Message: c.Message, Author: author, When: c.Committer.When})
	}
	return out, err
}

// Heads returns all head commits of the pull request so far, oldest first.
func (p *PullRequest) Heads() []string {
	defer p.repo.s.lock()()
	return slices.Clone(p.timeline)
}
