package githubtest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// The main path of the App: a failed run, a check, a review.
func TestRedBuildToSuggestion(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	run, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test"}})
	w.must(err)
	run.Job("test").Complete(w.ctx, "failure", []byte("2026-01-01T00:00:00.0000000Z [INFO] Running AppTest\n"))
	run.Complete(w.ctx, "failure")
	want := []string{"workflow_run.requested", "workflow_run.in_progress", "workflow_job.queued",
		"check_run.created", "workflow_job.in_progress",
		"check_run.completed", "workflow_job.completed", "check_suite.completed", "workflow_run.completed"}
	got := w.names()
	if at := slices.Index(got, want[0]); at < 0 || !slices.Equal(got[at:], want) {
		t.Errorf("events: %v", got)
	}
	check, _, err := w.gh.Checks.CreateCheckRun(w.ctx, "acme", "demo",
		github.CreateCheckRunOptions{Name: "odfix", HeadSHA: p.HeadSha(), Status: github.String("in_progress")})
	w.must(err)
	review, _, err := w.gh.PullRequests.CreateReview(w.ctx, "acme", "demo", p.Number, &github.PullRequestReviewRequest{
		Event: github.String("COMMENT"), Body: github.String("odfix"), CommitID: github.String(p.HeadSha()),
		Comments: []*github.DraftReviewComment{{Path: github.String("src/test/AppTest.java"), Line: github.Int(11),
			StartLine: github.Int(9),
			Side:      github.String("RIGHT"), Body: github.String("```suggestion\nx\n```")}},
	})
	w.must(err)
	_, _, err = w.gh.Checks.UpdateCheckRun(w.ctx, "acme", "demo", check.GetID(),
		github.UpdateCheckRunOptions{Name: "odfix", Conclusion: github.String("neutral"),
			Output: &github.CheckRunOutput{Title: github.String("t"), Summary: github.String("s")}})
	w.must(err)
	if review.GetState() != "COMMENTED" || review.GetUser().GetLogin() != "odfix[bot]" {
		t.Errorf("review: %v", review)
	}
	comments, _, err := w.gh.PullRequests.ListComments(w.ctx, "acme", "demo", p.Number, nil)
	w.must(err)
	if len(comments) != 1 || comments[0].GetLine() != 11 || comments[0].GetStartLine() != 9 ||
		!strings.HasSuffix(comments[0].GetDiffHunk(), "\n line k") {
		t.Errorf("comments: %v", comments)
	}
	_ = w.names()
	for _, d := range w.hooks.all() {
		if _, err := github.ParseWebHook(d.event, d.body); err != nil || !json.Valid(d.body) {
			t.Errorf("%s: %v", d.event, err)
		}
	}
}
