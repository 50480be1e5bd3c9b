package investigate

import (
	"testing"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

// TestRunsForCopies: runs for another branch of the repository count where the pull request's own has none of
// the workflow. Some robots copy the commits of forks to a branch that CI tests.
func TestRunsForCopies(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.Configure("version: 1\napproval:\n  when: never\n")
	copied := h.Pull(nil)
	person := h.AddUser("contributor")
	fork, err := h.Repo.Fork(h.Ctx, person)
	h.Must(err)
	p, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: person, Title: "x", Branch: "feature/import", From: fork})
	h.Must(err)
	h.fails(h.start(copied), investigatetest.Recording(t, "demo.log"))
	h.settle()
	if list := h.investigations(p); len(list) != 1 || list[0].State != store.Done {
		t.Errorf("%+v", list)
	}
}

// TestRunsForCopiesAfterNoTest: a run of the pull request's own that tested nothing does not hide that of the copy.
func TestRunsForCopiesAfterNoTest(t *testing.T) {
	p := &github.Pull{HeadRef: "topic", HeadRepository: 2}
	for own, want := range map[string]int{"action_required": 1, "cancelled": 1, "skipped": 1, "failure": 0, "success": 0, "": 0} {
		mine := github.Run{ID: 1, Path: "ci.yml", Branch: "topic", Status: "completed", Conclusion: own}
		if mine.HeadRepository.ID = 2; own == "" {
			mine.Status = "in_progress"
		}
		copied := github.Run{ID: 2, Path: "ci.yml", Branch: "pull-request/1", Status: "completed", Conclusion: "failure"}
		copied.HeadRepository.ID = 1
		got := 0
		for _, r := range relevant([]github.Run{mine, copied}, p) {
			if r.ID == 2 {
				got++
			}
		}
		if got != want {
			t.Errorf("own run %q: %d copies", own, got)
		}
	}
}

// TestRunOnReview: some repositories run tests when a maintainer approves.
func TestRunOnReview(t *testing.T) {
	for role, want := range map[string]bool{"write": true, "read": false} {
		h := newHub(t, githubtest.Config{Limits: 100_000}, "demo.report.json")
		p := h.Pull(nil)
		reviewer := h.AddUser("reviewer")
		h.Repo.SetRole(reviewer, role)
		run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test (17)"}, Actor: reviewer, Event: "pull_request_review"})
		h.Must(err)
		h.fails(run, investigatetest.Recording(t, "demo.log"))
		h.settle()
		if posted := h.Posted(p); (len(posted.Inline)+len(posted.Comments) > 0) != want {
			t.Errorf("role %s: %+v", role, h.investigations(p))
		}
	}
}
