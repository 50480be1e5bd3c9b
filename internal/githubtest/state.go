package githubtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// State is all there is to see of a pull request, as GitHub would return it.
type State struct {
	Pull     Object   `json:"pull_request"`
	Files    []Object `json:"files"`
	Checks   []Object `json:"check_runs"` // of the head commit, of all Apps, oldest first
	Statuses []Object `json:"statuses"`
	Reviews  []Object `json:"reviews"`
	Inline   []Object `json:"review_comments"`
	Threads  []Thread `json:"review_threads"`
	Comments []Object `json:"comments"`
	Onto     []Object `json:"stacked_pull_requests"` // whose base is this one's branch
}

// Thread is a conversation on the diff, which REST does not know.
type Thread struct {
	ID       string  `json:"id"`
	Resolved bool    `json:"resolved"`
	Outdated bool    `json:"outdated"`
	Comments []int64 `json:"comments"`
}

// State reads everything about the pull request.
func (p *PullRequest) State(ctx context.Context) (State, error) {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	full, err := p.full(ctx)
	if err != nil {
		return State{}, err
	}
	files, err := p.files(ctx)
	if err != nil {
		return State{}, err
	}
	c := &call{s: p.repo.s, ctx: ctx, repo: p.repo}
	st := State{Pull: full, Files: views(files, func(f fileDiff) Object { return c.fileView(p.repo, f, p.headSha) }),
		Checks: []Object{}, Statuses: views(p.repo.statusesOf(p.headSha), (*status).view), Reviews: views(p.reviews, (*Review).view),
		Inline: views(p.visible(), c.inlineView), Comments: views(p.repo.commentsOn(p.Number), (*Comment).view), Onto: []Object{}}
	for _, u := range p.repo.suites {
		if u.sha == p.headSha {
			st.Checks = append(st.Checks, views(u.runs, (*CheckRun).view)...)
		}
	}
	for _, t := range p.threads {
		one := Thread{ID: t.node(), Resolved: t.resolved != nil}
		_, now := t.comments[0].now(ctx)
		one.Outdated = !now
		for _, k := range t.comments {
			one.Comments = append(one.Comments, k.id)
		}
		st.Threads = append(st.Threads, one)
	}
	for _, other := range p.repo.pulls {
		if p.head == p.repo && other.baseRef == p.headRef {
			st.Onto = append(st.Onto, other.simple())
		}
	}
	return st, nil
}

// PullRequests are those opened in the repository, oldest first.
func (r *Repository) PullRequests() []*PullRequest {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return slices.Clone(r.pulls)
}

// As reads an object, or several, into a type of go-github or of the caller's own.
func As[T any](from any) (T, error) {
	var into T
	raw, err := json.Marshal(from)
	if err != nil {
		return into, err
	}
	return into, json.Unmarshal(raw, &into)
}

// Reply answers an inline comment, as a person would.
func (p *PullRequest) Reply(_ context.Context, by *Account, comment int64, body string) error {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	for _, k := range p.visible() {
		if k.id == comment {
			v := p.addReview(by, "COMMENTED", "", p.headSha)
			v.addComment(k.spot, body, k.thread.comments[0])
			v.tell("submitted")
			return nil
		}
	}
	return fmt.Errorf("no inline comment %d", comment)
}

// ReviewLine comments on a line of the newest diff, as a person would.
func (p *PullRequest) ReviewLine(ctx context.Context, by *Account, path string, line int, body string) error {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	files, err := p.files(ctx)
	if err != nil {
		return err
	}
	s, o := anchor{Path: path, Line: &line}.find(files)
	if o.any() {
		return fmt.Errorf("line %d of %s: %s", line, path, o.sentence())
	}
	v := p.addReview(by, "COMMENTED", "", p.headSha)
	v.addComment(s, body, nil)
	v.tell("submitted")
	return nil
}

// Delete removes a fork: pull requests from it stay, with an unknown head.
func (r *Repository) Delete() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.s.repos = slices.DeleteFunc(r.s.repos, func(one *Repository) bool { return one == r })
	for _, other := range r.s.repos {
		for _, p := range other.pulls {
			if p.head == r {
				p.head = nil
			}
		}
	}
}
