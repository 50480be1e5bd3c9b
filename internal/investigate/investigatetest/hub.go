// Package investigatetest has what tests of the App share: a stand-in GitHub with the demo's
// repository, and a runner that answers with a recorded report.
package investigatetest

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/examples"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/testserver"
	"github.com/odfix/odfix/internal/verdict"
)

// Hub is a stand-in GitHub with the repository acme/shop, which holds the demo without its
// polluter, and with the App installed on it. Webhooks are held back until the test releases them.
type Hub struct {
	*githubtest.Server
	T     *testing.T
	Ctx   context.Context // ends long after any test
	Dev   *githubtest.Account
	Owner *githubtest.Account
	App   *githubtest.App
	Inst  *githubtest.Installation
	Repo  *githubtest.Repository
}

const (
	// PolluterFile is the file that pull requests add.
	PolluterFile = "src/test/java/com/example/shop/CatalogueImportTest.java"
	// Victim is the test that then fails.
	Victim = "com.example.shop.ReceiptTest#printsTheTotal"
	// Secret is the webhooks'.
	Secret = "a secret of the tests"
	// Limit is met only by a test that hangs.
	Limit = time.Hour
)

// Permissions are all that the App can use.
func Permissions() map[string]string {
	out := map[string]string{}
	for _, n := range github.Needs() {
		out[n.Name] = n.Level
	}
	return out
}

// New starts a hub, which ends with the test. Its repository is private.
func New(t *testing.T, config githubtest.Config) *Hub {
	t.Helper()
	return start(t, config, true)
}

// NewPublic is New with a public repository.
func NewPublic(t *testing.T) *Hub {
	t.Helper()
	return start(t, githubtest.Config{}, false)
}

func start(t *testing.T, config githubtest.Config, private bool) *Hub {
	t.Helper()
	h := &Hub{T: t}
	var cancel context.CancelFunc
	h.Ctx, cancel = context.WithTimeout(context.Background(), Limit)
	t.Cleanup(cancel)
	h.Server = testserver.Start(t, config)
	h.Dev = h.AddUser("dev")
	h.Owner = h.AddOrganization("acme", h.Dev)
	var err error
	h.App, err = h.AddApp(githubtest.AppSpec{Name: "odfix", WebhookURL: "http://127.0.0.1:9/", Secret: Secret,
		Permissions: Permissions(), Events: github.Subscriptions()})
	h.Must(err)
	h.App.Hold()
	dir := t.TempDir()
	h.Must(os.CopyFS(dir, h.demo()))
	h.Repo, err = h.AddRepository(h.Ctx, githubtest.RepositorySpec{Owner: h.Owner, Name: "shop", Private: private, Dir: dir})
	h.Must(err)
	_, err = h.Repo.Commit(h.Ctx, h.Dev, "main", "Without the import tests", githubtest.Change{Remove: []string{PolluterFile}})
	h.Must(err)
	h.Repo.SetRole(h.Dev, "write")
	h.Inst = h.App.Install(h.Owner)
	return h
}

func (h *Hub) demo() fs.FS {
	files, err := examples.Sources("demo")
	h.Must(err)
	return files
}

