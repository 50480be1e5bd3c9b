package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

var pullTable = []entry{
	{"pulls/list", onRepository, "pull_requests:read", (*call).listPulls},
	{"pulls/create", onRepository, "pull_requests:write", (*call).createPull},
	{"pulls/get", onRepository, "pull_requests:read", withPull((*call).getPull)},
	{"pulls/update", onRepository, "pull_requests:write", withPull((*call).updatePull)},
	{"pulls/list-commits", onRepository, "pull_requests:read", withPull((*call).pullCommits)},
	{"pulls/list-files", onRepository, "pull_requests:read", withPull((*call).pullFiles)},
	{"repos/list-pull-requests-associated-with-commit", onRepository, "pull_requests:read", (*call).commitPulls},
	{"issues/get", onRepository, "issues:read|pull_requests:read", (*call).getIssue},
}

func (r *Repository) pull(number int64) *PullRequest {
	for _, p := range r.pulls {
		if int64(p.Number) == number {
			return p
		}
	}
	return nil
}

func withPull(do func(*call, *PullRequest) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		p := c.repo.pull(c.number("pull_number"))
		if p == nil {
			return answer{}, notFound()
		}
		return do(c, p)
	}
}

// listPulls filters as GitHub does: a head without an owner is ignored.
func (c *call) listPulls() (answer, error) {
	q := c.r.URL.Query()
	state, owner, branch := q.Get("state"), "", ""
	if state == "" {
		state = "open"
	}
	if o, b, ok := strings.Cut(q.Get("head"), ":"); ok {
		owner, branch = o, b
	}
	var all []*PullRequest
	for _, p := range c.repo.pulls {
		fits := (state == "all" || p.state() == state) && (q.Get("base") == "" || q.Get("base") == p.baseRef)
		if branch != "" {
			fits = fits && p.headRef == branch && p.head != nil && strings.EqualFold(p.head.owner.Login, owner)
		}
		if fits {
			all = append(all, p)
		}
	}
	if q.Get("sort") == "updated" {
		slices.SortStableFunc(all, func(a, b *PullRequest) int { return a.updated.Compare(b.updated) })
	}
	if q.Get("direction") != "asc" {
		slices.Reverse(all)
	}
	return list(c, all, (*PullRequest).simple)
}

// getPull answers in the media type asked for: JSON, a diff or mailed patches.
func (c *call) getPull(p *PullRequest) (answer, error) {
	accept := c.r.Header.Get("Accept")
	switch {
	case strings.Contains(accept, "diff"):
		return c.diff(p)
	case strings.Contains(accept, "patch"):
		from, err := p.from(c.ctx)
		if err != nil {
			return answer{}, err
		}
		mail, err := p.repo.git.Mail(c.ctx, from, p.headSha)
		return answer{status: http.StatusOK, raw: []byte(mail), media: "application/vnd.github.patch; charset=utf-8"}, err
	}
	full, err := p.full(c.ctx)
	p.unknown = max(p.unknown-1, 0)
	return ok(full), err
}

func (c *call) diff(p *PullRequest) (answer, error) {
	files, err := p.files(c.ctx)
	if err != nil {
		return answer{}, err
	}
	var text strings.Builder
	for _, f := range files {
		text.WriteString(f.Raw)
	}
	l := c.s.config.Limits
	what := ""
	switch {
	case len(files) > l.DiffFiles:
		what = fmt.Sprintf("files (%d)", l.DiffFiles)
	case strings.Count(text.String(), "\n") > l.DiffLines:
		what = fmt.Sprintf("lines (%d)", l.DiffLines)
	}
	if what != "" {
		return answer{}, &problem{status: http.StatusNotAcceptable, docs: "https://docs.github.com/rest/pulls/pulls#list-pull-requests-files",
			message: "Sorry, the diff exceeded the maximum number of " + what + ". Consider using 'List pull requests files' API or locally cloning the repository instead.",
			errors:  []Object{{"resource": "PullRequest", "field": "diff", "code": "too_large"}}}
	}
	return answer{status: http.StatusOK, raw: []byte(text.String()), media: "application/vnd.github.diff; charset=utf-8"}, nil
}

