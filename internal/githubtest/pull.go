package githubtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

var pullTable = []entry{
	{"pulls/list", onRepository, "pull_requests:read", (*call).listPulls},
	{"pulls/create", onRepository, "pull_requests:write", (*call).createPull},
	{"pulls/get", onRepository, "pull_requests:read", with((*call).pull, (*call).getPull)},
	{"pulls/list-files", onRepository, "pull_requests:read", with((*call).pull, (*call).pullFiles)},
}

// PullSpec describes a pull request.
type PullSpec struct {
	Author *Account
	Title  string
	Body   string
	Branch string      // the head branch
	Base   string      // the branch to merge into; empty: the default branch
	From   *Repository // the fork with the branch; nil: the same repository
	Change Change      // committed to the branch first, unless empty
}

// PullRequest is a pull request.
type PullRequest struct {
	ID     int64
	Number int

	repo      *Repository
	head      *Repository
	author    *Account
	title     string
	body      string
	headRef   string
	baseRef   string
	headSha   string
	baseSha   string
	mergeSha  string // of the test merge
	mergeable bool
	unknown   int // how many reads still answer that mergeability is unknown
	created   time.Time
	updated   time.Time
	closed    time.Time // zero: open
	comments  []*Comment
	reviews   []*Review
	inline    []*InlineComment
	timeline  []string // head commits so far, oldest first
	labels    []string
	diffs     map[string][]gitrepo.FileDiff
}

// OpenPullRequest commits the change to its branch and opens a pull request of it.
func (r *Repository) OpenPullRequest(ctx context.Context, spec PullSpec) (*PullRequest, error) {
	defer r.s.lock()()
	if spec.Author == nil || spec.Branch == "" {
		return nil, errors.New("a pull request needs an author and a branch")
	}
	head := spec.From
	head = cmp.Or(head, r)
	if len(spec.Change.Files)+len(spec.Change.Remove) > 0 {
		if _, err := head.commit(ctx, spec.Author, spec.Branch, spec.Title, spec.Change); err != nil {
			return nil, err
		}
	}
	return r.openPull(ctx, &PullRequest{head: head, author: spec.Author, title: spec.Title, body: spec.Body,
		headRef: spec.Branch, baseRef: cmp.Or(spec.Base, mainBranch)})
}

func (r *Repository) openPull(ctx context.Context, p *PullRequest) (*PullRequest, error) {
	p.repo, p.ID, p.Number, p.created, p.updated = r, r.s.id("pull"), len(r.pulls)+1, r.s.now(), r.s.now()
	p.diffs = map[string][]gitrepo.FileDiff{}
	sha, err := p.head.git.Resolve(ctx, "heads/"+p.headRef)
	if err != nil {
		return nil, fmt.Errorf("branch %s of %s: %w", p.headRef, p.head.FullName(), err)
	}
	if err := p.follow(ctx, sha); err != nil {
		return nil, err
	}
	r.pulls = append(r.pulls, p)
	p.emit(ctx, "opened", p.author, nil)
	return p, nil
}

