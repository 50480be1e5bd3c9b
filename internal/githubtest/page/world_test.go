package page_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/page"
	"github.com/odfix/odfix/internal/githubtest/testserver"
)

// world is a pull request that an App has reviewed, and its pages.
type world struct {
	*githubtest.Server
	t    *testing.T
	ctx  context.Context
	dev  *githubtest.Account
	repo *githubtest.Repository
	pull *githubtest.PullRequest
	api  *gh.Client // as the App
	busy atomic.Value
}

const source = "src/test/java/ATest.java"

func newWorld(t *testing.T, body string) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	w := &world{t: t, ctx: ctx}
	w.busy.Store("")
	w.Server = testserver.Start(t, githubtest.Config{Pages: page.Handler(w)})
	w.dev = w.AddUser("dev")
	acme := w.AddOrganization("acme", w.dev)
	app, err := w.AddApp(githubtest.AppSpec{Name: "odfix", WebhookURL: "http://127.0.0.1:9/", Secret: "s",
		Permissions: map[string]string{"checks": "write", "pull_requests": "write"}})
	w.must(err)
	w.repo, err = w.AddRepository(ctx, githubtest.RepositorySpec{Owner: acme, Name: "demo", Files: map[string]string{"README.md": "x\n"}})
	w.must(err)
	w.repo.SetRole(w.dev, "write")
	inst := app.Install(acme)
	apps, err := ghinstallation.NewAppsTransport(http.DefaultTransport, app.ID, app.PEM())
	w.must(err)
	apps.BaseURL = w.URL
	w.api, err = gh.NewClient(&http.Client{Transport: ghinstallation.NewFromAppsTransport(apps, inst.ID)}).WithEnterpriseURLs(w.URL, w.URL)
	w.must(err)
	w.pull, err = w.repo.OpenPullRequest(ctx, githubtest.PullSpec{Author: w.dev, Title: "A <b>bold</b> title", Body: body, Branch: "topic",
		Change: githubtest.Change{Files: map[string]string{source: "class ATest {\n    int one;\n    int two;\n}\n"}}})
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// review writes a comment on the lines of the two fields.
func (w *world) review(body string) int64 {
	w.t.Helper()
	_, _, err := w.api.PullRequests.CreateReview(w.ctx, "acme", "demo", w.pull.Number,
		&gh.PullRequestReviewRequest{CommitID: gh.String(w.pull.HeadSha()), Event: gh.String("COMMENT"),
			Comments: []*gh.DraftReviewComment{{Path: gh.String(source), StartLine: gh.Int(2),
				StartSide: gh.String("RIGHT"), Line: gh.Int(3), Side: gh.String("RIGHT"), Body: gh.String(body)}}})
	w.must(err)
	st, err := w.pull.State(w.ctx)
	w.must(err)
	list, err := githubtest.As[[]*gh.PullRequestComment](st.Inline)
	w.must(err)
	return list[len(list)-1].GetID()
}

func (w *world) check(title, text string) *gh.CheckRun {
	w.t.Helper()
	c, _, err := w.api.Checks.CreateCheckRun(w.ctx, "acme", "demo",
		gh.CreateCheckRunOptions{Name: "odfix", HeadSHA: w.pull.HeadSha(), Status: gh.String("completed"), Conclusion: gh.String("neutral"),
			Output: &gh.CheckRunOutput{Title: gh.String(title), Summary: gh.String(text), Text: gh.String(text),
				Annotations: []*gh.CheckRunAnnotation{{Path: gh.String("README.md"), StartLine: gh.Int(1),
					EndLine: gh.Int(1), AnnotationLevel: gh.String("failure"), Title: gh.String(title), Message: gh.String(text)}}}})
	w.must(err)
	return c
}

// PullRequests implements page.Host.
func (w *world) PullRequests() []*githubtest.PullRequest { return w.repo.PullRequests() }

// Busy implements page.Host.
func (w *world) Busy(*githubtest.PullRequest) string { return w.busy.Load().(string) }

// Accept implements page.Host.
func (w *world) Accept(ctx context.Context, p *githubtest.PullRequest, comment int64) error {
	_, err := p.ApplySuggestions(ctx, w.dev, comment)
	return err
}

// get sends a request as a browser would, and follows no redirect.
func (w *world) get(method, path, form string, header ...string) (*http.Response, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.ctx, method, w.WebURL+path, strings.NewReader(form))
	w.must(err)
	if form != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header) && header[i] != ""; i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	w.must(err)
	b, err := io.ReadAll(resp.Body)
	w.must(errors.Join(err, resp.Body.Close()))
	return resp, string(b)
}

func (w *world) page() string {
	w.t.Helper()
	resp, text := w.get("GET", "/acme/demo/pull/1", "")
	if resp.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %s", resp.Status, text)
	}
	return text
}

func want(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in\n%s", p, text)
		}
	}
}
