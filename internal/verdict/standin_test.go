package verdict_test

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/testserver"
	"github.com/odfix/odfix/internal/verdict"
)

// TestOnStandIn posts every suggestion of the ladder to a server that keeps GitHub's rules for
// reviews, and accepts all of them there. One pull request holds all steps.
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
	client := as(t, s, app, app.Install(owner))
	steps, base, change := verdict.Steps(), map[string]string{"LICENSE": "none\n"}, githubtest.Change{Files: map[string]string{}}
	for _, c := range steps {
		maps.Copy(base, c.Base)
		maps.Copy(change.Files, c.Head)
	}
	for path := range base {
		if _, stays := change.Files[path]; !stays && path != "LICENSE" {
			change.Remove = append(change.Remove, path)
		}
	}
	repo, err := s.AddRepository(ctx, githubtest.RepositorySpec{Owner: owner, Name: "shop", Files: base})
	must(t, err)
	p, err := repo.OpenPullRequest(ctx, githubtest.PullSpec{Author: dev, Title: "all steps", Branch: "topic", Change: change})
	must(t, err)
	files, _, err := client.PullRequests.ListFiles(ctx, "acme", repo.Name, p.Number, &gh.ListOptions{PerPage: 100})
	must(t, err)
	var posted []verdict.Step
	var ids []int64
	for _, c := range steps {
		in := c.Input(t)
		in.Files, in.HeadSHA = nil, p.HeadSha()
		for _, f := range files {
			if strings.HasPrefix(f.GetFilename(), c.Folder) {
				in.Files = append(in.Files, verdict.File{Path: f.GetFilename(), Status: f.GetStatus(), Patch: f.GetPatch()})
			}
		}
		k := verdict.PlanOf(in).Comments[0]
		if k.Rung != c.Rung {
			t.Errorf("%s: %s, want %s", c.Name, k.Rung, c.Rung)
		}
		if k.Rung == config.Suggestion {
			ids = append(ids, review(ctx, t, client, repo.Name, p, k)...)
			posted = append(posted, c)
		}
	}
	if len(posted) < 10 {
		t.Errorf("only %d suggestions were posted", len(posted))
	}
	sha, err := p.ApplySuggestions(ctx, dev, ids...)
	must(t, err)
	for _, c := range posted {
		for path, want := range c.Want {
			got, _, _, err := client.Repositories.GetContents(ctx, "acme", repo.Name, path, &gh.RepositoryContentGetOptions{Ref: sha})
			must(t, err)
			if text, err := got.GetContent(); err != nil || text != want {
				t.Errorf("%s: %s is %q, %v, want %q", c.Name, path, text, err, want)
			}
		}
	}
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
