package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/testserver"
	"github.com/odfix/odfix/internal/investigate"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
)

// hub is a stand-in GitHub with a repository of the demo, the App installed on it, and `odfix
// serve` before it.
type hub struct {
	*githubtest.Server
	t      *testing.T
	ctx    context.Context
	life   time.Duration // of all of it
	dev    *githubtest.Account
	owner  *githubtest.Account
	app    *githubtest.App
	inst   *githubtest.Installation
	repo   *githubtest.Repository
	runner *recorded
	server *server
	adjust func(*appOptions) // what `odfix serve` is started with; nil: as it is
}

const polluterFile = "src/test/java/com/example/shop/CatalogueImportTest.java"

// quickLife is met only by a test that hangs, on the busiest machine, too.
const quickLife = time.Hour

// quick is a pace at which nothing is waited for longer than a test can.
var quick = investigate.Pace{
	Gather: time.Minute, Look: 20 * time.Millisecond, Beat: 50 * time.Millisecond, Silence: 20 * time.Second, Progress: 100 * time.Millisecond,
	Patience: 2 * time.Second, Config: time.Millisecond, Sweep: time.Hour, Reap: 10 * time.Second, Redeliver: time.Hour,
}

var appPermissions = map[string]string{"checks": "write", "actions": "read", "statuses": "read", "pull_requests": "write", "contents": "read", "issues": "read"}

var appEvents = []string{"workflow_run", "workflow_job", "check_run", "check_suite", "status", "pull_request", "issue_comment", "push"}

// newHub starts all of it. The runner answers with a recorded report, unless another is given.
func newHub(t *testing.T, config githubtest.Config, answer string) *hub {
	t.Helper()
	h := &hub{t: t, life: quickLife, runner: newRecorded(t, answer)}
	h.github(config)
	h.serve(h.runner)
	return h
}

// onlyShort leaves a variant of a path to the long tests, unless it is one of these.
func onlyShort(t *testing.T, variant string, short ...string) {
	t.Helper()
	if testing.Short() && !slices.Contains(short, variant) {
		t.Skipf("a variant of %v", short)
	}
}

func (h *hub) github(config githubtest.Config) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), h.life)
	h.t.Cleanup(cancel)
	h.ctx = ctx
	h.Server = testserver.Start(h.t, config)
	h.dev = h.AddUser("dev")
	h.owner = h.AddOrganization("acme", h.dev)
	var err error
	h.app, err = h.AddApp(githubtest.AppSpec{Name: "odfix", WebhookURL: "http://127.0.0.1:9/", Secret: childSecret, Permissions: appPermissions, Events: appEvents})
	h.must(err)
	h.app.Hold()
	h.repo, err = h.AddRepository(ctx, githubtest.RepositorySpec{Owner: h.owner, Name: "shop", Private: true, Dir: filepath.Join("..", "examples", "demo")})
	h.must(err)
	_, err = h.repo.Commit(ctx, h.dev, "main", "Without the import tests", githubtest.Change{Remove: []string{polluterFile}})
	h.must(err)
	h.repo.SetRole(h.dev, "write")
	h.inst = h.app.Install(h.owner)
}

// serve starts `odfix serve` as its command does, and lets the webhooks go.
func (h *hub) serve(d dispatch.Dispatcher) {
	h.t.Helper()
	o := serveOptions{
		listen: "127.0.0.1:0", database: storetest.SQLite(h.t), logLevel: "warn", logFormat: "console", stopAfter: 10 * time.Second, deliveryTasks: 4, secrets: []string{childSecret},
		app: appOptions{id: h.app.ID, key: h.app.PEM(), api: h.URL, runners: 2, work: h.t.TempDir(), pace: quick},
	}
	if h.adjust != nil {
		h.adjust(&o.app)
	}
	w := world{stderr: testLog{h.t}, getenv: os.Getenv, now: time.Now, runner: func(io.Writer) dispatch.Dispatcher { return d }}
	s, err := openServer(h.ctx, w, o)
	h.must(err)
	h.server = s
	h.t.Cleanup(func() {
		h.must(s.close())
	})
	h.app.SetWebhookURL("http://" + s.hooks.Addr().String() + "/webhook")
	h.app.Release(nil)
}

type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

func (h *hub) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// pull opens a pull request that adds the polluter; from may be a fork.
func (h *hub) pull(from *githubtest.Repository) *githubtest.PullRequest {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "examples", "demo", polluterFile))
	h.must(err)
	p, err := h.repo.OpenPullRequest(h.ctx, githubtest.PullSpec{Author: h.dev, Title: "Import tests", Branch: "feature/import", From: from,
		Change: githubtest.Change{Files: map[string]string{polluterFile: string(text)}}})
	h.must(err)
	return p
}

// red lets CI fail on a pull request, with a recorded log.
func (h *hub) red(p *githubtest.PullRequest, log string) *githubtest.Run {
	h.t.Helper()
	run, err := h.repo.StartRun(h.ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"lint", "test (17)"}})
	h.must(err)
	run.Job("lint").Complete(h.ctx, "failure", []byte("2026-05-04T03:02:01.0000001Z src/A.java:3: line too long\n"))
	run.Job("test (17)").Complete(h.ctx, "failure", h.file(log))
	run.Complete(h.ctx, "failure")
	return run
}

