package githubtest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"time"
	"unicode/utf8"
)

var commentTable = []entry{
	{"issues/list-comments", onRepository, "issues:read|pull_requests:read", with((*call).pull, (*call).listComments)},
	{"issues/create-comment", onRepository, "issues:write|pull_requests:write", with((*call).pull, (*call).createComment)},
	{"issues/update-comment", onRepository, "issues:write|pull_requests:write", with((*call).comment, (*call).updateComment)},
	{"reactions/create-for-issue-comment", onRepository, "issues:write|pull_requests:write", with((*call).comment, (*call).createReaction)},
}

// Comment is a comment on a pull request, not on its diff.
type Comment struct {
	ID        int64
	pull      *PullRequest
	author    *Account
	app       *App // nil: a person wrote it
	body      string
	created   time.Time
	updated   time.Time
	reactions []*reaction
}

type reaction struct {
	id      int64
	by      *Account
	content string
	at      time.Time
}

// Comment writes a comment on the pull request.
func (p *PullRequest) Comment(_ context.Context, by *Account, body string) *Comment {
	defer p.repo.s.lock()()
	return p.comment(by, nil, body)
}

func (p *PullRequest) comment(by *Account, app *App, body string) *Comment {
	now := p.repo.s.now()
	k := &Comment{ID: p.repo.s.id("comment"), pull: p, author: by, app: app, body: body, created: now, updated: now}
	p.comments = append(p.comments, k)
	p.updated = now
	k.emit("created", by, nil)
	return k
}

func (k *Comment) emit(action string, by *Account, more Object) {
	fields := Object{"issue": k.pull.asIssue(), "comment": k.view()}
	maps.Copy(fields, more)
	k.pull.repo.s.emit(k.pull.repo, "issue_comment", action, by, fields)
}

func (k *Comment) view() Object {
	r := k.pull.repo
	api := fmt.Sprintf("%s/issues/comments/%d", r.api(), k.ID)
	var app any
	if k.app != nil {
		app = k.app.view()
	}
	return Object{"url": api, "id": k.ID, "node_id": nodeID("IssueComment", k.ID),
		"html_url":  fmt.Sprintf("%s#issuecomment-%d", k.pull.URL(), k.ID),
		"issue_url": fmt.Sprintf("%s/issues/%d", r.api(), k.pull.Number), "user": k.author.view(),
		"created_at": stamp(k.created), "updated_at": stamp(k.updated), "body": k.body,
		"author_association": r.association(k.author), "reactions": reactionCounts(api, k.reactions), "performed_via_github_app": app}
}

func reactionCounts(url string, given []*reaction) Object {
	o := Object{"url": url + "/reactions", "total_count": len(given)}
	for _, name := range []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"} {
		o[name] = 0
	}
	for _, g := range given {
		o[g.content] = o[g.content].(int) + 1
	}
	return o
}

// comment finds the comment of the path.
func (c *call) comment() (*Comment, error) {
	for _, p := range c.repo.pulls {
		for _, k := range p.comments {
			if k.ID == c.number("comment_id") {
				return k, nil
			}
		}
	}
	return nil, notFound()
}

func (c *call) listComments(p *PullRequest) (answer, error) {
	return list(c, p.comments, (*Comment).view)
}

func (c *call) createComment(p *PullRequest) (answer, error) {
	var in struct{ Body string }
	c.decode(&in)
	if err := checkBody("IssueComment", in.Body); err != nil {
		return answer{}, err
	}
	return created(p.comment(c.actor(), c.by.token.installation.app, in.Body).view()), nil
}

func (c *call) updateComment(k *Comment) (answer, error) {
	before := k.body
	if err := c.editBody("IssueComment", k.author, &k.body, &k.updated); err != nil {
		return answer{}, err
	}
	k.emit("edited", c.actor(), Object{"changes": Object{"body": Object{"from": before}}})
	return ok(k.view()), nil
}

// editBody changes the text of a comment. GitHub lets an App with write permission also edit the
// comments of others; odfix must not.
func (c *call) editBody(resource string, author *Account, body *string, updated *time.Time) error {
	var in struct{ Body string }
	c.decode(&in)
	if author != c.actor() {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	if err := checkBody(resource, in.Body); err != nil {
		return err
	}
	*body, *updated = in.Body, c.s.now()
	return nil
}

// longest is the number of characters that a comment can have.
const longest = 65536

func checkBody(resource, body string) error {
	switch {
	case body == "":
		return invalid(Object{"resource": resource, "code": "missing_field", "field": "body"})
	case utf8.RuneCountInString(body) > longest && resource == "IssueComment":
		return invalid(Object{"resource": resource, "code": "unprocessable", "field": "data",
			"message": fmt.Sprintf("Body is too long (maximum is %d characters)", longest)})
	case utf8.RuneCountInString(body) > longest:
		return invalid(custom(resource, "body", fmt.Sprintf("body is too long (maximum is %d characters)", longest)))
	}
	return nil
}

// createReaction adds a reaction. The same reaction a second time changes nothing.
func (c *call) createReaction(k *Comment) (answer, error) {
	var in struct{ Content string }
	c.decode(&in)
	for _, g := range k.reactions {
		if g.by == c.actor() && g.content == in.Content {
			return ok(g.view()), nil
		}
	}
	g := &reaction{id: c.s.id("reaction"), by: c.actor(), content: in.Content, at: c.s.now()}
	k.reactions = append(k.reactions, g)
	return created(g.view()), nil
}

func (g *reaction) view() Object {
	return Object{"id": g.id, "node_id": nodeID("Reaction", g.id), "user": g.by.view(), "content": g.content, "created_at": stamp(g.at)}
}
