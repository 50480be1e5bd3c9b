package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// Comment is one in a pull request's conversation, or on its diff.
type Comment struct {
	ID       int64
	Body     string
	URL      string
	Inline   bool // on the diff
	Answered bool // somebody replied
	// Of one on the diff: where it stands now, without its Body. Line is 0 where it
	// is outdated, or stands on a file.
	Spot Inline
}

// OwnComments are the App's own comments on a pull request. Whoever else writes a
// marker of ours into a comment is not us.
func (c *Client) OwnComments(ctx context.Context, r Repo, number int64) ([]Comment, error) {
	slug, err := c.app.Slug(ctx)
	if err != nil {
		return nil, err
	}
	var o gh.IssueListCommentsOptions
	var out []Comment
	err = pages(&o.ListOptions, func() (*gh.Response, error) {
		list, resp, err := c.gh.Issues.ListComments(ctx, r.Owner, r.Name, int(number), &o)
		for _, k := range list {
			if k.GetUser().GetType() == "Bot" && strings.EqualFold(k.GetUser().GetLogin(), slug+"[bot]") {
				out = append(out, Comment{ID: k.GetID(), Body: k.GetBody(), URL: k.GetHTMLURL()})
			}
		}
		return resp, err
	})
	return out, err
}

// maxComment is how many characters a comment holds.
const maxComment = 65_536

// CreateComment writes a comment.
func (c *Client) CreateComment(ctx context.Context, r Repo, number int64, body string) (int64, error) {
	k, _, err := c.gh.Issues.CreateComment(ctx, r.Owner, r.Name, int(number), &gh.IssueComment{Body: gh.String(Cut(body, maxComment))})
	return k.GetID(), err
}

// UpdateComment changes a comment of ours; ErrGone where somebody deleted it.
func (c *Client) UpdateComment(ctx context.Context, r Repo, id int64, body string) error {
	_, resp, err := c.gh.Issues.EditComment(ctx, r.Owner, r.Name, id, &gh.IssueComment{Body: gh.String(Cut(body, maxComment))})
	if missing(resp) {
		return ErrGone
	}
	return err
}

// React answers a comment with a sign: eyes, +1, confused.
func (c *Client) React(ctx context.Context, r Repo, comment int64, sign string) error {
	_, _, err := c.gh.Reactions.CreateIssueCommentReaction(ctx, r.Owner, r.Name, comment, sign)
	return err
}
