package verdict_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/testserver"
	"github.com/odfix/odfix/internal/verdict"
)

// TestOnStandIn posts every suggestion of the ladder to a server that keeps
// GitHub's rules for reviews, and accepts it there.
func TestOnStandIn(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	s := testserver.Start(t, githubtest.Config{})
	dev := s.AddUser("dev")
	owner := s.AddOrganization("acme", dev)
	app, err := s.AddApp(githubtest.AppSpec{Name: "odfix", WebhookURL: "http://127.0.0.1:9/", Secret: "s",
		Permissions: map[string]string{"pull_requests": "write", "contents": "read"}})
	must(t, err)
	app.Hold()
	inst := app.Install(owner)
	posted := 0
	for i, c := range verdict.Steps() {
		repo, err := s.AddRepository(ctx, githubtest.RepositorySpec{Owner: owner, Name: fmt.Sprintf("r%d", i), Files: withReadme(c.Base)})
		must(t, err)
		change := githubtest.Change{Files: c.Head}
		for path := range c.Base {
			if _, stays := c.Head[path]; !stays {
				change.Remove = append(change.Remove, path)
			}
		}
		p, err := repo.OpenPullRequest(ctx, githubtest.PullSpec{Author: dev, Title: c.Name, Branch: "topic", Change: change})
		must(t, err)
		client := as(t, s, app, inst)
		files, _, err := client.PullRequests.ListFiles(ctx, "acme", repo.Name, p.Number, nil)
		must(t, err)
		in := c.Input(t)
		in.Files, in.HeadSHA = nil, p.HeadSha()
		for _, f := range files {
			in.Files = append(in.Files, verdict.File{Path: f.GetFilename(), Status: f.GetStatus(), Patch: f.GetPatch()})
		}
		k := verdict.New(in).Comments[0]
		if k.Rung != c.Rung {
			t.Errorf("%s: %s, want %s", c.Name, k.Rung, c.Rung)
		}
		if k.Rung != config.Suggestion {
			continue
		}
		ids := review(ctx, t, client, repo.Name, p, k)
		if ids == nil {
			continue
		}
		sha, err := p.ApplySuggestions(ctx, dev, ids...)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		posted++
		for path, want := range c.Want {
			got, _, _, err := client.Repositories.GetContents(ctx, "acme", repo.Name, path, &gh.RepositoryContentGetOptions{Ref: sha})
			must(t, err)
			if text, err := got.GetContent(); err != nil || text != want {
				t.Errorf("%s: %s is %q, %v, want %q", c.Name, path, text, err, want)
			}
		}
	}
	if posted < 10 {
		t.Errorf("only %d suggestions were posted", posted)
	}
}

func withReadme(files map[string]string) map[string]string {
	out := maps.Clone(files)
	out["LICENSE"] = "none\n" // a repository has at least one file
	return out
}

func review(ctx context.Context, t *testing.T, client *gh.Client, repo string, p *githubtest.PullRequest, k verdict.Comment) []int64 {
	t.Helper()
	req := &gh.PullRequestReviewRequest{Event: gh.String("COMMENT"), CommitID: gh.String(p.HeadSha())}
	for _, one := range k.Inline {
		d := &gh.DraftReviewComment{Path: gh.String(one.Path), Line: gh.Int(one.Line), Side: gh.String(verdict.Side),
			Body: gh.String(one.Body)}
		if one.StartLine > 0 {
			d.StartLine, d.StartSide = gh.Int(one.StartLine), gh.String(verdict.Side)
		}
		req.Comments = append(req.Comments, d)
	}
	r, _, err := client.PullRequests.CreateReview(ctx, "acme", repo, p.Number, req)
	if err != nil {
		t.Errorf("%s: %v", repo, err)
		return nil
	}
	list, _, err := client.PullRequests.ListReviewComments(ctx, "acme", repo, p.Number, r.GetID(), nil)
	must(t, err)
	var ids []int64
	for _, one := range list {
		ids = append(ids, one.GetID())
	}
	return ids
}

func as(t *testing.T, s *githubtest.Server, app *githubtest.App, inst *githubtest.Installation) *gh.Client {
	t.Helper()
	apps, err := ghinstallation.NewAppsTransport(http.DefaultTransport, app.ID, app.PEM())
	must(t, err)
	apps.BaseURL = s.URL
	tr := ghinstallation.NewFromAppsTransport(apps, inst.ID)
	tr.BaseURL = s.URL
	c, err := gh.NewClient(&http.Client{Transport: tr}).WithEnterpriseURLs(s.URL, s.URL)
	must(t, err)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
