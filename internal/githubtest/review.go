package githubtest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

var reviewTable = []entry{
	{"pulls/create-review", onRepository, "pull_requests:write", with((*call).pull, (*call).createReview)},
	{"pulls/list-comments-for-review", onRepository, "pull_requests:read", with((*call).pull, (*call).listInline)},
	{"pulls/list-review-comments", onRepository, "pull_requests:read", with((*call).pull, (*call).listInline)},
	{"pulls/create-review-comment", onRepository, "pull_requests:write", with((*call).pull, (*call).createInline)},
	{"pulls/update-review-comment", onRepository, "pull_requests:write", with((*call).inline, (*call).updateInline)},
	{"pulls/delete-review-comment", onRepository, "pull_requests:write", with((*call).inline, (*call).deleteInline)},
}

// Review is a review of a pull request, without an approval.
type Review struct {
	id        int64
	pull      *PullRequest
	author    *Account
	body      string
	commit    string
	submitted time.Time
}

// InlineComment is a comment on the diff.
type InlineComment struct {
	id      int64
	review  *Review
	author  *Account
	body    string
	spot    spot
	created time.Time
	updated time.Time
}

func (p *PullRequest) addReview(by *Account, body, commit string) *Review {
	v := &Review{id: p.repo.s.id("review"), pull: p, author: by, body: body, commit: commit, submitted: p.repo.s.now()}
	p.reviews = append(p.reviews, v)
	p.updated = v.submitted
	return v
}

func (v *Review) addComment(s spot, body string) *InlineComment {
	k := &InlineComment{id: v.pull.repo.s.id("inline"), review: v, author: v.author, body: body, spot: s,
		created: v.submitted, updated: v.submitted}
	v.pull.inline = append(v.pull.inline, k)
	return k
}

func (v *Review) view() Object {
	page := fmt.Sprintf("%s#pullrequestreview-%d", v.pull.URL(), v.id)
	return Object{"id": v.id, "node_id": nodeID("PullRequestReview", v.id), "user": v.author.view(), "body": v.body, "state": "COMMENTED",
		"html_url": page, "pull_request_url": v.pull.api(), "author_association": v.pull.repo.association(v.author),
		"_links":    Object{"html": Object{"href": page}, "pull_request": Object{"href": v.pull.api()}},
		"commit_id": v.commit, "submitted_at": stamp(v.submitted)}
}

func (k *InlineComment) page() string {
	return fmt.Sprintf("%s#discussion_r%d", k.review.pull.URL(), k.id)
}

// now is the place of the comment on the newest diff. false means that the comment is outdated.
func (k *InlineComment) now(ctx context.Context) (spot, bool) {
	p, was := k.review.pull, k.spot
	files, err := p.files(ctx)
	if err != nil {
		return spot{}, false
	}
	if was.file {
		return findFile(files, was.path)
	}
	a := anchor{Path: was.path, Line: p.repo.carry(ctx, was.path, was.line, k.review.commit, p.headSha)}
	if was.startLine > 0 {
		a.StartLine = p.repo.carry(ctx, was.path, was.startLine, k.review.commit, p.headSha)
		if a.StartLine == 0 || a.Line-a.StartLine != was.line-was.startLine {
			return spot{}, false
		}
	}
	s, problem := a.find(files)
	return s, problem == ""
}

// view is the comment as GitHub shows it. Its lines are those of the newest head, or null if it is
// outdated.
func (k *InlineComment) view(ctx context.Context) Object {
	numberOrNull := func(n int) any {
		if n == 0 {
			return nil
		}
		return n
	}
	p, was, commit := k.review.pull, k.spot, k.review.commit
	s, current := k.now(ctx)
	if current {
		commit = p.headSha
	}
	api := fmt.Sprintf("%s/pulls/comments/%d", p.repo.api(), k.id)
	o := Object{"url": api, "pull_request_review_id": k.review.id, "id": k.id, "node_id": nodeID("PullRequestReviewComment", k.id),
		"diff_hunk": was.hunk, "path": was.path, "commit_id": commit, "original_commit_id": k.review.commit,
		"user": k.author.view(), "body": k.body,
		"created_at": stamp(k.created), "updated_at": stamp(k.updated), "html_url": k.page(), "pull_request_url": p.api(),
		"author_association": p.repo.association(k.author),
		"_links": Object{"self": Object{"href": api}, "html": Object{"href": k.page()},
			"pull_request": Object{"href": p.api()}},
		"reactions": reactionCounts(api, nil), "subject_type": "line", "side": "RIGHT",
		"line": numberOrNull(s.line), "original_line": numberOrNull(was.line), "position": numberOrNull(s.position),
		"original_position": was.position,
		"start_line":        numberOrNull(s.startLine), "original_start_line": numberOrNull(was.startLine), "start_side": nil}
	if was.file {
		o["subject_type"] = "file"
	}
	if was.startLine > 0 {
		o["start_side"] = "RIGHT"
	}
	return o
}