func (h *hub) file(name string) []byte {
	h.t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "path", name))
	h.must(err)
	return b
}

// seen is a pull request as people see it: our checks and comments.
type seen struct {
	checks   []*gh.CheckRun
	comments []*gh.IssueComment
	reviews  int
	inline   []*gh.PullRequestComment
}

func (h *hub) see(p *githubtest.PullRequest) seen {
	h.t.Helper()
	st, err := p.State(h.ctx)
	h.must(err)
	var out seen
	checks, err := githubtest.As[[]*gh.CheckRun](st.Checks)
	h.must(err)
	for _, c := range checks {
		if c.GetApp().GetID() == h.app.ID {
			out.checks = append(out.checks, c)
		}
	}
	out.comments, err = githubtest.As[[]*gh.IssueComment](st.Comments)
	h.must(err)
	out.comments = slices.DeleteFunc(out.comments, func(c *gh.IssueComment) bool { return c.GetUser().GetType() != "Bot" })
	out.inline, err = githubtest.As[[]*gh.PullRequestComment](st.Inline)
	h.must(err)
	out.reviews = len(st.Reviews)
	return out
}

// checked waits until the pull request has so many checks of ours.
func (h *hub) checked(p *githubtest.PullRequest, n int) {
	h.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for len(h.see(p).checks) < n {
		select {
		case <-tick.C:
		case <-h.ctx.Done():
			h.t.Fatalf("%d checks, fewer than %d", len(h.see(p).checks), n)
		}
	}
}

// settled waits until so many investigations have ended, and no step is left to be done.
func (h *hub) settled(p *githubtest.PullRequest, ended int) []store.Investigation {
	h.t.Helper()
	var list []store.Investigation
	var q store.QueueState
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		drained := h.drained() // before: each delivery is in the queue by then
		h.must(h.server.store.View(context.Background(), func(tx *store.Tx) (err error) {
			if list, err = tx.Investigations(h.repo.ID, int64(p.Number)); err != nil {
				return err
			}
			q, err = tx.Queue()
			return err
		}))
		n := 0
		for _, i := range list {
			if i.State.Ended() {
				n++
			}
		}
		busy := q.Jobs["available"] + q.Jobs["running"] + q.Jobs["scheduled"] + q.Jobs["retryable"]
		if n >= ended && busy == 0 && drained {
			return list
		}
		select {
		case <-tick.C:
		case <-h.ctx.Done():
			for _, d := range h.app.Deliveries() {
				h.t.Logf("%s %s: %v %d %s", d.Event, d.Action, d.Done, d.StatusCode, d.Status)
			}
			h.t.Fatalf("it does not settle: %+v, queue %v", list, q.Jobs)
		}
	}
}

func (h *hub) drained() bool {
	for _, d := range h.app.Deliveries() {
		if !d.Done {
			return false
		}
	}
	return true
}

// recorded is a dispatcher whose runner says what one once said.
type recorded struct {
	answer []byte
	begun  chan job.Job  // hears of each job
	hold   chan struct{} // nil, or answers wait until it is closed

	mu      sync.Mutex
	jobs    []job.Job
	sources [][]string // the files of each job's sources
	stopped int
}

func newRecorded(t *testing.T, name string) *recorded {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "path", name))
	if err != nil {
		t.Fatal(err)
	}
	return &recorded{answer: b, begun: make(chan job.Job, 100)}
}

// Run implements dispatch.Dispatcher.
func (d *recorded) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	var files []string
	_ = filepath.WalkDir(j.Dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			rel, _ := filepath.Rel(j.Dir, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	d.mu.Lock()
	d.jobs, d.sources = append(d.jobs, j), append(d.sources, files)
	d.mu.Unlock()
	on(job.Event{Phase: job.PhaseBuild, Message: "building"})
	on(job.Event{Phase: job.PhaseDiagnose, Done: 3, Total: 12, Message: "asking"})
	d.begun <- j
	if d.hold != nil {
		select {
		case <-d.hold:
		case <-ctx.Done():
			d.mu.Lock()
			d.stopped++
			d.mu.Unlock()
			return nil, &job.Error{Code: dispatch.CodeStopped, Message: "stopped"}
		}
	}
	var r job.Report
	if err := json.Unmarshal(d.answer, &r); err != nil {
		return nil, fmt.Errorf("the recorded report: %w", err)
	}
	return &r, nil
}

func (d *recorded) asked() []job.Job {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.jobs)
}

// checkRun reads a check of any commit, as the App would.
func (h *hub) checkRun(id int64) *gh.CheckRun {
	h.t.Helper()
	c, _, err := h.client(h.app, h.inst).Checks.GetCheckRun(h.ctx, "acme", "shop", id)
	h.must(err)
	return c
}

// client is GitHub's API as an App's installation sees it.
func (h *hub) client(app *githubtest.App, i *githubtest.Installation) *gh.Client {
	h.t.Helper()
	apps, err := ghinstallation.NewAppsTransport(http.DefaultTransport, app.ID, app.PEM())
	h.must(err)
	apps.BaseURL = h.URL
	client, err := gh.NewClient(&http.Client{Transport: ghinstallation.NewFromAppsTransport(apps, i.ID)}).WithEnterpriseURLs(h.URL, h.URL)
	h.must(err)
	return client
}
