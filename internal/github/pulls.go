package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Pull is a pull request in its current state.
type Pull struct {
	Number         int64
	HeadSHA        string
	HeadRef        string
	HeadRepository int64 // 0: the fork was deleted
	HeadOwner      int64 // the id of the account that owns HeadRepository
	BaseRef        string
	Open           bool
	Updated        time.Time
	Author         Author
	// DefaultBranch and Private are those of the base repository.
	DefaultBranch string
	Private       bool
	// MergeSHA is the test merge, which CI tests on pull_request events. It is empty in a conflict,
	// or if GitHub has not made it yet (MergeKnown is false).
	MergeSHA   string
	MergeKnown bool
}

// Author is the author of a pull request.
type Author struct {
	ID    int64
	Login string
	// Association is GitHub's author_association (CONTRIBUTOR: an earlier pull request was merged).
	Association string
}

func pullOf(p *gh.PullRequest) Pull {
	out := Pull{
		Number: int64(p.GetNumber()), HeadSHA: p.GetHead().GetSHA(), HeadRef: p.GetHead().GetRef(),
		HeadRepository: p.GetHead().GetRepo().GetID(), HeadOwner: p.GetHead().GetRepo().GetOwner().GetID(), BaseRef: p.GetBase().GetRef(), Open: p.GetState() == "open",
		Updated: p.GetUpdatedAt().Time, MergeKnown: p.Mergeable != nil,
	}
	base := p.GetBase().GetRepo()
	out.DefaultBranch, out.Private = base.GetDefaultBranch(), base.GetPrivate()
	out.Author = Author{p.GetUser().GetID(), p.GetUser().GetLogin(), p.GetAuthorAssociation()}
	if p.GetMergeable() {
		out.MergeSHA = p.GetMergeCommitSHA()
	}
	return out
}

// mostPages bounds the pages of a list.
const mostPages = 30

// Pull reads a pull request.
func (c *Client) Pull(ctx context.Context, r Repo, number int64) (Pull, error) {
	p, resp, err := c.on(r, readPulls).PullRequests.Get(ctx, r.Owner, r.Name, int(number))
	if err = gone(resp, err); err != nil {
		return Pull{}, err
	}
	return pullOf(p), nil
}

// OpenPulls returns all open pull requests into the repository, the last updated first.
func (c *Client) OpenPulls(ctx context.Context, r Repo) ([]Pull, error) {
	return c.pulls(ctx, r, gh.PullRequestListOptions{State: "open", Sort: "updated", Direction: "desc"})
}

// PullsAt returns the open pull requests with this head. It is faster with the branch, if that is
// known. It does not use commits/{sha}/pulls, which does not list pull requests of forks.
func (c *Client) PullsAt(ctx context.Context, r Repo, sha, headOwner, headBranch string) ([]Pull, error) {
	if headOwner != "" && headBranch != "" {
		list, err := c.pulls(ctx, r, gh.PullRequestListOptions{State: "open", Head: headOwner + ":" + headBranch})
		if found := atHead(list, sha); err != nil || len(found) > 0 {
			return found, err
		}
	}
	list, err := c.OpenPulls(ctx, r)
	return atHead(list, sha), err
}

func atHead(list []Pull, sha string) []Pull {
	return slices.DeleteFunc(list, func(p Pull) bool { return p.HeadSHA != sha })
}

func (c *Client) pulls(ctx context.Context, r Repo, o gh.PullRequestListOptions) ([]Pull, error) {
	var out []Pull
	err := pages(&o.ListOptions, func() (*gh.Response, error) {
		list, resp, err := c.on(r, readPulls).PullRequests.List(ctx, r.Owner, r.Name, &o)
		for _, p := range list {
			out = append(out, pullOf(p))
		}
		return resp, err
	})
	return out, err
}

// Sizes of a list's pages.
const (
	usualPage = 100
	smallPage = 10 // of a list whose usual pages are too large
)

// pages reads a list to its end, or to mostPages.
func pages(o *gh.ListOptions, read func() (*gh.Response, error)) error {
	o.PerPage = usualPage
	for n := 0; n < mostPages*usualPage; n += o.PerPage {
		resp, err := read()
		if errors.Is(err, ErrLarge) && o.PerPage == usualPage {
			o.Page, o.PerPage = max(o.Page-1, 0)*usualPage/smallPage+1, smallPage
			continue
		}
		if err != nil {
			return err
		}
		if resp.NextPage == 0 {
			return nil
		}
		o.Page = resp.NextPage
	}
	return nil
}

// gone is ErrGone if GitHub does not have the object, else err.
func gone(resp *gh.Response, err error) error {
	if missing(resp) {
		return ErrGone
	}
	return err
}

func missing(resp *gh.Response) bool {
	return resp != nil && (resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone)
}

// Forbidden reports whether GitHub refused a request because of a missing permission, a locked
// conversation or a similar reason. The same request fails again.
func Forbidden(err error) bool {
	var e *gh.ErrorResponse
	return errors.As(err, &e) && e.Response != nil && e.Response.StatusCode == http.StatusForbidden
}

// Unprocessable reports whether GitHub refused the content of a request. The same request fails
// again.
func Unprocessable(err error) bool {
	var e *gh.ErrorResponse
	return errors.As(err, &e) && e.Response != nil && e.Response.StatusCode == http.StatusUnprocessableEntity
}

// Parents returns the parents of a commit.
func (c *Client) Parents(ctx context.Context, r Repo, sha string) ([]string, error) {
	k, resp, err := c.on(r, readContents).Repositories.GetCommit(ctx, r.Owner, r.Name, sha, &gh.ListOptions{PerPage: 1})
	if missing(resp) || resp != nil && resp.StatusCode == http.StatusUnprocessableEntity {
		return nil, ErrGone
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range k.Parents {
		out = append(out, p.GetSHA())
	}
	return out, nil
}

// MergeBase returns the newest common ancestor of a base (a branch or a commit) and a head.
func (c *Client) MergeBase(ctx context.Context, r Repo, base, head string) (string, error) {
	k, resp, err := c.on(r, readContents).Repositories.CompareCommits(ctx, r.Owner, r.Name, base, head, &gh.ListOptions{PerPage: 1})
	return k.GetMergeBaseCommit().GetSHA(), gone(resp, err)
}

// Role returns a person's role in the repository: admin, maintain, write, triage, read or none. A
// role can also have a name that the organisation has defined; base is then the nearest role of
// GitHub's.
func (c *Client) Role(ctx context.Context, r Repo, login string) (role, base string, err error) {
	req, err := c.on(r, metadata).NewRequest(http.MethodGet,
		fmt.Sprintf("repos/%s/%s/collaborators/%s/permission", r.Owner, r.Name, url.PathEscape(login)), nil)
	if err != nil {
		return "", "", err
	}
	// go-github's type has no field for the role.
	var p struct {
		Role       string `json:"role_name"`
		Permission string `json:"permission"`
	}
	resp, err := c.on(r, metadata).Do(ctx, req, &p)
	if missing(resp) {
		return "none", "none", nil
	}
	return p.Role, p.Permission, err
}
