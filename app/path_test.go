package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

// TestRedBuildToComment is the main path: red CI, one job for a runner with what
// CI's log says, a check and a comment.
func TestRedBuildToComment(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.pull(nil)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if len(list) != 1 || list[0].State != store.Done {
		t.Fatalf("%+v", list)
	}
	h.wantJob()
	s := h.see(p)
	if len(s.checks) != 1 || len(s.comments) != 0 || s.reviews != 1 {
		t.Fatalf("%d checks, %d comments, %d reviews", len(s.checks), len(s.comments), s.reviews)
	}
	c := s.checks[0]
	if c.GetConclusion() != "neutral" || c.GetExternalID() != list[0].ID || !strings.HasPrefix(c.GetOutput().GetTitle(), "Order-dependent: ReceiptTest#printsTheTotal") {
		t.Errorf("%s: %s", c.GetConclusion(), c.GetOutput().GetTitle())
	}
	wantIn(t, s.inline[0].GetBody(), "ReceiptTest#printsTheTotal", "readsThePriceListOfAGermanSupplier", "```suggestion")
	h.accept(p, s)
	h.measured(`odfix_verdicts_total{verdict="victim"} 1`, `odfix_investigation_seconds_count{state="done"} 1`, `odfix_phase_seconds_count{phase="prove"} 1`,
		`odfix_phase_seconds_count{phase="before"} 1`, "odfix_api_installations 1", "odfix_api_installations_waiting 0", "odfix_api_budget_left_ratio 0.")
}

// measured holds that the metrics say all that.
func (h *hub) measured(want ...string) {
	h.t.Helper()
	w := httptest.NewRecorder()
	h.server.metrics.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	wantIn(h.t, w.Body.String(), want...)
}

// accept accepts all suggestions, after which the file is the one that the report's patch makes.
func (h *hub) accept(p *githubtest.PullRequest, s seen) {
	h.t.Helper()
	var ids []int64
	for _, c := range s.inline {
		ids = append(ids, c.GetID())
	}
	sha, err := p.ApplySuggestions(h.ctx, h.dev, ids...)
	h.must(err)
	text, err := h.repo.File(h.ctx, sha, polluterFile)
	h.must(err)
	wantIn(h.t, text, "import org.junit.After;", "    @After\n    public void cleanUpSharedState() {\n        Settings.reset();\n    }\n")
}

// wantJob: the runner got the merge commit's sources, and what CI saw.
func (h *hub) wantJob() {
	h.t.Helper()
	jobs := h.runner.asked()
	if len(jobs) != 1 {
		h.t.Fatalf("%d jobs", len(jobs))
	}
	j := jobs[0]
	if !slices.Equal(j.Tests, []string{"com.example.shop.ReceiptTest#printsTheTotal"}) || j.Kind != job.KindFix || j.Budget.Minutes() != 20 || j.Rerun != 0 { // odfix chooses how often
		h.t.Errorf("%+v", j)
	}
	if j.Order == nil || j.Order.Provenance != job.Partial || !slices.Equal(j.Order.Tests[:1], []string{"com.example.shop.CatalogueImportTest"}) || j.Order.Source != `log of the job "test (17)"` {
		h.t.Errorf("%+v", j.Order)
	}
	for _, name := range []string{"pom.xml", polluterFile, "src/main/java/com/example/shop/Settings.java"} {
		if !slices.Contains(h.runner.sources[0], name) {
			h.t.Errorf("%s is not among the sources: %v", name, h.runner.sources[0])
		}
	}
	text, err := json.Marshal(j)
	h.must(err)
	wantNotIn(h.t, string(text), "ghs_", h.URL, "acme")
	h.wantReader()
}

// wantReader: the sources were fetched with a token that can read this repository's contents, and nothing else.
func (h *hub) wantReader() {
	h.t.Helper()
	want := fmt.Sprintf(`{"repository_ids":[%d],"permissions":{"contents":"read"}}`, h.repo.ID)
	last := ""
	for _, r := range h.Requests() {
		switch r.Operation {
		case "apps/create-installation-access-token":
			last = strings.TrimSpace(r.Body)
		case "repos/download-tarball-archive":
			if last != want {
				h.t.Errorf("the sources are fetched with %s", last)
			}
			return
		}
	}
	h.t.Error("no sources were fetched")
}

