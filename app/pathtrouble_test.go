package main

import (
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
		"the answer to the review is lost":   {{Operation: "pulls/create-review", Kind: githubtest.CutOff, After: true}},
		"the answer to the check is lost":    {{Operation: "checks/create", Kind: githubtest.Broken, After: true}},
		"a secondary limit at the review":    {{Operation: "pulls/create-review", Kind: githubtest.SecondaryLimit, RetryAfter: 1}},
		"a secondary limit as 429":           {{Operation: "checks/create", Kind: githubtest.SecondaryLimit, Status: 429, RetryAfter: 1}},
		"the runs cannot be listed":          {{Operation: "actions/list-workflow-runs-for-repo", Kind: githubtest.Broken, Times: 2}},
		"the log is not there at first":      {{Operation: "actions/download-job-logs-for-workflow-run", Kind: githubtest.Missing, Times: 3}},
		"no token":                           {{Operation: "apps/create-installation-access-token", Kind: githubtest.Broken, Times: 2}},
		"the sources cannot be had at first": {{Operation: "repos/download-tarball-archive", Kind: githubtest.CutOff}},
		"the check cannot be concluded":      {{Operation: "checks/update", Kind: githubtest.Broken, Times: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			onlyShort(t, name, "the answer to the review is lost", "the log is not there at first")
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			for _, f := range faults {
				h.Fail(f)
			}
			p := h.pull(nil)
			h.red(p, "demo.log")
			list := h.settled(p, 1)
			s := h.see(p)
			if len(list) != 1 || list[0].State != store.Done || len(s.checks) != 1 || len(s.ours()) != 1 || s.reviews != 1 || s.checks[0].GetStatus() != "completed" {
				t.Errorf("%+v, %d checks, %d comments, %d reviews", list, len(s.checks), len(s.ours()), s.reviews)
			}
		})
	}
}

// TestMissedDeliveries: what was sent while nobody listened is asked for.
func TestMissedDeliveries(t *testing.T) {
	h := &hub{t: t, life: quickLife, runner: newRecorded(t, "demo.report.json")}
	h.github(githubtest.Config{})
	h.app.Release(func([]*githubtest.Delivery) []*githubtest.Delivery { return nil })
	p := h.pull(nil)
	h.red(p, "demo.log")
	h.must(h.Drain(h.ctx)) // nobody listens at the address
	h.Fail(githubtest.Fault{Operation: "apps/list-installations", Kind: githubtest.Missing, Times: -1})
	h.serve(h.runner)
	h.settled(p, 1)
	if s := h.see(p); len(s.checks) != 1 || len(s.ours()) != 1 {
		t.Errorf("%d checks, %d comments", len(s.checks), len(s.ours()))
	}
}

// TestMissedInBetween: the same for deliveries that fail while odfix runs.
func TestMissedInBetween(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of a path that another test takes")
	}
	h := &hub{t: t, life: quickLife, runner: newRecorded(t, "demo.report.json")}
	h.github(githubtest.Config{})
	h.Fail(githubtest.Fault{Operation: "apps/list-installations", Kind: githubtest.Missing, Times: -1})
	h.adjust = func(o *appOptions) { o.pace.Redeliver = 2 * time.Second }
	h.serve(h.runner)
	h.app.SetWebhookURL("http://127.0.0.1:9/")
	p := h.pull(nil)
	h.red(p, "demo.log")
	h.must(h.Drain(h.ctx))
	h.app.SetWebhookURL("http://" + h.server.hooks.Addr().String() + "/webhook")
	h.must(h.Await(h.ctx, "the comment", func() bool { return len(h.see(p).ours()) == 1 }))
}

// TestSweep: what GitHub has forgotten to have sent is found in the pull requests themselves.
func TestSweep(t *testing.T) {
	h := &hub{t: t, life: quickLife, runner: newRecorded(t, "demo.report.json")}
	h.github(githubtest.Config{})
	h.app.Release(func([]*githubtest.Delivery) []*githubtest.Delivery { return nil })
	p := h.pull(nil)
	h.red(p, "demo.log")
	h.must(h.Drain(h.ctx))
	h.Fail(githubtest.Fault{Operation: "apps/list-webhook-deliveries", Kind: githubtest.Missing, Times: -1})
	h.serve(h.runner)
	h.settled(p, 1)
	if s := h.see(p); len(s.checks) != 1 || len(s.ours()) != 1 {
		t.Errorf("%d checks, %d comments", len(s.checks), len(s.ours()))
	}
}

// TestSweepFindsTheEnd: what was said of an older head is settled where nobody heard that CI is
// green.
func TestSweepFindsTheEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of a path that another test takes")
	}
	h := &hub{t: t, life: quickLife, runner: newRecorded(t, "demo.report.json")}
	h.github(githubtest.Config{})
	h.adjust = func(o *appOptions) { o.pace.Sweep = 3 * time.Second }
	h.serve(h.runner)
	p := h.pull(nil)
	h.red(p, "demo.log")
	h.checked(p, 1)
	h.must(h.Await(h.ctx, "the comment", func() bool { return len(h.see(p).ours()) == 1 }))
	h.app.Release(func([]*githubtest.Delivery) []*githubtest.Delivery { return nil }) // from here on nothing is heard
	h.app.Hold()
	h.push(p, "mended")
	h.pass(p)
	h.must(h.Await(h.ctx, "the comment to be settled", func() bool {
		m, _ := verdict.FindMarker(h.see(p).ours()[0])
		return m.Settled
	}))
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
			onlyShort(t, name, "wrong", "switched off")
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			_, err := h.repo.Commit(h.ctx, h.dev, "main", "Configure", githubtest.Change{Files: map[string]string{".odfix.yml": c.file}})
			h.must(err)
			p := h.pull(nil)
			_, err = p.Push(h.ctx, "mine", githubtest.Change{Files: map[string]string{".odfix.yml": "version: 1\n"}})
			h.must(err)
			h.red(p, "demo.log")
			h.checked(p, c.checks)
			h.settled(p, c.jobs)
			s := h.see(p)
			if len(s.checks) != c.checks || len(h.runner.asked()) != c.jobs {
				t.Fatalf("%d checks, %d jobs", len(s.checks), len(h.runner.asked()))
			}
			for _, k := range s.checks {
				wantIn(t, k.GetOutput().GetTitle()+k.GetOutput().GetSummary(), c.words)
			}
			if name == "wrong" && s.checks[0].GetOutput().GetAnnotationsCount() != 1 {
				t.Errorf("%v", s.checks[0].GetOutput())
			}
			if name == "no comments" && len(s.comments)+s.reviews > 0 {
				t.Errorf("%d comments, %d reviews", len(s.comments), s.reviews)
			}
			for _, body := range s.ours() {
				if strings.Contains(body, "```suggestion") {
					t.Errorf("suggested: %s", body)
				}
			}
		})
	}
}
