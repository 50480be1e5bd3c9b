package githubtest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/testserver"
)

// world is a stand-in with a repository and an App that has odfix's permissions.
type world struct {
	*githubtest.Server
	t     testing.TB
	ctx   context.Context
	owner *githubtest.Account
	dev   *githubtest.Account
	repo  *githubtest.Repository
	app   *githubtest.App
	inst  *githubtest.Installation
	hooks *receiver
	gh    *github.Client // as the installation
}

const secret = "it's a secret to everybody"

var permissions = map[string]string{"checks": "write", "actions": "read", "statuses": "read", "pull_requests": "write",
	"contents": "write", "issues": "read"}

var events = []string{"workflow_run", "workflow_job", "check_run", "check_suite", "status", "pull_request", "issue_comment", "push"}

// base is the first commit. AppTest.java has enough lines for hunks that do not touch.
var base = map[string]string{
	"README.md":             "# demo\n",
	"src/test/AppTest.java": numbered(40),
	"src/test/OldTest.java": "class OldTest {\n}\n",
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("line " + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + "\n")
	}
	return b.String()
}

func newWorld(t *testing.T, config githubtest.Config) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	s := testserver.Start(t, config)
	w := &world{Server: s, t: t, ctx: ctx, dev: s.AddUser("dev"), hooks: &receiver{}}
	w.owner = s.AddOrganization("acme", w.dev)
	hooks := httptest.NewServer(w.hooks)
	t.Cleanup(hooks.Close)
	var err error
	w.app, err = s.AddApp(githubtest.AppSpec{Name: "odfix", WebhookURL: hooks.URL + "/hook", Secret: secret,
		CallbackURL: "http://127.0.0.1:9/callback", Permissions: permissions, Events: events})
	w.must(err)
	w.repo, err = s.AddRepository(ctx, githubtest.RepositorySpec{Owner: w.owner, Name: "demo", Private: true, Files: base})
	w.must(err)
	w.inst = w.app.Install(w.owner)
	w.repo.SetRole(w.dev, "write")
	w.gh = w.client(w.inst)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// client sends requests as an installation, as the product does.
func (w *world) client(i *githubtest.Installation) *github.Client {
	w.t.Helper()
	apps, err := ghinstallation.NewAppsTransport(http.DefaultTransport, w.app.ID, w.app.PEM())
	w.must(err)
	apps.BaseURL = w.URL
	tr := ghinstallation.NewFromAppsTransport(apps, i.ID)
	tr.BaseURL = w.URL
	return w.over(tr)
}

// asApp sends requests as the App.
func (w *world) asApp() *github.Client {
	w.t.Helper()
	tr, err := ghinstallation.NewAppsTransport(http.DefaultTransport, w.app.ID, w.app.PEM())
	w.must(err)
	return w.over(tr)
}

func (w *world) over(tr http.RoundTripper) *github.Client {
	w.t.Helper()
	c, err := github.NewClient(&http.Client{Transport: tr}).WithEnterpriseURLs(w.URL, w.URL)
	w.must(err)
	return c
}

// pull opens a pull request that changes line 10 of AppTest and adds a file.
func (w *world) pull() *githubtest.PullRequest {
	w.t.Helper()
	p, err := w.repo.OpenPullRequest(w.ctx, githubtest.PullSpec{Author: w.dev, Title: "A polluter", Branch: "feature/polluter",
		Change: githubtest.Change{Files: map[string]string{"src/test/AppTest.java": changed(10),
			"src/test/NewTest.java": "class NewTest {\n}\n"}}})
	w.must(err)
	return p
}

// changed is the numbered file with some lines replaced.
func changed(lines ...int) string {
	all := strings.SplitAfter(numbered(40), "\n")
	for _, n := range lines {
		all[n-1] = "changed\n"
	}
	return strings.Join(all, "")
}

// receiver records the webhooks that it receives.
type receiver struct {
	mu     sync.Mutex
	got    []hook
	status int
}

type hook struct {
	event, guid string
	header      http.Header
	body        []byte
}

func (h *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.got = append(h.got, hook{r.Header.Get("X-GitHub-Event"), r.Header.Get("X-GitHub-Delivery"), r.Header, body})
	if h.status != 0 {
		w.WriteHeader(h.status)
	}
}

func (h *receiver) answer(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = status
}

func (h *receiver) all() []hook {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.got)
}

// names are the events delivered so far, with their actions.
func (w *world) names() []string {
	w.t.Helper()
	w.must(w.Drain(w.ctx))
	var all []string
	for _, d := range w.app.Deliveries() {
		all = append(all, strings.TrimSuffix(d.Event+"."+d.Action, "."))
	}
	return all
}

// expectMismatch clears the mismatches. The first must contain the words.
func (w *world) expectMismatch(words string) {
	w.t.Helper()
	all := w.TakeMismatches()
	if len(all) == 0 || !strings.Contains(all[0].String(), words) {
		w.t.Errorf("mismatches: %v, want one about %q", all, words)
	}
}

func status(resp *github.Response) int {
	if resp == nil {
		return 0
	}
	return resp.StatusCode
}
