package github

import (
	"context"

	gh "github.com/google/go-github/v60/github"
)

// actionsApp is whose check runs the jobs of GitHub Actions are.
const actionsApp = "github-actions"

// Tally is how many checks and commit statuses of other CI systems than GitHub
// Actions a commit has: of each check and context the newest.
type Tally struct{ Red, Waiting, Green int }

func (t *Tally) count(conclusion string, ended bool) {
	switch {
	case !ended:
		t.Waiting++
	case Red(conclusion):
		t.Red++
	case conclusion == "success":
		t.Green++
	}
}

// Others counts what other CI systems say of a commit. Statuses that odfix may
// not read count for nothing.
func (c *Client) Others(ctx context.Context, r Repo, sha string) (Tally, error) {
	var t Tally
	o := gh.ListCheckRunsOptions{Filter: gh.String("latest")}
	err := pages(&o.ListOptions, func() (*gh.Response, error) {
		list, resp, err := c.gh.Checks.ListCheckRunsForRef(ctx, r.Owner, r.Name, sha, &o)
		if err != nil {
			return resp, err
		}
		for _, k := range list.CheckRuns {
			if k.GetApp().GetSlug() != actionsApp && k.GetApp().GetID() != c.app.o.ID {
				t.count(k.GetConclusion(), k.GetStatus() == "completed")
			}
		}
		return resp, nil
	})
	if err != nil {
		return t, err
	}
	var page gh.ListOptions
	err = pages(&page, func() (*gh.Response, error) {
		list, resp, err := c.gh.Repositories.GetCombinedStatus(ctx, r.Owner, r.Name, sha, &page)
		if err != nil {
			return resp, err
		}
		for _, s := range list.Statuses {
			t.count(s.GetState(), s.GetState() != "pending")
		}
		return resp, nil
	})
	if Forbidden(err) {
		err = nil
	}
	return t, err
}