// TestRunnerEnvironment: a runner gets none of our secrets.
func TestRunnerEnvironment(t *testing.T) {
	got := runnerEnvironment([]string{"PATH=/bin", "ODFIX_PRIVATE_KEY=k", "ODFIX_WEBHOOK_SECRET=s", "ODFIX_DATABASE_URL=u", "AWS_SECRET_ACCESS_KEY=a", "JAVA_HOME=/j", "odd"})
	if !slices.Equal(got, []string{"PATH=/bin", "JAVA_HOME=/j"}) || runnerEnvironment(nil) == nil {
		t.Error(got)
	}
}

// TestFork: GitHub names no pull request for a fork's runs.
func TestFork(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	fork, err := h.repo.Fork(h.ctx, h.AddUser("stranger"))
	h.must(err)
	p := h.pull(fork)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if s := h.see(p); len(list) != 1 || list[0].State != store.Done || len(s.checks) != 1 || s.reviews != 1 || len(s.comments) != 0 {
		t.Errorf("%+v, %d checks, %d reviews", list, len(s.checks), s.reviews)
	}
}

// TestGenuineFailure: a neutral check, and no word on the pull request.
func TestGenuineFailure(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "genuine-failure.report.json")
	p := h.pull(nil)
	h.red(p, "genuine-failure.log")
	h.settled(p, 1)
	s := h.see(p)
	if len(s.checks) != 1 || len(s.comments)+s.reviews+len(s.inline) != 0 {
		t.Fatalf("%d checks, %d comments, %d reviews", len(s.checks), len(s.comments), s.reviews)
	}
	if c := s.checks[0]; c.GetConclusion() != "neutral" || !strings.HasPrefix(c.GetOutput().GetTitle(), "Not order-dependent") {
		t.Errorf("%s: %s", c.GetConclusion(), c.GetOutput().GetTitle())
	}
}

// TestNoTestsFailed: other red checks are nobody's business.
func TestNoTestsFailed(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.pull(nil)
	run, err := h.repo.StartRun(h.ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"lint"}})
	h.must(err)
	run.Job("lint").Complete(h.ctx, "failure", []byte("2026-05-04T03:02:01.0000001Z src/A.java:3: line too long\n"))
	run.Complete(h.ctx, "failure")
	list := h.settled(p, 1)
	if s := h.see(p); list[0].State != store.Cancelled || len(s.checks)+len(s.comments)+s.reviews > 0 || len(h.runner.asked()) > 0 {
		t.Errorf("%+v, %d checks, %d comments, %d jobs", list, len(s.checks), len(s.comments), len(h.runner.asked()))
	}
}

// TestEverythingTwice: each webhook twice, and still one of everything.
func TestEverythingTwice(t *testing.T) {
	h := newHub(t, githubtest.Config{Quirks: githubtest.Quirks{DuplicateHooks: true, MergeablePending: 2}}, "demo.report.json")
	p := h.pull(nil)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if s := h.see(p); len(list) != 1 || len(s.checks) != 1 || s.reviews != 1 || len(s.comments) != 0 || len(h.runner.asked()) != 1 {
		t.Errorf("%+v, %d checks, %d comments, %d jobs", list, len(s.checks), len(s.comments), len(h.runner.asked()))
	}
}

// TestNewerPush: the runner is stopped, the old commit's check ends as cancelled, and nothing is said.
func TestNewerPush(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.runner.hold = make(chan struct{})
	p := h.pull(nil)
	h.red(p, "demo.log")
	<-h.runner.begun
	h.must(h.Await(h.ctx, "progress on the check", func() bool {
		s := h.see(p)
		return len(s.checks) == 1 && s.checks[0].GetStatus() == "in_progress" && strings.Contains(s.checks[0].GetOutput().GetSummary(), "3 of about 12")
	}))
	old := h.see(p).checks[0].GetID()
	_, err := p.Push(h.ctx, "Another try", githubtest.Change{Files: map[string]string{"README.md": "x"}})
	h.must(err)
	list := h.settled(p, 1)
	if list[0].State != store.Superseded || list[0].SupersededBy != p.HeadSha() || h.runner.stopped != 1 {
		t.Errorf("%+v, %d stopped", list[0], h.runner.stopped)
	}
	s := h.see(p)
	if len(s.checks)+len(s.comments)+s.reviews != 0 {
		t.Errorf("on the new head: %d checks, %d comments", len(s.checks), len(s.comments))
	}
	if c := h.checkRun(old); c.GetConclusion() != "cancelled" {
		t.Errorf("the old commit's check: %v", c)
	}
}
