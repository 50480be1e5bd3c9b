package github

import (
	"context"

	gh "github.com/google/go-github/v60/github"
)

// actionsApp is the App of the check runs of GitHub Actions.
const actionsApp = "github-actions"

// Tally counts the newest checks and commit statuses of a commit from other CI systems than GitHub
// Actions.
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

// Others counts the results of other CI systems for a commit. Without the permission, it does not
// count statuses.
func (c *Client) Others(ctx context.Context, r Repo, sha string) (Tally, error) {
	var t Tally
	o := gh.ListCheckRunsOptions{Filter: gh.String("latest")}
	err := c.checkRuns(ctx, r, sha, &o, func(k *gh.CheckRun) {
		if k.GetApp().GetSlug() != actionsApp && k.GetApp().GetID() != c.app.o.ID {
			t.count(k.GetConclusion(), k.GetStatus() == "completed")
		}
	})
	if err != nil {
		return t, err
	}
	var page gh.ListOptions
	err = pages(&page, func() (*gh.Response, error) {
		list, resp, err := c.on(r, readStatuses).Repositories.GetCombinedStatus(ctx, r.Owner, r.Name, sha, &page)
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
