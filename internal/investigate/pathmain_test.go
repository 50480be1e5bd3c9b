package investigate

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
)

// TestRedBuild is the main path: CI fails, a runner gets one job with what CI's log says, and there
// are a check and a comment.
func TestRedBuild(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if len(list) != 1 || list[0].State != store.Done {
		t.Fatalf("%+v", list)
	}
	h.wantJob()
	s := h.Posted(p)
	if len(s.Checks) != 1 || len(s.Comments) != 0 || s.Reviews != 1 || len(s.Inline) != 1 {
		t.Fatalf("%d checks, %d comments, %d reviews", len(s.Checks), len(s.Comments), s.Reviews)
	}
	if c := s.Checks[0]; c.GetConclusion() != "neutral" || c.GetExternalID() != list[0].ID {
		t.Errorf("%s of %s", c.GetConclusion(), c.GetExternalID())
	}
	if len(h.ended) != 1 || h.ended[0].State != store.Done || !slices.Equal(h.ended[0].Verdicts, []string{"victim"}) ||
		h.ended[0].Seconds["prove"] <= 0 {
		t.Errorf("counted: %+v", h.ended)
	}
}

// wantJob: the runner got the merge commit's sources, and what CI saw.
func (h *hub) wantJob() {
	h.t.Helper()
	jobs := h.asked()
	if len(jobs) != 1 {
		h.t.Fatalf("%d jobs", len(jobs))
	}
	j := jobs[0]
	// odfix chooses how often
	if !slices.Equal(j.Tests, []string{"com.example.shop.ReceiptTest#printsTheTotal"}) || j.Kind != job.KindFix ||
		j.Budget.Minutes() != 20 || j.Rerun != 0 {
		h.t.Errorf("%+v", j)
	}
	if j.Order == nil || j.Order.Provenance != suite.Partial ||
		!slices.Equal(j.Order.Tests[:1], []string{"com.example.shop.CatalogueImportTest"}) ||
		j.Order.Source != `log of the job "test (17)"` {
		h.t.Errorf("%+v", j.Order)
	}
	for _, name := range []string{"pom.xml", investigatetest.PolluterFile, "src/main/java/com/example/shop/Settings.java"} {
		if !slices.Contains(h.runner.Sources()[0], name) {
			h.t.Errorf("%s is not among the sources: %v", name, h.runner.Sources()[0])
		}
	}
	if want := "+++ b/" + investigatetest.PolluterFile + "\n@@ "; !strings.Contains(string(j.Change), want) {
		h.t.Errorf("%q is not in the change %s", want, j.Change)
	}
	text, err := json.Marshal(j)
	h.Must(err)
	wantNotIn(h.t, string(text), "ghs_", h.URL, "acme")
	h.wantScopes()
}

// wantScopes: each token is for this repository, or the organisation's .github. One reads builds,
// and each other one has one permission.
func (h *hub) wantScopes() {
	h.t.Helper()
	scope := regexp.MustCompile(fmt.Sprintf(`^\{("repository_ids":\[%d\]|"repositories":\["\.github"\]),"permissions":\{("[a-z_]+":"(read|write)"|`+
		`"actions":"read","checks":"read","pull_requests":"read")\}\}$`, h.Repo.ID))
	seen := map[string]bool{}
	for _, r := range h.Requests() {
		if r.Operation == "apps/create-installation-access-token" {
			body := strings.TrimSpace(r.Body)
			if seen[body] = true; !scope.MatchString(body) {
				h.t.Errorf("a token for %s", body)
			}
		}
	}
	if sources := fmt.Sprintf(`{"repository_ids":[%d],"permissions":{"contents":"read"}}`, h.Repo.ID); !seen[sources] || len(seen) < 4 {
		h.t.Errorf("%d kinds of tokens: %v", len(seen), seen)
	}
}

// TestFork: GitHub names no pull request for a fork's runs.
func TestFork(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	fork, err := h.Repo.Fork(h.Ctx, h.AddUser("stranger"))
	h.Must(err)
	p := h.Pull(fork)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if s := h.Posted(p); len(list) != 1 || list[0].State != store.Done || len(s.Checks) != 1 || s.Reviews != 1 || len(s.Comments) != 0 {
		t.Errorf("%+v, %d checks, %d reviews", list, len(s.Checks), s.Reviews)
	}
}

