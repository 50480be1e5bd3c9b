package githubtest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

// PullSpec describes a pull request to be opened.
type PullSpec struct {
	Author    *Account
	Title     string
	Body      string
	Branch    string      // the head branch; it is made off the base branch where it is new
	From      *Repository // the fork the branch is in; nil: the same repository
	Base      string      // empty: the default branch
	Change    Change      // committed to the branch first, unless empty
	Draft     bool
	NoEdits   bool // the author does not let maintainers push to the branch
	CommitMsg string
}

// PullRequest is one, open or not.
type PullRequest struct {
	ID     int64
	Number int

	repo      *Repository
	head      *Repository // nil once the fork was deleted
	author    *Account
	title     string
	body      string
	headRef   string
	baseRef   string
	headSha   string
	baseSha   string
	mergeSha  string // of the test merge, or of the merge once merged
	mergeable bool
	unknown   int // so many reads still say that mergeability is not known
	draft     bool
	editable  bool
	created   time.Time
	updated   time.Time
	closed    time.Time
	merged    time.Time
	mergedBy  *Account
	reviews   []*Review
	inline    []*InlineComment
	threads   []*thread
	timeline  []string // head commits there were, oldest first
	diffs     map[string][]gitrepo.FileDiff
}

func (p *PullRequest) open() bool { return p.closed.IsZero() }

// OpenPullRequest commits the change to its branch and opens a pull request of it.
func (r *Repository) OpenPullRequest(ctx context.Context, spec PullSpec) (*PullRequest, error) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if spec.Author == nil || spec.Branch == "" {
		return nil, errors.New("a pull request needs an author and a branch")
	}
	head := spec.From
	if head == nil {
		head = r
	}
	if spec.Base == "" {
		spec.Base = r.Default
	}
	if spec.CommitMsg == "" {
		spec.CommitMsg = spec.Title
	}
	if len(spec.Change.Files)+len(spec.Change.Remove) > 0 {
		if _, err := head.commit(ctx, spec.Author, spec.Branch, spec.CommitMsg, spec.Change); err != nil {
			return nil, err
		}
	}
	return r.openPull(ctx, head, spec)
}

func (r *Repository) openPull(ctx context.Context, head *Repository, spec PullSpec) (*PullRequest, error) {
	sha, err := head.git.Resolve(ctx, "heads/"+spec.Branch)
	if err != nil {
		return nil, fmt.Errorf("branch %s of %s: %w", spec.Branch, head.FullName(), err)
	}
	r.numbers++
	p := &PullRequest{ID: r.s.id("pull"), Number: r.numbers, repo: r, head: head, author: spec.Author, title: spec.Title,
		body: spec.Body, headRef: spec.Branch, baseRef: spec.Base, draft: spec.Draft, editable: !spec.NoEdits && head != r,
		created: r.s.now(), updated: r.s.now(), diffs: map[string][]gitrepo.FileDiff{}}
	if err := p.follow(ctx, sha); err != nil {
		return nil, err
	}
	r.pulls = append(r.pulls, p)
	if head != r {
		r.openSuites(sha, "")
	}
	p.emit(ctx, "opened", p.author, nil)
	return p, nil
}

// follow takes a new head commit, and makes the test merge of it.
func (p *PullRequest) follow(ctx context.Context, sha string) error {
	if p.head != p.repo {
		if err := p.repo.git.Take(ctx, p.head.git, "+refs/heads/"+p.headRef+":"+p.ref("head")); err != nil {
			return err
		}
	} else if err := p.repo.git.SetRef(ctx, p.ref("head"), sha); err != nil {
		return err
	}
	p.headSha = sha
	p.timeline = append(p.timeline, sha)
	base, err := p.repo.git.Resolve(ctx, "heads/"+p.baseRef)
	if err != nil {
		return fmt.Errorf("base branch %s: %w", p.baseRef, err)
	}
	p.baseSha = base
	return p.testMerge(ctx)
}

func (p *PullRequest) ref(name string) string { return fmt.Sprintf("refs/pull/%d/%s", p.Number, name) }

// testMerge makes the commit that CI tests. Where there is a conflict the
// reference stays where it was, as on GitHub.
func (p *PullRequest) testMerge(ctx context.Context) error {
	p.unknown = p.repo.s.config.Quirks.MergeablePending
	base, err := p.repo.git.Resolve(ctx, "heads/"+p.baseRef)
	if err != nil {
		return err
	}
	tree, ok, err := p.repo.git.Merge(ctx, base, p.headSha)
	if err != nil {
		return err
	}
	if p.mergeable = ok; !ok {
		return nil
	}
	message := fmt.Sprintf("Merge %s into %s", p.headSha, base)
	if p.mergeSha, err = p.repo.commitTree(ctx, tree, message, p.author, base, p.headSha); err != nil {
		return err
	}
	return p.repo.git.SetRef(ctx, p.ref("merge"), p.mergeSha)
}

