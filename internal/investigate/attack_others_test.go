package investigate

import (
	"context"
	"fmt"
	"testing"

	"github.com/riverqueue/river/rivertype"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
)

// stranger opens a pull request with the head of another one, into another branch. Its run of the same
// workflow is newer.
func (h *hub) stranger(base string) (*githubtest.PullRequest, *githubtest.Run) {
	h.t.Helper()
	_, err := h.Repo.Commit(h.Ctx, h.Dev, base, "x", githubtest.Change{Files: map[string]string{"x.txt": "x"}})
	h.Must(err)
	other, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.AddUser("stranger"), Title: "x", Branch: "feature/import", Base: base})
	h.Must(err)
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: other, Jobs: []string{"test (17)"}})
	h.Must(err)
	return other, run
}

// TestAttackRunsOfOthers: a newer run of somebody else's pull request with the same head, which waits for an
// approval, was cancelled or succeeded, does not hide the run that failed.
func TestAttackRunsOfOthers(t *testing.T) {
	for _, conclusion := range []string{"action_required", "cancelled", "success"} {
		t.Run(conclusion, func(t *testing.T) {
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			p := h.Pull(nil)
			run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}})
			h.Must(err)
			h.settle()
			_, theirs := h.stranger("release")
			theirs.Complete(h.Ctx, conclusion)
			h.settle()
			run.Job("test (17)").Complete(h.Ctx, "failure", investigatetest.Recording(t, "demo.log"))
			run.Complete(h.Ctx, "failure")
			h.settled(p, 1)
			if len(h.asked()) == 0 || len(h.Posted(p).Inline)+len(h.Posted(p).Comments) == 0 {
				t.Errorf("%d jobs, %+v", len(h.asked()), h.investigations(p))
			}
		})
	}
}

// TestAttackManyRunsOfOthers: many runs of somebody else's pull request with the same head, which failed in
// more jobs than are read, do not hide the run that failed before.
func TestAttackManyRunsOfOthers(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
	p := h.Pull(nil)
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}})
	h.Must(err)
	other, theirs := h.stranger("release")
	for range mostJobs + 1 {
		theirs.Job("test (17)").Complete(h.Ctx, "failure", []byte(noTests))
		theirs.Complete(h.Ctx, "failure")
		theirs, err = h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: other, Jobs: []string{"test (17)"}})
		h.Must(err)
	}
	theirs.Complete(h.Ctx, "success")
	run.Job("test (17)").Complete(h.Ctx, "failure", investigatetest.Recording(t, "demo.log"))
	run.Complete(h.Ctx, "failure")
	h.settled(p, 1)
	if len(h.asked()) == 0 {
		t.Errorf("%+v", h.investigations(p))
	}
}

// TestAttackGreenOfOthers: CI of a pull request is red. The newer, green run of somebody else's pull request
// with the same head does not settle its comments.
func TestAttackGreenOfOthers(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	before := h.Posted(p)
	h.Push(p, "more")
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}})
	h.Must(err)
	_, theirs := h.stranger("release")
	run.Job("test (17)").Complete(h.Ctx, "failure", []byte(noTests))
	run.Complete(h.Ctx, "failure")
	theirs.Complete(h.Ctx, "success")
	h.settle()
	after := h.Posted(p)
	for i, c := range after.Inline {
		if c.GetBody() != before.Inline[i].GetBody() {
			t.Errorf("a comment becomes %s", c.GetBody())
		}
	}
	for i, c := range after.Comments {
		if c.GetBody() != before.Comments[i].GetBody() {
			t.Errorf("a comment becomes %s", c.GetBody())
		}
	}
	if len(before.Inline)+len(before.Comments) == 0 {
		t.Error("there was no comment")
	}
}

// TestAttackSweepOfOneHead: the sweep opens no investigations of pull requests beyond mostPulls with one head.
func TestAttackSweepOfOneHead(t *testing.T) {
	h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
	p := h.Pull(nil)
	all := []*githubtest.PullRequest{p}
	for n := range mostPulls + 3 {
		base := fmt.Sprint("base", n)
		_, err := h.Repo.Commit(h.Ctx, h.Dev, base, "x", githubtest.Change{Files: map[string]string{"x.txt": base}})
		h.Must(err)
		other, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.Dev, Title: "x", Branch: "feature/import", Base: base})
		h.Must(err)
		all = append(all, other)
	}
	h.do["collect"] = func(context.Context, rivertype.JobRow) error { return nil } // it matters only which ones are opened
	h.Red(p, []byte(noTests))
	h.settle()
	h.sweep()
	h.settle()
	n := 0
	for _, p := range all {
		n += len(h.investigations(p))
	}
	if n != mostPulls {
		t.Errorf("%d investigations of %d pull requests", n, len(all))
	}
}