type draft struct {
	anchor
	Body string `json:"body"`
}

// createReview accepts all comments of a review or none.
func (c *call) createReview(p *PullRequest) (answer, error) {
	var in struct {
		CommitID string  `json:"commit_id"`
		Body     string  `json:"body"`
		Event    string  `json:"event"`
		Comments []draft `json:"comments"`
	}
	c.decode(&in)
	switch {
	case in.Event != "COMMENT":
		c.s.mismatch("request", c.what(), "the stand-in has no pending reviews and no approvals")
		return answer{}, unprocessable("The event must be COMMENT")
	case in.Body == "" && len(in.Comments) == 0:
		return answer{}, unprocessable("Body can't be blank")
	case utf8.RuneCountInString(in.Body) > longest:
		return answer{}, unprocessable(fmt.Sprintf("Body is too long (maximum is %d characters)", longest))
	case len(in.Comments) > reviewComments:
		return answer{}, unprocessable(fmt.Sprintf("Comments is too long (maximum is %d comments)", reviewComments))
	}
	files, err := c.filesAt(p, in.CommitID)
	if err != nil {
		return answer{}, err
	}
	var spots []spot
	var problems []string
	for _, k := range in.Comments {
		s, problem := k.find(files)
		switch {
		case problem != "":
		case k.Body == "":
			problem = "Pull request review thread body can't be blank"
		case utf8.RuneCountInString(k.Body) > longest:
			problem = fmt.Sprintf("Pull request review thread body is too long (maximum is %d characters)", longest)
		}
		if problem != "" {
			problems = append(problems, problem)
		}
		spots = append(spots, s)
	}
	if len(problems) > 0 {
		slices.Sort(problems)
		return answer{}, unprocessable(slices.Compact(problems)...)
	}
	v := p.addReview(c.actor(), in.Body, in.CommitID)
	for i, s := range spots {
		v.addComment(s, in.Comments[i].Body)
	}
	return ok(v.view()), nil
}

// filesAt is the diff of the pull request as it was at one of its heads.
func (c *call) filesAt(p *PullRequest, commit string) ([]gitrepo.FileDiff, error) {
	if !slices.Contains(p.timeline, commit) {
		return nil, unprocessable("Commit is not part of the pull request")
	}
	from, err := p.from(c.ctx)
	if err != nil {
		return nil, err
	}
	return p.repo.git.Diff(c.ctx, from, commit)
}

// listInline lists the comments on the diff, or those of one review.
func (c *call) listInline(p *PullRequest) (answer, error) {
	review := c.number("review_id")
	all := slices.DeleteFunc(slices.Clone(p.inline), func(k *InlineComment) bool { return review > 0 && k.review.id != review })
	return list(c, all, func(k *InlineComment) Object { return k.view(c.ctx) })
}

// createInline makes a comment on a whole file, in a review of its own. GitHub also takes lines.
func (c *call) createInline(p *PullRequest) (answer, error) {
	const resource = "PullRequestReviewComment"
	var in struct {
		Path, Body  string
		CommitID    string `json:"commit_id"`
		SubjectType string `json:"subject_type"`
	}
	c.decode(&in)
	if in.SubjectType != "file" {
		c.s.mismatch("request", c.what(), "the stand-in takes comments on lines only in a review")
	}
	if err := checkBody(resource, in.Body); err != nil {
		return answer{}, err
	}
	files, err := c.filesAt(p, in.CommitID)
	if err != nil {
		return answer{}, err
	}
	s, found := findFile(files, in.Path)
	if !found || in.SubjectType != "file" {
		return answer{}, invalid(Object{"resource": resource, "code": "invalid", "field": "pull_request_review_thread.path"},
			Object{"resource": resource, "code": "missing_field", "field": "pull_request_review_thread.diff_hunk"})
	}
	k := p.addReview(c.actor(), "", in.CommitID).addComment(s, in.Body)
	return created(k.view(c.ctx)), nil
}

// inline finds the comment of the path.
func (c *call) inline() (*InlineComment, error) {
	for _, p := range c.repo.pulls {
		for _, k := range p.inline {
			if k.id == c.number("comment_id") {
				return k, nil
			}
		}
	}
	return nil, notFound()
}

func (c *call) updateInline(k *InlineComment) (answer, error) {
	if err := c.editBody("PullRequestReviewComment", k.author, &k.body, &k.updated); err != nil {
		return answer{}, err
	}
	return ok(k.view(c.ctx)), nil
}

func (c *call) deleteInline(k *InlineComment) (answer, error) {
	if k.author != c.actor() {
		return answer{}, refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	p := k.review.pull
	p.inline = slices.DeleteFunc(p.inline, func(one *InlineComment) bool { return one == k })
	return answer{status: http.StatusNoContent}, nil
}
