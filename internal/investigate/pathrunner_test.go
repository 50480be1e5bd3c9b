package investigate

import (
	"bytes"
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

// TestRunnerFails: a network error puts the investigation back into the queue; a runner's error
// ends it, and the check run shows the message.
func TestRunnerFails(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		state store.State
		jobs  int
		words string // in the check
	}{
		"the network": {io.ErrUnexpectedEOF, store.Done, 2, "ReceiptTest#printsTheTotal"},
		"a runner's hint": {&job.Error{Code: "build-broken", Message: "The build broke", Hint: "Run mvn test."},
			store.Failed, 1, "The build broke. Run mvn test."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			h.runner.During = func(context.Context) error {
				h.runner.During = nil
				return c.err
			}
			p := h.Pull(nil)
			h.red(p, "demo.log")
			list := h.settled(p, 1)
			s := h.Posted(p)
			if list[0].State != c.state || len(h.asked()) != c.jobs || len(s.Checks) != 1 || s.Checks[0].GetConclusion() != "neutral" {
				t.Fatalf("%+v, %d jobs, checks %v", list[0], len(h.asked()), s.Checks)
			}
			wantIn(t, s.Checks[0].GetOutput().GetTitle()+s.Checks[0].GetOutput().GetSummary(), c.words)
			if c.state == store.Failed && len(s.Causes()) > 0 {
				t.Errorf("comments: %q", s.Causes())
			}
		})
	}
}

// TestProcessDies: an investigation whose process sends no heartbeat gets another runner, and the
// report of the first one is dropped.
func TestProcessDies(t *testing.T) {
	h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
	h.github(githubtest.Config{})
	h.adjust = func(o *Options) { o.Pace.Beat, o.Pace.Progress = time.Hour, time.Hour }
	h.serve(h.runner)
	h.runner.During = func(context.Context) error {
		h.runner.During = nil
		h.advance(2 * DefaultPace.Silence)
		h.Must(h.s.reap(h.Ctx, reapArgs{}))
		h.settle()
		return nil
	}
	p := h.Pull(nil)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if s := h.Posted(p); list[0].State != store.Done || list[0].Attempt != 3 || len(h.asked()) != 2 ||
		len(h.runner.Proofs()) != 1 ||
		len(s.Checks) != 1 || len(s.Causes()) != 1 {
		t.Errorf("%+v, %d jobs, %d checks, %d comments", list[0], len(h.asked()), len(s.Checks), len(s.Causes()))
	}
}

// TestDeadline: past its deadline an investigation ends, its runner stops, and the check says so.
func TestDeadline(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.runner.During = func(ctx context.Context) error {
		h.advance(24 * time.Hour)
		h.Must(h.s.reap(h.Ctx, reapArgs{}))
		h.settle()
		<-ctx.Done()
		return nil
	}
	p := h.Pull(nil)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	s := h.Posted(p)
	if list[0].State != store.Expired || h.runner.Stopped() != 1 || len(s.Checks) != 1 || len(s.Causes()) != 0 {
		t.Fatalf("%+v, %d stopped, %d checks", list[0], h.runner.Stopped(), len(s.Checks))
	}
	if c := s.Checks[0]; c.GetStatus() != "completed" || c.GetOutput().GetTitle() != "It took too long" {
		t.Errorf("%s: %s", c.GetStatus(), c.GetOutput().GetTitle())
	}
}

// TestMoreTestsFailLater: failing tests of a workflow that ends later get a round of their own.
func TestMoreTestsFailLater(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Workflow: "windows",
		Path: ".github/workflows/windows.yml", Jobs: []string{"test"}})
	h.Must(err)
	log := investigatetest.Recording(t, "demo.log")
	run.Job("test").Complete(h.Ctx, "failure", bytes.ReplaceAll(log, []byte("printsTheTotal"), []byte("printsTheDate")))
	run.Complete(h.Ctx, "failure")
	list := h.settled(p, 2)
	jobs := h.asked()
	if len(list) != 2 || list[0].Round != 2 || len(jobs) != 2 ||
		!slices.Contains(jobs[1].Tests, "com.example.shop.ReceiptTest#printsTheDate") {
		t.Errorf("%+v, jobs %+v", list, jobs)
	}
}

// TestUnknownPullRequest: a pull request of which no webhook arrived is found through the API.
func TestUnknownPullRequest(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	var p *githubtest.PullRequest
	h.lost(func() { p = h.Pull(nil) })
	h.red(p, "demo.log")
	if list := h.settled(p, 1); len(list) != 1 || list[0].State != store.Done {
		t.Errorf("%+v", list)
	}
}

// TestNoPullRequest: CI that fails on a branch without a pull request is ignored.
func TestNoPullRequest(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.settle()
	p.Close(h.Ctx, h.Dev)
	h.red(p, "demo.log")
	if list := h.settled(p, 0); len(list) != 0 || !h.Posted(p).Nothing() || len(h.asked()) != 0 {
		t.Errorf("%+v, %d jobs", list, len(h.asked()))
	}
}

// TestRetryOfTheWrongCommit: a request about an older commit, or on a closed pull request, starts
// no runner.
func TestRetryOfTheWrongCommit(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	old := h.Posted(p).Checks[0].GetID()
	h.Push(p, "second")
	h.settle()
	h.Must(p.Press(h.Ctx, h.Dev, old, "retry"))
	h.settle()
	p.Close(h.Ctx, h.Dev)
	p.Comment(h.Ctx, h.Dev, "/odfix retry")
	if list := h.settled(p, 1); len(list) != 1 || len(h.asked()) != 1 {
		t.Errorf("%+v, %d jobs", list, len(h.asked()))
	}
}
