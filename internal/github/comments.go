package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// Comment is a comment on a pull request or on its diff.
type Comment struct {
	ID       int64
	Body     string
	Inline   bool // on the diff
	Answered bool // it has a reply
	// Spot is the current place of a comment on the diff, without a Body. Line is 0 if the comment
	// is outdated, or is on a whole file.
	Spot Inline
}

// OwnComments returns the App's own comments on a pull request. A comment of anyone else with
// odfix's marker is not one of them.
func (c *Client) OwnComments(ctx context.Context, r Repo, number int64) ([]Comment, error) {
	slug, err := c.app.Slug(ctx)
	if err != nil {
		return nil, err
	}
	var o gh.IssueListCommentsOptions
	var out []Comment
	err = pages(&o.ListOptions, func() (*gh.Response, error) {
		list, resp, err := c.on(r, readPulls).Issues.ListComments(ctx, r.Owner, r.Name, int(number), &o)
		for _, k := range list {
			if k.GetUser().GetType() == "Bot" && strings.EqualFold(k.GetUser().GetLogin(), slug+"[bot]") {
				out = append(out, Comment{ID: k.GetID(), Body: k.GetBody()})
			}
		}
		return resp, err
	})
	return out, err
}

// maxComment is the maximal number of characters of a comment.
const maxComment = 65_536

// CreateComment writes a comment.
func (c *Client) CreateComment(ctx context.Context, r Repo, number int64, body string) (int64, error) {
	k, _, err := c.on(r, writePulls).Issues.CreateComment(ctx, r.Owner, r.Name, int(number),
		&gh.IssueComment{Body: gh.String(CutMarkdown(body, maxComment))})
	return k.GetID(), err
}

// UpdateComment changes a comment of odfix. ErrGone means that it was deleted.
func (c *Client) UpdateComment(ctx context.Context, r Repo, id int64, body string) error {
	_, resp, err := c.on(r, writePulls).Issues.EditComment(ctx, r.Owner, r.Name, id,
		&gh.IssueComment{Body: gh.String(CutMarkdown(body, maxComment))})
	return gone(resp, err)
}

// React adds a reaction to a comment: eyes, +1, confused.
func (c *Client) React(ctx context.Context, r Repo, comment int64, sign string) error {
	_, _, err := c.on(r, writePulls).Reactions.CreateIssueCommentReaction(ctx, r.Owner, r.Name, comment, sign)
	return err
}
