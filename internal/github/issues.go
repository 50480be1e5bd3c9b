package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v60/github"
)

// Issue is an issue of a repository.
type Issue struct {
	Number int64
	Title  string
	Body   string
	Open   bool
}

// issueLabel is on the issues that odfix opens, which are found by it.
const issueLabel = "odfix"

// OwnIssues returns the issues that odfix opened, the newest first.
func (c *Client) OwnIssues(ctx context.Context, r Repo) ([]Issue, error) {
	slug, err := c.app.Slug(ctx)
	if err != nil {
		return nil, err
	}
	o := gh.IssueListByRepoOptions{State: "all", Labels: []string{issueLabel}}
	var out []Issue
	err = pages(&o.ListOptions, func() (*gh.Response, error) {
		list, resp, err := c.on(r, readIssues).Issues.ListByRepo(ctx, r.Owner, r.Name, &o)
		for _, k := range list {
			if !k.IsPullRequest() && strings.EqualFold(k.GetUser().GetLogin(), slug+"[bot]") {
				out = append(out, Issue{int64(k.GetNumber()), k.GetTitle(), k.GetBody(), k.GetState() == "open"})
			}
		}
		return resp, err
	})
	return out, err
}

// OpenIssue opens an issue and returns its number.
func (c *Client) OpenIssue(ctx context.Context, r Repo, i Issue) (int64, error) {
	k, _, err := c.on(r, writeIssues).Issues.Create(ctx, r.Owner, r.Name, &gh.IssueRequest{Title: gh.String(i.Title),
		Body: gh.String(CutMarkdown(i.Body, maxComment)), Labels: &[]string{issueLabel}})
	return int64(k.GetNumber()), err
}

// UpdateIssue changes the body of an issue, and opens or closes it.
func (c *Client) UpdateIssue(ctx context.Context, r Repo, i Issue) error {
	state := "closed"
	if i.Open {
		state = "open"
	}
	_, _, err := c.on(r, writeIssues).Issues.Edit(ctx, r.Owner, r.Name, int(i.Number), &gh.IssueRequest{
		Body: gh.String(CutMarkdown(i.Body, maxComment)), State: gh.String(state)})
	return err
}
