package investigate

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/verdict"
)

// TestTrouble: whatever GitHub does on a bad day, there is one check and one comment in the end.
func TestTrouble(t *testing.T) {
	for name, faults := range map[string][]githubtest.Fault{
		"the answer to the review is lost": {{Operation: "pulls/create-review", Kind: githubtest.CutOff, After: true}},
		"the answer to the check is lost":  {{Operation: "checks/create", Kind: githubtest.Broken, After: true}},
		"a secondary limit at the review":  {{Operation: "pulls/create-review", Kind: githubtest.SecondaryLimit, RetryAfter: 1}},
		"a secondary limit as 429":         {{Operation: "checks/create", Kind: githubtest.SecondaryLimit, Status: 429, RetryAfter: 1}},
		"the runs cannot be listed":        {{Operation: "actions/list-workflow-runs-for-repo", Kind: githubtest.Broken, Times: 2}},
		"the log is not there at first": {{Operation: "actions/download-job-logs-for-workflow-run",
			Kind: githubtest.Missing, Times: 3}},
		"no token":                           {{Operation: "apps/create-installation-access-token", Kind: githubtest.Broken, Times: 2}},
		"the sources cannot be had at first": {{Operation: "repos/download-tarball-archive", Kind: githubtest.CutOff}},
		"the check cannot be concluded":      {{Operation: "checks/update", Kind: githubtest.Broken, Times: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			for _, f := range faults {
				h.Fail(f)
			}
			p := h.Pull(nil)
			h.red(p, "demo.log")
			list := h.settled(p, 1)
			s := h.Posted(p)
			if len(list) != 1 || list[0].State != store.Done || len(s.Checks) != 1 || len(s.Causes()) != 1 ||
				s.Reviews != 1 || s.Checks[0].GetStatus() != "completed" {
				t.Errorf("%+v, %d checks, %d comments, %d reviews", list, len(s.Checks), len(s.Causes()), s.Reviews)
			}
		})
	}
}

// TestMissedDeliveries: what did not arrive is asked for again.
func TestMissedDeliveries(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	var p *githubtest.PullRequest
	h.lost(func() {
		p = h.Pull(nil)
		h.red(p, "demo.log")
	})
	h.settled(p, 0)
	h.Must(h.s.redeliver(h.Ctx, redeliverArgs{}))
	h.settled(p, 1)
	if s := h.Posted(p); len(s.Checks) != 1 || len(s.Causes()) != 1 {
		t.Errorf("%d checks, %d comments", len(s.Checks), len(s.Causes()))
	}
}

// TestDeliveriesThatAreGone: GitHub's refusal to deliver again stops nothing, its failure does.
func TestDeliveriesThatAreGone(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.lost(func() { h.red(h.Pull(nil), "demo.log") })
	h.Fail(githubtest.Fault{Operation: "apps/redeliver-webhook-delivery", Kind: githubtest.Missing})
	if err := h.s.redeliver(h.Ctx, redeliverArgs{}); err != nil {
		t.Errorf("one is gone: %v", err)
	}
	h.Fail(githubtest.Fault{Operation: "apps/redeliver-webhook-delivery", Kind: githubtest.Broken, Times: -1})
	h.lost(func() { h.Push(h.Pull(nil), "again") })
	if err := h.s.redeliver(h.Ctx, redeliverArgs{}); err == nil {
		t.Error("GitHub is broken, and the look for missed deliveries succeeds")
	}
}

// TestSweep: a red head of which no webhook arrived is found in the pull requests.
func TestSweep(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	var p *githubtest.PullRequest
	h.lost(func() {
		p = h.Pull(nil)
		h.red(p, "demo.log")
	})
	h.sweep()
	h.settled(p, 1)
	h.sweep() // finds nothing new
	h.settled(p, 1)
	if s := h.Posted(p); len(s.Checks) != 1 || len(s.Causes()) != 1 || len(h.asked()) != 1 {
		t.Errorf("%d checks, %d comments, %d jobs", len(s.Checks), len(s.Causes()), len(h.asked()))
	}
}

func (h *hub) sweep() {
	h.t.Helper()
	h.Must(h.s.sweep(h.Ctx, sweepArgs{}))
	h.settle()
}

