package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

// TestRedBuildToComment checks the main path: red CI, one job for a runner with the content of CI's
// log, a check and a comment.
func TestRedBuildToComment(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if len(list) != 1 || list[0].State != store.Done {
		t.Fatalf("%+v", list)
	}
	s := h.Posted(p)
	if len(s.Checks) != 1 || len(s.Comments) != 0 || s.Reviews != 1 {
		t.Fatalf("%d checks, %d comments, %d reviews", len(s.Checks), len(s.Comments), s.Reviews)
	}
	c := s.Checks[0]
	if c.GetConclusion() != "neutral" || c.GetExternalID() != list[0].ID ||
		!strings.HasPrefix(c.GetOutput().GetTitle(), "Order-dependent: ReceiptTest#printsTheTotal") {
		t.Errorf("%s: %s", c.GetConclusion(), c.GetOutput().GetTitle())
	}
	wantIn(t, s.Inline[0].GetBody(), "ReceiptTest#printsTheTotal", "readsThePriceListOfAGermanSupplier", "```suggestion")
	h.accept(p, s)
	h.measured(`odfix_verdicts_total{verdict="victim"} 1`, `odfix_investigation_seconds_count{state="done"} 1`,
		`odfix_phase_seconds_count{phase="prove"} 1`,
		`odfix_phase_seconds_count{phase="before"} 1`, "odfix_api_installations 1", "odfix_api_installations_waiting 0",
		"odfix_api_budget_left_ratio 0.")
}

// measured checks that the metrics contain all of these.
func (h *hub) measured(want ...string) {
	h.t.Helper()
	w := httptest.NewRecorder()
	h.server.metrics.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	wantIn(h.t, w.Body.String(), want...)
}

// accept accepts all suggestions and checks that the file equals the one that the report's patch
// makes.
func (h *hub) accept(p *githubtest.PullRequest, s investigatetest.Posted) {
	h.t.Helper()
	var ids []int64
	for _, c := range s.Inline {
		ids = append(ids, c.GetID())
	}
	sha, err := p.ApplySuggestions(h.Ctx, h.Dev, ids...)
	h.Must(err)
	text, err := h.Repo.File(h.Ctx, sha, investigatetest.PolluterFile)
	h.Must(err)
	wantIn(h.t, text, "import org.junit.After;", "    @After\n    public void cleanUpSharedState() {\n        Settings.reset();\n    }\n")
}

// TestRunnerEnvironment checks that a runner gets none of the server's secrets.
func TestRunnerEnvironment(t *testing.T) {
	got := runnerEnvironment([]string{"PATH=/bin", "ODFIX_PRIVATE_KEY=k", "ODFIX_WEBHOOK_SECRET=s",
		"ODFIX_DATABASE_URL=u", "AWS_SECRET_ACCESS_KEY=a", "JAVA_HOME=/j", "odd"})
	if !slices.Equal(got, []string{"PATH=/bin", "JAVA_HOME=/j"}) || runnerEnvironment(nil) == nil {
		t.Error(got)
	}
}

// TestNewerPush checks that the runner is stopped, that the old commit's check ends as cancelled,
// and that no comment is posted.
func TestNewerPush(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.runner.Hold = make(chan struct{})
	p := h.Pull(nil)
	h.red(p, "demo.log")
	<-h.runner.Begun
	h.Must(h.Await(h.Ctx, "progress on the check", func() bool {
		s := h.Posted(p)
		return len(s.Checks) == 1 && s.Checks[0].GetStatus() == "in_progress" &&
			strings.Contains(s.Checks[0].GetOutput().GetSummary(), "3 of about 12")
	}))
	old := h.Posted(p).Checks[0].GetID()
	_, err := p.Push(h.Ctx, "Another try", githubtest.Change{Files: map[string]string{"README.md": "x"}})
	h.Must(err)
	list := h.settled(p, 1)
	if list[0].State != store.Superseded || list[0].SupersededBy != p.HeadSha() || h.runner.Stopped() != 1 {
		t.Errorf("%+v, %d stopped", list[0], h.runner.Stopped())
	}
	s := h.Posted(p)
	if len(s.Checks)+len(s.Comments)+s.Reviews != 0 {
		t.Errorf("on the new head: %d checks, %d comments", len(s.Checks), len(s.Comments))
	}
	if c := h.CheckRun(old); c.GetConclusion() != "cancelled" {
		t.Errorf("the old commit's check: %v", c)
	}
}

// TestMissedDeliveries checks that odfix requests at its start what GitHub sent before.
func TestMissedDeliveries(t *testing.T) {
	h := &hub{Hub: investigatetest.New(t, githubtest.Config{}), t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
	h.App.Release(func([]*githubtest.Delivery) []*githubtest.Delivery { return nil })
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.Must(h.Drain(h.Ctx)) // no server listens at the address
	h.Fail(githubtest.Fault{Operation: "apps/list-installations", Kind: githubtest.Missing, Times: -1})
	h.serve(h.runner)
	h.settled(p, 1)
	if s := h.Posted(p); len(s.Checks) != 1 || len(s.Causes()) != 1 {
		t.Errorf("%d checks, %d comments", len(s.Checks), len(s.Causes()))
	}
}
