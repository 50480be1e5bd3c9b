package githubtest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

var commentTable = []entry{
	{"issues/list-comments", onRepository, "issues:read|pull_requests:read", (*call).listComments},
	{"issues/list-comments-for-repo", onRepository, "issues:read|pull_requests:read", (*call).listAllComments},
	{"issues/create-comment", onRepository, "issues:write|pull_requests:write", (*call).createComment},
	{"issues/get-comment", onRepository, "issues:read|pull_requests:read", withComment((*call).getComment)},
	{"issues/update-comment", onRepository, "issues:write|pull_requests:write", withComment((*call).updateComment)},
	{"issues/delete-comment", onRepository, "issues:write|pull_requests:write", withComment((*call).deleteComment)},
	{"reactions/list-for-issue-comment", onRepository, "issues:read|pull_requests:read", withComment((*call).listReactions)},
	{"reactions/create-for-issue-comment", onRepository, "issues:write|pull_requests:write", withComment((*call).createReaction)},
	{"reactions/delete-for-issue-comment", onRepository, "issues:write|pull_requests:write", withComment((*call).deleteReaction)},
}

// Comment is one in the conversation of a pull request.
type Comment struct {
	ID       int64
	repo     *Repository
	number   int
	author   *Account
	app      *App
	body     string
	created  time.Time
	updated  time.Time
	reacted  []*reaction
	minimize string // why it was folded away, if it was
}

type reaction struct {
	id      int64
	by      *Account
	content string
	at      time.Time
}

// Comment writes a comment in the pull request's conversation.
func (p *PullRequest) Comment(_ context.Context, by *Account, body string) *Comment {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	return p.repo.comment(p, by, nil, body)
}

// Edit changes a comment's text, as its author would.
func (k *Comment) Edit(_ context.Context, body string) {
	k.repo.s.mu.Lock()
	defer k.repo.s.mu.Unlock()
	k.edit(k.author, body)
}

func (k *Comment) edit(by *Account, body string) {
	before := k.body
	k.body, k.updated = body, k.repo.s.now()
	k.tell("edited", by, Object{"changes": Object{"body": Object{"from": before}}})
}

func (r *Repository) comment(p *PullRequest, by *Account, app *App, body string) *Comment {
	now := r.s.now()
	k := &Comment{ID: r.s.id("comment"), repo: r, number: p.Number, author: by, app: app, body: body, created: now, updated: now}
	r.comments = append(r.comments, k)
	p.updated = now
	k.tell("created", by, nil)
	return k
}

func (k *Comment) tell(action string, by *Account, more Object) {
	p := k.repo.pull(int64(k.number))
	fields := Object{"issue": p.asIssue(), "comment": k.view()}
	maps.Copy(fields, more)
	k.repo.s.emit(k.repo, "issue_comment", action, by, fields)
}

func (r *Repository) commentsOn(number int) []*Comment {
	var all []*Comment
	for _, k := range r.comments {
		if k.number == number {
			all = append(all, k)
		}
	}
	return all
}

func (k *Comment) api() string { return fmt.Sprintf("%s/issues/comments/%d", k.repo.api(), k.ID) }

func (k *Comment) view() Object {
	var app any
	if k.app != nil {
		app = k.app.view()
	}
	return Object{"url": k.api(), "id": k.ID, "node_id": nodeID("IssueComment", k.ID),
		"html_url":  fmt.Sprintf("%s/pull/%d#issuecomment-%d", k.repo.page(), k.number, k.ID),
		"issue_url": fmt.Sprintf("%s/issues/%d", k.repo.api(), k.number), "user": k.author.view(),
		"created_at": stamp(k.created), "updated_at": stamp(k.updated), "body": k.body,
		"author_association": k.repo.association(k.author), "reactions": reactionCounts(k.api(), k.reacted), "performed_via_github_app": app}
}

var reactions = []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}

func reactionCounts(url string, given []*reaction) Object {
	o := Object{"url": url + "/reactions", "total_count": len(given)}
	for _, name := range reactions {
		n := 0
		for _, g := range given {
			if g.content == name {
				n++
			}
		}
		o[name] = n
	}
	return o
}

func withComment(do func(*call, *Comment) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		for _, k := range c.repo.comments {
			if k.ID == c.number("comment_id") {
				return do(c, k)
			}
		}
		return answer{}, notFound()
	}
}

func (c *call) comments(all []*Comment) (answer, error) {
	all, err := sortComments(c, all, func(k *Comment) (time.Time, time.Time) { return k.created, k.updated })
	if err != nil {
		return answer{}, err
	}
	return list(c, all, (*Comment).view)
}

func (c *call) listComments() (answer, error) {
	if c.repo.pull(c.number("issue_number")) == nil {
		return answer{}, notFound()
	}
	return c.comments(c.repo.commentsOn(int(c.number("issue_number"))))
}

func (c *call) listAllComments() (answer, error) { return c.comments(c.repo.comments) }

func (c *call) createComment() (answer, error) {
	p := c.repo.pull(c.number("issue_number"))
	if p == nil {
		return answer{}, notFound()
	}
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if err := checkBody("IssueComment", in.Body); err != nil {
		return answer{}, err
	}
	k := c.repo.comment(p, c.actor(), c.by.token.installation.app, in.Body)
	a := created(k.view())
	a.header = http.Header{"Location": {k.api()}}
	return a, nil
}

func (c *call) getComment(k *Comment) (answer, error) { return ok(k.view()), nil }

func (c *call) updateComment(k *Comment) (answer, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if err := c.mayEdit(k.author); err != nil {
		return answer{}, err
	}
	if err := checkBody("IssueComment", in.Body); err != nil {
		return answer{}, err
	}
	k.edit(c.actor(), in.Body)
	return ok(k.view()), nil
}

func (c *call) deleteComment(k *Comment) (answer, error) {
	if err := c.mayEdit(k.author); err != nil {
		return answer{}, err
	}
	k.tell("deleted", c.actor(), nil)
	c.repo.comments = slices.DeleteFunc(c.repo.comments, func(one *Comment) bool { return one == k })
	return noContent, nil
}

func (g *reaction) view() Object {
	return Object{"id": g.id, "node_id": nodeID("Reaction", g.id), "user": g.by.view(), "content": g.content, "created_at": stamp(g.at)}
}

func (c *call) listReactions(k *Comment) (answer, error) {
	return list(c, k.reacted, (*reaction).view)
}

func (c *call) createReaction(k *Comment) (answer, error) { return c.react(&k.reacted) }

// react adds a reaction; a second one of the same kind is the first one again.
func (c *call) react(given *[]*reaction) (answer, error) {
	var in struct{ Content string }
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	for _, g := range *given {
		if g.by == c.actor() && g.content == in.Content {
			return ok(g.view()), nil
		}
	}
	g := &reaction{id: c.s.id("reaction"), by: c.actor(), content: in.Content, at: c.s.now()}
	*given = append(*given, g)
	return created(g.view()), nil
}

func (c *call) deleteReaction(k *Comment) (answer, error) {
	before := len(k.reacted)
	k.reacted = slices.DeleteFunc(k.reacted, func(g *reaction) bool { return g.id == c.number("reaction_id") && g.by == c.actor() })
	if len(k.reacted) == before {
		return answer{}, notFound()
	}
	return noContent, nil
}