// follow updates the pull request to a new head commit, and makes the test merge.
func (p *PullRequest) follow(ctx context.Context, sha string) error {
	if p.head == p.repo {
		if err := p.repo.git.SetRef(ctx, p.ref("head"), sha); err != nil {
			return err
		}
	} else {
		if err := p.repo.git.Take(ctx, p.head.git, "+refs/heads/"+p.headRef+":"+p.ref("head")); err != nil {
			return err
		}
		p.repo.openSuites(sha, "")
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

// testMerge makes the commit that CI tests. In a conflict, the reference does not change.
func (p *PullRequest) testMerge(ctx context.Context) error {
	p.unknown = p.repo.s.config.Quirks.MergeablePending
	base, err := p.repo.git.Resolve(ctx, "heads/"+p.baseRef)
	if err != nil {
		return err
	}
	tree, ok, err := p.repo.git.Merge(ctx, base, p.headSha)
	if p.mergeable = ok; !ok {
		return err
	}
	message := fmt.Sprintf("Merge %s into %s", p.headSha, base)
	if p.mergeSha, err = p.repo.git.Commit(ctx, tree, message, p.repo.signature(p.author), base, p.headSha); err != nil {
		return err
	}
	return p.repo.git.SetRef(ctx, p.ref("merge"), p.mergeSha)
}

// updatePulls updates the pull requests of a branch after a push to it.
func (s *Server) updatePulls(ctx context.Context, r *Repository, branch, before string, by *Account) error {
	for _, repo := range s.repos {
		for _, p := range repo.pulls {
			var err error
			if p.state() == "open" && p.head == r && p.headRef == branch {
				err = p.synchronize(ctx, before, by)
			} else if repo == r && p.baseRef == branch {
				err = p.testMerge(ctx)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
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
	p.emit(ctx, "synchronize", by, Object{"before": before, "after": sha})
	return nil
}

// Push adds a commit to the pull request's branch.
func (p *PullRequest) Push(ctx context.Context, message string, change Change) (string, error) {
	return p.head.Commit(ctx, p.author, p.headRef, message, change)
}

// Label adds a label to the pull request, as a person does.
func (p *PullRequest) Label(ctx context.Context, by *Account, name string) {
	defer p.repo.s.lock()()
	p.labels, p.updated = append(p.labels, name), p.repo.s.now()
	list := p.repo.labels(p.labels)
	p.emit(ctx, "labeled", by, Object{"label": list[len(list)-1]})
}

// Close closes the pull request without merging it.
func (p *PullRequest) Close(ctx context.Context, by *Account) {
	defer p.repo.s.lock()()
	p.closed, p.updated = p.repo.s.now(), p.repo.s.now()
	p.emit(ctx, "closed", by, nil)
}

func (p *PullRequest) state() string {
	if p.closed.IsZero() {
		return "open"
	}
	return "closed"
}

// HeadSha is the newest commit of the pull request.
func (p *PullRequest) HeadSha() string {
	defer p.repo.s.lock()()
	return p.headSha
}

// MergeSha is the merge of base and head that CI tests.
func (p *PullRequest) MergeSha() string {
	defer p.repo.s.lock()()
	return p.mergeSha
}

// URL is its page on the web host.
func (p *PullRequest) URL() string { return fmt.Sprintf("%s/pull/%d", p.repo.page(), p.Number) }

// Repository is the repository of the base branch.
func (p *PullRequest) Repository() *Repository { return p.repo }

// files are the changes from the commit where the branch began to its head.
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

// from is the commit at which the head branch left the base branch.
func (p *PullRequest) from(ctx context.Context) (string, error) {
	return p.repo.git.MergeBase(ctx, "refs/heads/"+p.baseRef, p.headSha)
}

func (r *Repository) pull(number int64) *PullRequest {
	if number < 1 || number > int64(len(r.pulls)) {
		return nil
	}
	return r.pulls[number-1]
}

// pull finds the pull request of the path, which can name it as an issue.
func (c *call) pull() (*PullRequest, error) {
	if p := c.repo.pull(c.number("pull_number") + c.number("issue_number")); p != nil {
		return p, nil
	}
	return nil, notFound()
}

// listPulls lists pull requests, newest first. As on GitHub, a head without an owner is ignored.
func (c *call) listPulls() (answer, error) {
	q := c.r.URL.Query()
	owner, branch, ofHead := strings.Cut(q.Get("head"), ":")
	state := cmp.Or(q.Get("state"), "open")
	var all []*PullRequest
	for _, p := range slices.Backward(c.repo.pulls) {
		if (state == "all" || p.state() == state) && (!ofHead || p.headRef == branch && strings.EqualFold(p.head.owner.Login, owner)) {
			all = append(all, p)
		}
	}
	if q.Get("sort") == "updated" {
		slices.SortStableFunc(all, func(a, b *PullRequest) int { return b.updated.Compare(a.updated) })
	}
	return list(c, all, (*PullRequest).simple)
}

func (c *call) getPull(p *PullRequest) (answer, error) {
	full, err := p.full(c.ctx)
	p.unknown = max(p.unknown-1, 0)
	return ok(full), err
}

// createPull opens a pull request between two branches of the repository.
func (c *call) createPull() (answer, error) {
	var in struct{ Title, Body, Head, Base string }
	c.decode(&in)
	bad := func(o Object) error {
		o["resource"] = "PullRequest"
		return invalid(o)
	}
	tip, err := c.repo.git.Resolve(c.ctx, "heads/"+in.Head)
	if err != nil {
		return answer{}, bad(Object{"field": "head", "code": "invalid"})
	}
	onto, err := c.repo.git.Resolve(c.ctx, "heads/"+in.Base)
	if err != nil {
		return answer{}, bad(Object{"field": "base", "code": "invalid"})
	}
	if n, err := c.repo.git.Count(c.ctx, tip, onto); err == nil && n == 0 {
		return answer{}, bad(Object{"code": "custom", "message": fmt.Sprintf("No commits between %s and %s", in.Base, in.Head)})
	}
	for _, p := range c.repo.pulls {
		if p.state() == "open" && p.head == c.repo && p.headRef == in.Head && p.baseRef == in.Base {
			return answer{}, bad(Object{"code": "custom",
				"message": fmt.Sprintf("A pull request already exists for %s:%s.", c.repo.owner.Login, in.Head)})
		}
	}
	p, err := c.repo.openPull(c.ctx, &PullRequest{head: c.repo, author: c.actor(), title: in.Title,
		body: in.Body, headRef: in.Head, baseRef: in.Base})
	if err != nil {
		return answer{}, err
	}
	full, err := p.full(c.ctx)
	return created(full), err
}

// actor is the bot of the App that sent the request.
func (c *call) actor() *Account { return c.by.token.installation.app.Bot }

func (c *call) pullFiles(p *PullRequest) (answer, error) {
	files, err := p.files(c.ctx)
	if err != nil {
		return answer{}, err
	}
	return list(c, files[:min(len(files), listedFiles)], p.fileView)
}

// fileView is one changed file. A file has no patch if it is binary, is only renamed, or has too
// many changed lines.
func (p *PullRequest) fileView(f gitrepo.FileDiff) Object {
	r := p.repo
	o := Object{"sha": f.Sha, "filename": f.Path, "status": f.Status, "additions": f.Additions, "deletions": f.Deletions,
		"changes": f.Additions + f.Deletions, "blob_url": r.page() + "/blob/" + p.headSha + "/" + escape(f.Path),
		"raw_url":      r.page() + "/raw/" + p.headSha + "/" + escape(f.Path),
		"contents_url": r.api() + "/contents/" + escape(f.Path) + "?ref=" + p.headSha}
	if f.Previous != "" {
		o["previous_filename"] = f.Previous
	}
	if f.Patch != "" && strings.Count(f.Patch, "\n") <= patchLines {
		o["patch"] = f.Patch
	}
	return o
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