type pullInput struct {
	Title, Body, State, Head, Base *string
	HeadRepo                       *string `json:"head_repo"`
	Draft                          bool
	Editable                       *bool `json:"maintainer_can_modify"`
}

func (c *call) createPull() (answer, error) {
	var in pullInput
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if in.Title == nil || in.Head == nil || in.Base == nil {
		return answer{}, invalid(Object{"resource": "PullRequest", "code": "missing_field", "field": "title"})
	}
	head, branch := c.repo, *in.Head
	if owner, b, ok := strings.Cut(branch, ":"); ok {
		head, branch = c.s.networkMember(c.repo, owner), b
	}
	if problem := c.checkPull(head, branch, *in.Base); problem != nil {
		return answer{}, problem
	}
	spec := PullSpec{Author: c.actor(), Title: *in.Title, Branch: branch, Base: *in.Base, Draft: in.Draft, NoEdits: in.Editable != nil && !*in.Editable}
	if in.Body != nil {
		spec.Body = *in.Body
	}
	p, err := c.repo.openPull(c.ctx, head, spec)
	if err != nil {
		return answer{}, err
	}
	full, err := p.full(c.ctx)
	return created(full), err
}

// checkPull refuses a pull request of or onto nothing, of nothing new, and a second one.
func (c *call) checkPull(head *Repository, branch, base string) error {
	bad := func(field string) error {
		return invalid(Object{"resource": "PullRequest", "field": field, "code": "invalid"})
	}
	if head == nil {
		return bad("head")
	}
	tip, err := head.git.Resolve(c.ctx, "heads/"+branch)
	if err != nil {
		return bad("head")
	}
	onto, err := c.repo.git.Resolve(c.ctx, "heads/"+base)
	if err != nil {
		return bad("base")
	}
	if head == c.repo {
		if n, err := c.repo.git.Count(c.ctx, tip, onto); err == nil && n == 0 {
			return invalid(Object{"resource": "PullRequest", "code": "custom", "message": fmt.Sprintf("No commits between %s and %s", base, branch)})
		}
	}
	for _, p := range c.repo.pulls {
		if p.open() && p.head == head && p.headRef == branch && p.baseRef == base {
			return invalid(Object{"resource": "PullRequest", "code": "custom",
				"message": fmt.Sprintf("A pull request already exists for %s:%s.", head.owner.Login, branch)})
		}
	}
	return nil
}

// networkMember is the repository of that owner that is r, its parent or its fork.
func (s *Server) networkMember(r *Repository, owner string) *Repository {
	for _, one := range s.repos {
		if strings.EqualFold(one.owner.Login, owner) && (one == r || one.parent == r || r.parent == one) {
			return one
		}
	}
	return nil
}

// actor is the account that what the caller makes belongs to.
func (c *call) actor() *Account {
	if c.by.token != nil {
		return c.by.token.installation.app.Bot
	}
	return nil
}

func (c *call) updatePull(p *PullRequest) (answer, error) {
	var in pullInput
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	changed := Object{}
	for field, pair := range map[string]struct{ now, want *string }{"title": {&p.title, in.Title}, "body": {&p.body, in.Body}} {
		if pair.want != nil && *pair.want != *pair.now {
			changed[field] = Object{"from": *pair.now}
			*pair.now = *pair.want
		}
	}
	if in.Base != nil && *in.Base != p.baseRef {
		if err := c.rebase(p, *in.Base, changed); err != nil {
			return answer{}, err
		}
	}
	if in.Editable != nil && p.head != p.repo {
		p.editable = *in.Editable
	}
	p.updated = c.s.now()
	if len(changed) > 0 {
		p.emit(c.ctx, "edited", c.actor(), Object{"changes": changed})
	}
	switch {
	case in.State == nil:
	case *in.State == "closed":
		p.close(c.ctx, c.actor())
	case *in.State == "open":
		p.reopen(c.ctx, c.actor())
	}
	full, err := p.full(c.ctx)
	return ok(full), err
}