// TestGenuineFailure: a neutral check, and no word on the pull request.
func TestGenuineFailure(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "genuine-failure.report.json")
	p := h.Pull(nil)
	h.red(p, "genuine-failure.log")
	h.settled(p, 1)
	s := h.Posted(p)
	if len(s.Checks) != 1 || len(s.Comments)+s.Reviews+len(s.Inline) != 0 {
		t.Fatalf("%d checks, %d comments, %d reviews", len(s.Checks), len(s.Comments), s.Reviews)
	}
	if c := s.Checks[0]; c.GetConclusion() != "neutral" || !strings.HasPrefix(c.GetOutput().GetTitle(), "Not order-dependent") {
		t.Errorf("%s: %s", c.GetConclusion(), c.GetOutput().GetTitle())
	}
}

// TestNoTestsFailed: other red checks are nobody's business.
func TestNoTestsFailed(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"lint"}})
	h.Must(err)
	run.Job("lint").Complete(h.Ctx, "failure", []byte("2026-05-04T03:02:01.0000001Z src/A.java:3: line too long\n"))
	run.Complete(h.Ctx, "failure")
	list := h.settled(p, 1)
	if s := h.Posted(p); list[0].State != store.Cancelled || len(s.Checks)+len(s.Comments)+s.Reviews > 0 || len(h.asked()) > 0 {
		t.Errorf("%+v, %d checks, %d comments, %d jobs", list, len(s.Checks), len(s.Comments), len(h.asked()))
	}
}

// TestEverythingTwice: each webhook twice, and still one of everything.
func TestEverythingTwice(t *testing.T) {
	h := newHub(t, githubtest.Config{Quirks: githubtest.Quirks{DuplicateHooks: true, MergeablePending: 2}}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if s := h.Posted(p); len(list) != 1 || len(s.Checks) != 1 || s.Reviews != 1 || len(s.Comments) != 0 || len(h.asked()) != 1 {
		t.Errorf("%+v, %d checks, %d comments, %d jobs", list, len(s.Checks), len(s.Comments), len(h.asked()))
	}
}

// TestNewerPush: a push stops the runner, and the check of the older commit ends as cancelled.
func TestNewerPush(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	var old int64
	h.runner.During = func(ctx context.Context) error {
		h.Must(h.Await(h.Ctx, "progress on the check", func() bool {
			s := h.Posted(p)
			old = s.Checks[0].GetID()
			return s.Checks[0].GetStatus() == "in_progress" && strings.Contains(s.Checks[0].GetOutput().GetSummary(), "3 of about 12")
		}))
		h.Push(p, "another try")
		h.settle()
		<-ctx.Done()
		return nil
	}
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if len(list) != 1 || list[0].State != store.Superseded || list[0].SupersededBy != p.HeadSha() || h.runner.Stopped() != 1 {
		t.Errorf("%+v, %d stopped", list, h.runner.Stopped())
	}
	if s := h.Posted(p); !s.Nothing() {
		t.Errorf("on the new head: %+v", s)
	}
	if c := h.CheckRun(old); c.GetConclusion() != "cancelled" {
		t.Errorf("the check of the older commit: %v", c)
	}
}

// TestProgressIsNotCutOff: an update of the check that is under way when the job ends is not
// cancelled. GitHub could still apply it after the check is completed, which would reopen the
// check.
func TestProgressIsNotCutOff(t *testing.T) {
	begun, ended, cut := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	h := newHubWith(t, func(h *hub) {
		var once sync.Once
		h.writing = func(ctx context.Context) {
			if why, _ := ctx.Value(causeKey{}).(cause); !why.minor {
				return
			}
			once.Do(func() {
				close(begun)
				<-ended
				cut <- ctx.Err()
			})
		}
	})
	p := h.Pull(nil)
	h.runner.During = func(ctx context.Context) error {
		defer close(ended)
		<-begun
		h.Push(p, "another try")
		h.settle()
		<-ctx.Done()
		return nil
	}
	h.red(p, "demo.log")
	h.settled(p, 1)
	if err := <-cut; err != nil {
		t.Errorf("the update: %v", err)
	}
}