// pushed keeps pull requests up with a push to a branch.
func (s *Server) pushed(ctx context.Context, r *Repository, branch, before string, by *Account) error {
	for _, repo := range s.repos {
		for _, p := range repo.pulls {
			if !p.open() {
				continue
			}
			if p.head == r && p.headRef == branch {
				if err := p.synchronize(ctx, before, by); err != nil {
					return err
				}
			} else if repo == r && p.baseRef == branch {
				if err := p.testMerge(ctx); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// orphan closes the pull requests of a branch that was deleted.
func (s *Server) orphan(ctx context.Context, r *Repository, branch string, by *Account) {
	for _, repo := range s.repos {
		for _, p := range repo.pulls {
			if p.head == r && p.headRef == branch || repo == r && p.baseRef == branch {
				p.close(ctx, by)
			}
		}
	}
}

func (p *PullRequest) synchronize(ctx context.Context, before string, by *Account) error {
	sha, err := p.head.git.Resolve(ctx, "heads/"+p.headRef)
	if err != nil {
		return err
	}
	if err := p.follow(ctx, sha); err != nil {
		return err
	}
	p.updated = p.repo.s.now()
	if p.head != p.repo {
		p.repo.openSuites(sha, "")
	}
	p.emit(ctx, "synchronize", by, Object{"before": before, "after": sha})
	return nil
}

// Push adds a commit to the pull request's branch.
func (p *PullRequest) Push(ctx context.Context, message string, change Change) (string, error) {
	return p.head.Commit(ctx, p.author, p.headRef, message, change)
}

// ForcePush replaces the branch by one commit on top of the default branch.
func (p *PullRequest) ForcePush(ctx context.Context, message string, change Change) (string, error) {
	return p.head.ForcePush(ctx, p.author, p.headRef, message, change)
}

// Close closes it without merging.
func (p *PullRequest) Close(ctx context.Context, by *Account) {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	p.close(ctx, by)
}

func (p *PullRequest) close(ctx context.Context, by *Account) {
	if !p.open() {
		return
	}
	p.closed, p.updated = p.repo.s.now(), p.repo.s.now()
	p.emit(ctx, "closed", by, nil)
}

// Reopen opens it again.
func (p *PullRequest) Reopen(ctx context.Context, by *Account) {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	p.reopen(ctx, by)
}

func (p *PullRequest) reopen(ctx context.Context, by *Account) {
	if p.open() || !p.merged.IsZero() {
		return
	}
	p.closed, p.updated = time.Time{}, p.repo.s.now()
	p.emit(ctx, "reopened", by, nil)
}

// Merge merges it into its base branch.
func (p *PullRequest) Merge(ctx context.Context, by *Account) error {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	if !p.open() || !p.mergeable {
		return fmt.Errorf("pull request %d is closed, or conflicts with its base", p.Number)
	}
	base, err := p.repo.git.Resolve(ctx, "heads/"+p.baseRef)
	if err != nil {
		return err
	}
	p.closed, p.merged, p.mergedBy, p.updated = p.repo.s.now(), p.repo.s.now(), by, p.repo.s.now()
	if err := p.repo.move(ctx, "refs/heads/"+p.baseRef, base, p.mergeSha, by); err != nil {
		return err
	}
	p.emit(ctx, "closed", by, nil)
	return nil
}

// HeadSha is the newest commit of the pull request.
func (p *PullRequest) HeadSha() string { return locked(p.repo.s, func() string { return p.headSha }) }

// MergeSha is the merge of base and head that CI tests.
func (p *PullRequest) MergeSha() string { return locked(p.repo.s, func() string { return p.mergeSha }) }

// URL is its page on the web host.
func (p *PullRequest) URL() string { return fmt.Sprintf("%s/pull/%d", p.repo.page(), p.Number) }

// Repository is where it was opened.
func (p *PullRequest) Repository() *Repository { return p.repo }

func locked[T any](s *Server, read func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return read()
}

// files are what the pull request changes: from where its branch left the base
// branch to its head.
func (p *PullRequest) files(ctx context.Context) ([]gitrepo.FileDiff, error) {
	from, err := p.from(ctx)
	if err != nil {
		return nil, err
	}
	key := from + p.headSha
	if files, known := p.diffs[key]; known {
		return files, nil
	}
	files, err := p.repo.git.Diff(ctx, from, p.headSha)
	if err == nil {
		p.diffs[key] = files
	}
	return files, err
}

func (p *PullRequest) from(ctx context.Context) (string, error) {
	if !p.merged.IsZero() {
		return p.repo.git.MergeBase(ctx, p.baseSha, p.headSha)
	}
	base, err := p.repo.git.Resolve(ctx, "heads/"+p.baseRef)
	if err != nil {
		base = p.baseSha
	}
	return p.repo.git.MergeBase(ctx, base, p.headSha)
}