// rebase puts the pull request onto another branch.
func (c *call) rebase(p *PullRequest, base string, changed Object) error {
	sha, err := c.repo.git.Resolve(c.ctx, "heads/"+base)
	if err != nil {
		return invalid(Object{"resource": "PullRequest", "field": "base", "code": "invalid"})
	}
	changed["base"] = Object{"ref": Object{"from": p.baseRef}, "sha": Object{"from": p.baseSha}}
	p.baseRef, p.baseSha = base, sha
	return p.testMerge(c.ctx)
}

func (c *call) pullCommits(p *PullRequest) (answer, error) {
	from, err := p.from(c.ctx)
	if err != nil {
		return answer{}, err
	}
	log, err := p.repo.git.Log(c.ctx, p.headSha, from, "", mostCommits)
	if err != nil {
		return answer{}, err
	}
	slices.Reverse(log)
	return list(c, log, p.repo.commitView)
}

func (c *call) pullFiles(p *PullRequest) (answer, error) {
	files, err := p.files(c.ctx)
	if err != nil {
		return answer{}, err
	}
	if most := c.s.config.Limits.ListedFiles; len(files) > most && most >= 0 {
		files = files[:most]
	}
	return list(c, files, func(f gitrepo.FileDiff) Object { return c.fileView(p.repo, f, p.headSha) })
}

// fileView is one changed file. The patch is left out where the file is binary,
// unchanged but for its name, or changed too much.
func (c *call) fileView(r *Repository, f gitrepo.FileDiff, ref string) Object {
	o := Object{"sha": f.Sha, "filename": f.Path, "status": f.Status, "additions": f.Additions, "deletions": f.Deletions,
		"changes": f.Additions + f.Deletions, "blob_url": r.page() + "/blob/" + ref + "/" + escape(f.Path),
		"raw_url": r.page() + "/raw/" + ref + "/" + escape(f.Path), "contents_url": r.api() + "/contents/" + escape(f.Path) + "?ref=" + ref}
	if f.Previous != "" {
		o["previous_filename"] = f.Previous
	}
	if most := c.s.config.Limits.PatchLines; f.Patch != "" && (most < 0 || strings.Count(f.Patch, "\n") <= most) {
		o["patch"] = f.Patch
	}
	return o
}

// commitPulls finds pull requests by commit. Those of forks are not found by a
// commit that only the fork has.
func (c *call) commitPulls() (answer, error) {
	sha, err := c.repo.git.Resolve(c.ctx, c.params["commit_sha"])
	if err != nil {
		return answer{}, refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.params["commit_sha"])
	}
	var all []*PullRequest
	for _, p := range c.repo.pulls {
		if p.head != c.repo {
			continue
		}
		if p.headSha == sha || p.mergeSha == sha && !p.merged.IsZero() || c.inPull(p, sha) {
			all = append(all, p)
		}
	}
	return list(c, all, (*PullRequest).simple)
}

func (c *call) inPull(p *PullRequest, sha string) bool {
	from, err := p.from(c.ctx)
	if err != nil {
		return false
	}
	log, err := p.repo.git.Log(c.ctx, p.headSha, from, "", 250)
	return err == nil && slices.ContainsFunc(log, func(k gitrepo.Commit) bool { return k.Sha == sha })
}

func (c *call) getIssue() (answer, error) {
	p := c.repo.pull(c.number("issue_number"))
	if p == nil {
		return answer{}, notFound()
	}
	o := p.asIssue()
	o["closed_by"] = nil
	return ok(o), nil
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