// Example is the text of a file of one of odfix's examples.
func Example(t testing.TB, name, file string) string {
	t.Helper()
	files, err := examples.Sources(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := fs.ReadFile(files, file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Polluter is the text of PolluterFile.
func (h *Hub) Polluter() string {
	h.T.Helper()
	b, err := fs.ReadFile(h.demo(), PolluterFile)
	h.Must(err)
	return string(b)
}

// Must fails the test on an error.
func (h *Hub) Must(err error) {
	h.T.Helper()
	if err != nil {
		h.T.Fatal(err)
	}
}

// Pull opens a pull request that adds the polluter; from is a fork, or nil.
func (h *Hub) Pull(from *githubtest.Repository) *githubtest.PullRequest {
	h.T.Helper()
	p, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.Dev, Title: "Import tests", Branch: "feature/import", From: from,
		Change: githubtest.Change{Files: map[string]string{PolluterFile: h.Polluter()}}})
	h.Must(err)
	return p
}

// Push adds a commit that concerns no test.
func (h *Hub) Push(p *githubtest.PullRequest, text string) {
	h.T.Helper()
	_, err := p.Push(h.Ctx, text, githubtest.Change{Files: map[string]string{"NOTES.md": text + "\n"}})
	h.Must(err)
}

// Configure commits a configuration to the base branch.
func (h *Hub) Configure(text string) {
	h.T.Helper()
	_, err := h.Repo.Commit(h.Ctx, h.Dev, "main", "Configure", githubtest.Change{Files: map[string]string{".odfix.yml": text}})
	h.Must(err)
}

// Red lets CI fail: its lint job, and its test job with a log.
func (h *Hub) Red(p *githubtest.PullRequest, log []byte) *githubtest.Run {
	h.T.Helper()
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"lint", "test (17)"}})
	h.Must(err)
	run.Job("lint").Complete(h.Ctx, "failure", []byte("2026-05-04T03:02:01.0000001Z src/A.java:3: line too long\n"))
	run.Job("test (17)").Complete(h.Ctx, "failure", log)
	run.Complete(h.Ctx, "failure")
	return run
}

// Green lets CI pass.
func (h *Hub) Green(p *githubtest.PullRequest) {
	h.T.Helper()
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}})
	h.Must(err)
	run.Complete(h.Ctx, "success")
}

// Drained reports whether every webhook so far was delivered.
func (h *Hub) Drained() bool {
	return !slices.ContainsFunc(h.App.Deliveries(), func(d githubtest.Delivery) bool { return !d.Done })
}

// Posted is what stands on a pull request of the App's.
type Posted struct {
	Checks   []*gh.CheckRun // on the head
	Comments []*gh.IssueComment
	Inline   []*gh.PullRequestComment
	Reviews  int
}

// Posted reads a pull request as people see it.
func (h *Hub) Posted(p *githubtest.PullRequest) Posted {
	h.T.Helper()
	st, err := p.State(h.Ctx)
	h.Must(err)
	out := Posted{Reviews: len(st.Reviews)}
	out.Checks, err = githubtest.As[[]*gh.CheckRun](st.Checks)
	h.Must(err)
	out.Checks = slices.DeleteFunc(out.Checks, func(c *gh.CheckRun) bool { return c.GetApp().GetID() != h.App.ID })
	out.Comments, err = githubtest.As[[]*gh.IssueComment](st.Comments)
	h.Must(err)
	out.Comments = slices.DeleteFunc(out.Comments, func(c *gh.IssueComment) bool { return c.GetUser().GetType() != "Bot" })
	out.Inline, err = githubtest.As[[]*gh.PullRequestComment](st.Inline)
	h.Must(err)
	return out
}

// Causes are the comments about causes, one of each, wherever they stand.
func (s Posted) Causes() []string {
	var out []string
	for _, c := range s.Inline {
		out = append(out, c.GetBody())
	}
	for _, c := range s.Comments {
		out = append(out, c.GetBody())
	}
	return slices.DeleteFunc(out, func(b string) bool {
		m, ok := verdict.FindMarker(b)
		return !ok || m.Part > 1
	})
}

// Nothing reports whether nothing is posted.
func (s Posted) Nothing() bool {
	return len(s.Checks)+len(s.Comments)+len(s.Inline)+s.Reviews == 0
}

// CheckRun reads a check of any commit, as the App does.
func (h *Hub) CheckRun(id int64) *gh.CheckRun {
	h.T.Helper()
	c, _, err := h.Client(h.App, h.Inst).Checks.GetCheckRun(h.Ctx, "acme", "shop", id)
	h.Must(err)
	return c
}

// Client is GitHub's API as an App's installation sees it.
func (h *Hub) Client(app *githubtest.App, i *githubtest.Installation) *gh.Client {
	h.T.Helper()
	apps, err := ghinstallation.NewAppsTransport(http.DefaultTransport, app.ID, app.PEM())
	h.Must(err)
	apps.BaseURL = h.URL
	client, err := gh.NewClient(&http.Client{Transport: ghinstallation.NewFromAppsTransport(apps, i.ID)}).WithEnterpriseURLs(h.URL, h.URL)
	h.Must(err)
	return client
}
