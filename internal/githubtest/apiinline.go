package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

type fileDiff = gitrepo.FileDiff

func (c *call) inlineView(k *InlineComment) Object { return k.view(c.ctx) }

func (c *call) listInline(p *PullRequest) (answer, error) {
	all, err := sortComments(c, p.visible(), func(k *InlineComment) (time.Time, time.Time) { return k.created, k.updated })
	if err != nil {
		return answer{}, err
	}
	return list(c, all, c.inlineView)
}

func (c *call) listAllInline() (answer, error) {
	var all []*InlineComment
	for _, p := range c.repo.pulls {
		all = append(all, p.visible()...)
	}
	all, err := sortComments(c, all, func(k *InlineComment) (time.Time, time.Time) { return k.created, k.updated })
	if err != nil {
		return answer{}, err
	}
	return list(c, all, c.inlineView)
}

// sortComments applies since, sort and direction.
func sortComments[T any](c *call, all []T, times func(T) (created, updated time.Time)) ([]T, error) {
	q := c.r.URL.Query()
	if text := q.Get("since"); text != "" {
		since, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, refuse(http.StatusUnprocessableEntity, "Invalid since")
		}
		all = slices.DeleteFunc(slices.Clone(all), func(k T) bool { _, u := times(k); return u.Before(since) })
	}
	all = slices.Clone(all)
	if q.Get("sort") == "updated" {
		slices.SortStableFunc(all, func(a, b T) int { _, x := times(a); _, y := times(b); return x.Compare(y) })
	}
	if q.Get("direction") == "desc" && q.Get("sort") != "" {
		slices.Reverse(all)
	}
	return all, nil
}

func withInline(do func(*call, *InlineComment) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		for _, p := range c.repo.pulls {
			for _, k := range p.inline {
				if k.id == c.number("comment_id") && (k.review.state != "PENDING" || k.author == c.actor()) {
					return do(c, k)
				}
			}
		}
		return answer{}, notFound()
	}
}

func (c *call) getInline(k *InlineComment) (answer, error) { return ok(c.inlineView(k)), nil }

// createInline makes a comment of its own, with a review around it as on GitHub.
func (c *call) createInline(p *PullRequest) (answer, error) {
	var in struct {
		draft
		CommitID  string `json:"commit_id"`
		InReplyTo int64  `json:"in_reply_to"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if in.InReplyTo != 0 {
		return c.reply(p, in.InReplyTo, in.Body)
	}
	const resource = "PullRequestReviewComment"
	if err := checkBody(resource, in.Body); err != nil {
		return answer{}, err
	}
	if !slices.Contains(p.timeline, in.CommitID) && !c.inPull(p, in.CommitID) {
		return answer{}, invalid(custom(resource, "commit_id", "commit_id is not part of the pull request"))
	}
	files, err := c.filesAt(p, in.CommitID)
	if err != nil {
		return answer{}, err
	}
	s, o := in.find(files)
	if o.any() {
		return answer{}, o.errors()
	}
	v := p.addReview(c.actor(), "COMMENTED", "", in.CommitID)
	k := v.addComment(s, in.Body, nil)
	v.tell("submitted")
	a := created(c.inlineView(k))
	a.header = http.Header{"Location": {k.api()}}
	return a, nil
}

func checkBody(resource, body string) error {
	switch {
	case body == "":
		return invalid(Object{"resource": resource, "code": "missing_field", "field": "body"})
	case utf8.RuneCountInString(body) > longest && resource == "IssueComment":
		return invalid(Object{"resource": resource, "code": "unprocessable", "field": "data", "message": fmt.Sprintf("Body is too long (maximum is %d characters)", longest)})
	case utf8.RuneCountInString(body) > longest:
		return invalid(custom(resource, "body", fmt.Sprintf("body is too long (maximum is %d characters)", longest)))
	}
	return nil
}

func (c *call) replyInline(p *PullRequest) (answer, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	return c.reply(p, c.number("comment_id"), in.Body)
}

// reply answers in a thread; only its first comment can be answered.
func (c *call) reply(p *PullRequest, to int64, body string) (answer, error) {
	if err := checkBody("PullRequestReviewComment", body); err != nil {
		return answer{}, err
	}
	for _, k := range p.visible() {
		if k.id == to && k.reply == nil {
			v := p.addReview(c.actor(), "COMMENTED", "", p.headSha)
			answered := v.addComment(k.spot, body, k)
			v.tell("submitted")
			return created(c.inlineView(answered)), nil
		}
	}
	return answer{}, notFound()
}

func (c *call) updateInline(k *InlineComment) (answer, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if err := c.mayEdit(k.author); err != nil {
		return answer{}, err
	}
	if err := checkBody("PullRequestReviewComment", in.Body); err != nil {
		return answer{}, err
	}
	before := k.body
	k.body, k.updated = in.Body, c.s.now()
	k.tell("edited", c.actor(), Object{"changes": Object{"body": Object{"from": before}}})
	return ok(c.inlineView(k)), nil
}

// mayEdit: an App changes what it wrote itself. (GitHub lets one with the
// right to write edit others' comments as well; odfix must not.)
func (c *call) mayEdit(author *Account) error {
	if author != c.actor() {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	return nil
}

func (c *call) deleteInline(k *InlineComment) (answer, error) {
	if err := c.mayEdit(k.author); err != nil {
		return answer{}, err
	}
	k.tell("deleted", c.actor(), nil)
	p := k.pull
	p.inline = slices.DeleteFunc(p.inline, func(one *InlineComment) bool { return one == k })
	k.thread.comments = slices.DeleteFunc(k.thread.comments, func(one *InlineComment) bool { return one == k })
	p.threads = slices.DeleteFunc(p.threads, func(t *thread) bool { return len(t.comments) == 0 })
	return noContent, nil
}

func (c *call) reactInline(k *InlineComment) (answer, error) { return c.react(&k.reacted) }