// TestSweepLeavesOut: an installation that is suspended, and a pull request that nobody has touched
// for long.
func TestSweepLeavesOut(t *testing.T) {
	for name, leave := range map[string]func(h *hub){
		"suspended": func(h *hub) { h.Inst.Suspend() },
		"old":       func(h *hub) { h.s.now = func() time.Time { return h.now().Add(recent + time.Hour) } },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			var p *githubtest.PullRequest
			h.lost(func() {
				p = h.Pull(nil)
				h.red(p, "demo.log")
				leave(h)
			})
			h.sweep()
			if list := h.settled(p, 0); len(list) != 0 {
				t.Errorf("%+v", list)
			}
		})
	}
}

// TestSweepFindsTheEnd: comments about an older head are settled where no webhook said that CI is
// green.
func TestSweepFindsTheEnd(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	h.lost(func() {
		h.Push(p, "fixed")
		h.Green(p)
	})
	h.sweep()
	if m, _ := verdict.FindMarker(h.Posted(p).Causes()[0]); !m.Settled {
		t.Errorf("the comment is not settled: %q", h.Posted(p).Causes())
	}
}

// TestSweepFindsClosedPullRequests: the investigation of a pull request that was closed ends, where
// no webhook said so.
func TestSweepFindsClosedPullRequests(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.runner.During = func(ctx context.Context) error {
		h.runner.During = nil
		h.lost(func() { p.Close(h.Ctx, h.Dev) })
		h.sweep()
		<-ctx.Done()
		return nil
	}
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if s := h.Posted(p); list[0].State != store.Cancelled || len(s.Causes()) != 0 || len(s.Checks) != 1 ||
		s.Checks[0].GetConclusion() != "cancelled" {
		t.Errorf("%+v, %d comments, checks %v", list, len(s.Causes()), s.Checks)
	}
}

// TestConfiguration is that of the base branch, whatever the pull request brings.
func TestConfiguration(t *testing.T) {
	for name, c := range map[string]struct {
		file   string
		checks int
		words  string // in the check
		jobs   int
	}{
		"switched off":     {"version: 1\nenabled: false\n", 0, "", 0},
		"another workflow": {"version: 1\nci:\n  workflows: [nightly]\n", 0, "", 0},
		"wrong":            {"version: 1\nenabeld: true\n", 1, "enabeld", 0},
		"test ignored":     {"version: 1\nignore:\n  - test: com.example.shop.ReceiptTest\n    until: 2999-01-01\n", 0, "", 0},
		"no comments":      {"version: 1\ncomments:\n  max-per-day: 0\n", 1, "ReceiptTest", 1},
		"never that file":  {"version: 1\nnever-patch: [src/test]\n", 1, "ReceiptTest", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			_, err := h.Repo.Commit(h.Ctx, h.Dev, "main", "Configure", githubtest.Change{Files: map[string]string{".odfix.yml": c.file}})
			h.Must(err)
			p := h.Pull(nil)
			_, err = p.Push(h.Ctx, "mine", githubtest.Change{Files: map[string]string{".odfix.yml": "version: 1\n"}})
			h.Must(err)
			h.red(p, "demo.log")
			h.settled(p, c.jobs)
			s := h.Posted(p)
			if len(s.Checks) != c.checks || len(h.asked()) != c.jobs {
				t.Fatalf("%d checks, %d jobs", len(s.Checks), len(h.asked()))
			}
			for _, k := range s.Checks {
				wantIn(t, k.GetOutput().GetTitle()+k.GetOutput().GetSummary(), c.words)
			}
			if name == "wrong" {
				out := s.Checks[0].GetOutput()
				if n := strings.Count(out.GetSummary(), "enabeld"); n != 1 || out.GetAnnotationsCount() != 0 {
					t.Errorf("the mistake is named %d times, and %d annotations:\n%s", n, out.GetAnnotationsCount(), out.GetSummary())
				}
			}
			if name == "no comments" && len(s.Comments)+s.Reviews > 0 {
				t.Errorf("%d comments, %d reviews", len(s.Comments), s.Reviews)
			}
			for _, body := range s.Causes() {
				if strings.Contains(body, "```suggestion") {
					t.Errorf("suggested: %s", body)
				}
			}
		})
	}
}
