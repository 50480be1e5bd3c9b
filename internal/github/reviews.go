package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// PullFile is a file of a pull request as GitHub lists it.
type PullFile struct {
	Path   string
	Status string
	Patch  string // may be missing, as of large files
	// Previous is the earlier path of a renamed file.
	Previous string
}

// MostPatches bounds the patches of a pull request's files, in bytes. Several are in memory at once.
const MostPatches = 4 << 20

// Files returns a pull request's files. GitHub lists at most 3000. A patch is missing if it is large, or if
// it and those before it have more than MostPatches.
func (c *Client) Files(ctx context.Context, r Repo, number int64) ([]PullFile, error) {
	var o gh.ListOptions
	var out []PullFile
	size := 0
	err := pages(&o, func() (*gh.Response, error) {
		list, resp, err := c.on(r, readPulls).PullRequests.ListFiles(ctx, r.Owner, r.Name, int(number), &o)
		for _, f := range list {
			p := PullFile{f.GetFilename(), f.GetStatus(), f.GetPatch(), f.GetPreviousFilename()}
			if size+len(p.Patch) > MostPatches {
				p.Patch = ""
			}
			size += len(p.Patch)
			out = append(out, p)
		}
		return resp, err
	})
	return out, err
}

// Inline is a comment on lines of the diff, on its new side.
type Inline struct {
	Path      string
	Line      int
	StartLine int // 0: one line
	Body      string
}

// CreateReview writes comments on lines, all or none.
func (c *Client) CreateReview(ctx context.Context, r Repo, number int64, headSHA string, list []Inline) (int64, error) {
	o := &gh.PullRequestReviewRequest{CommitID: gh.String(headSHA), Event: gh.String("COMMENT")}
	for _, k := range list {
		d := &gh.DraftReviewComment{Path: gh.String(k.Path), Line: gh.Int(k.Line), Side: gh.String("RIGHT"),
			Body: gh.String(CutMarkdown(k.Body, maxComment))}
		if k.StartLine > 0 && k.StartLine < k.Line {
			d.StartLine, d.StartSide = gh.Int(k.StartLine), gh.String("RIGHT")
		}
		o.Comments = append(o.Comments, d)
	}
	v, _, err := c.on(r, writePulls).PullRequests.CreateReview(ctx, r.Owner, r.Name, int(number), o)
	return v.GetID(), err
}

// CommentOnFile writes a review comment on a whole file. go-github has no field for that.
func (c *Client) CommentOnFile(ctx context.Context, r Repo, number int64, headSHA, path, body string) (int64, error) {
	in := map[string]string{"commit_id": headSHA, "path": path, "subject_type": "file", "body": CutMarkdown(body, maxComment)}
	req, err := c.on(r, writePulls).NewRequest(http.MethodPost, fmt.Sprintf("repos/%s/%s/pulls/%d/comments", r.Owner, r.Name, number), in)
	if err != nil {
		return 0, err
	}
	var out struct {
		ID int64 `json:"id"`
	}
	_, err = c.on(r, writePulls).Do(ctx, req, &out)
	return out.ID, err
}

// OwnReviewComments returns the App's own comments on lines and files.
func (c *Client) OwnReviewComments(ctx context.Context, r Repo, number int64) ([]Comment, error) {
	slug, err := c.app.Slug(ctx)
	if err != nil {
		return nil, err
	}
	var o gh.PullRequestListCommentsOptions
	// Only these are kept of the comments of all people.
	var out []Comment
	answered := map[int64]bool{}
	err = pages(&o.ListOptions, func() (*gh.Response, error) {
		list, resp, err := c.on(r, readPulls).PullRequests.ListComments(ctx, r.Owner, r.Name, int(number), &o)
		for _, k := range list {
			answered[k.GetInReplyTo()] = true
			if k.GetUser().GetType() == "Bot" && strings.EqualFold(k.GetUser().GetLogin(), slug+"[bot]") && k.GetInReplyTo() == 0 {
				out = append(out, Comment{
					ID: k.GetID(), Body: k.GetBody(), Inline: true,
					Spot: Inline{Path: k.GetPath(), Line: k.GetLine(), StartLine: k.GetStartLine()},
				})
			}
		}
		return resp, err
	})
	for i := range out {
		out[i].Answered = answered[out[i].ID]
	}
	return out, err
}

// UpdateReviewComment changes a review comment of odfix. ErrGone means that it was deleted.
func (c *Client) UpdateReviewComment(ctx context.Context, r Repo, id int64, body string) error {
	_, resp, err := c.on(r, writePulls).PullRequests.EditComment(ctx, r.Owner, r.Name, id,
		&gh.PullRequestComment{Body: gh.String(CutMarkdown(body, maxComment))})
	return gone(resp, err)
}

// DeleteReviewComment removes a review comment of odfix, if it still exists.
func (c *Client) DeleteReviewComment(ctx context.Context, r Repo, id int64) error {
	resp, err := c.on(r, writePulls).PullRequests.DeleteComment(ctx, r.Owner, r.Name, id)
	if missing(resp) {
		return nil
	}
	return err
}
