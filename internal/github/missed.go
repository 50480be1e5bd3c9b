package github

import (
	"context"
	"errors"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// Missed returns the deliveries since a time of which no attempt reached odfix: one id of each, for
// Redeliver. GitHub keeps deliveries for three days, and does not repeat them by itself.
func (a *App) Missed(ctx context.Context, since time.Time) ([]int64, error) {
	type fate struct {
		id      int64
		arrived bool
	}
	var order []string
	fates := map[string]*fate{}
	o := gh.ListCursorOptions{PerPage: 100}
	for range mostDeliveryPages {
		list, resp, err := a.own.Apps.ListHookDeliveries(ctx, &o)
		if err != nil {
			return nil, err
		}
		old := false
		for _, d := range list {
			if d.GetDeliveredAt().Before(since) {
				old = true
				continue
			}
			f := fates[d.GetGUID()]
			if f == nil {
				f = &fate{id: d.GetID()}
				fates[d.GetGUID()] = f
				order = append(order, d.GetGUID())
			}
			f.arrived = f.arrived || arrived(d.GetStatusCode())
		}
		if old || resp.Cursor == "" {
			break
		}
		o.Cursor = resp.Cursor
	}
	var out []int64
	for _, guid := range order {
		if f := fates[guid]; !f.arrived {
			out = append(out, f.id)
		}
	}
	return out, nil
}

// mostDeliveryPages bounds the search, with a hundred deliveries on a page.
const mostDeliveryPages = 300

// arrived reports whether odfix has accepted the delivery, or has refused it for good.
func arrived(status int) bool {
	return status >= 200 && status < 500 && status != 408 && status != 429 && status != 401 && status != 404
}

// Redeliver requests a delivery again, with the same GUID. ErrGone means that GitHub no longer has
// it.
func (a *App) Redeliver(ctx context.Context, id int64) error {
	_, resp, err := a.own.Apps.RedeliverHookDelivery(ctx, id)
	if _, ok := errors.AsType[*gh.AcceptedError](err); ok {
		return nil // go-github's way to report a 202
	}
	return gone(resp, err)
}

// InstallationInfo is an installation of the App.
type InstallationInfo struct {
	ID          int64
	AccountID   int64
	Account     string // the login
	Permissions map[string]string
	Suspended   bool
	Updated     time.Time
}

// Installations returns all installations.
func (a *App) Installations(ctx context.Context) ([]InstallationInfo, error) {
	var o gh.ListOptions
	var out []InstallationInfo
	err := pages(&o, func() (*gh.Response, error) {
		list, resp, err := a.own.Apps.ListInstallations(ctx, &o)
		for _, i := range list {
			out = append(out, InstallationInfo{i.GetID(), i.GetAccount().GetID(), i.GetAccount().GetLogin(), granted(i.GetPermissions()),
				i.SuspendedAt != nil, i.GetUpdatedAt().Time})
		}
		return resp, err
	})
	return out, err
}

// Reaches reports whether an installation has a repository now. It asks for a token, which nobody uses:
// GitHub makes one for a repository only if the installation has it. Nothing is reached through an
// installation that is removed or suspended.
func (a *App) Reaches(ctx context.Context, installation, repository int64) (bool, error) {
	_, resp, err := a.own.Apps.CreateInstallationToken(ctx, installation,
		&gh.InstallationTokenOptions{RepositoryIDs: []int64{repository}, Permissions: metadata.permissions()})
	if Unprocessable(err) || Forbidden(err) || missing(resp) {
		return false, nil
	}
	return err == nil, err
}

// granted selects the permissions that odfix uses.
func granted(p *gh.InstallationPermissions) map[string]string {
	out := map[string]string{}
	for name, level := range map[string]*string{
		"checks": p.Checks, "actions": p.Actions, "statuses": p.Statuses, "pull_requests": p.PullRequests,
		"contents": p.Contents, "issues": p.Issues, "metadata": p.Metadata,
	} {
		if level != nil {
			out[name] = *level
		}
	}
	return out
}

// Listed is a repository in the list of an installation's repositories.
type Listed struct {
	Repo
	Open int // issues and pull requests that are open
}

// Repositories returns one page of the repositories of the installation, and whether there are more.
// The first page is 1.
func (c *Client) Repositories(ctx context.Context, page, size int) (out []Listed, more bool, err error) {
	list, resp, err := c.list().Apps.ListRepos(ctx, &gh.ListOptions{Page: page, PerPage: size})
	if err != nil {
		return nil, false, err
	}
	for _, r := range list.Repositories {
		out = append(out, Listed{Repo{r.GetID(), r.GetOwner().GetLogin(), r.GetName()}, r.GetOpenIssuesCount()})
	}
	return out, resp.NextPage != 0, nil
}
