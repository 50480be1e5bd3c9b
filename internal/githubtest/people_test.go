package githubtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// Every way a run can end makes events that GitHub's schemas allow.
func TestConclusions(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	for _, conclusion := range []string{"success", "failure", "timed_out", "cancelled", "skipped", "neutral", "action_required", "stale", "startup_failure"} {
		run, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Pull: p, Workflow: conclusion, Path: ".github/workflows/" + conclusion + ".yml"})
		w.must(err)
		// A run that never started has no job that failed for it; the job's check ends as the run
		// does.
		if conclusion != "stale" && conclusion != "startup_failure" {
			run.Job("build").Complete(w.ctx, conclusion, nil)
		} else {
			run.Job("build").Complete(w.ctx, "cancelled", nil)
		}
		run.Complete(w.ctx, conclusion)
		got, _, err := w.gh.Actions.GetWorkflowRunByID(w.ctx, "acme", "demo", run.ID)
		w.must(err)
		if got.GetConclusion() != conclusion || got.GetStatus() != "completed" {
			t.Errorf("%s: %s %s", conclusion, got.GetStatus(), got.GetConclusion())
		}
	}
	w.must(w.Drain(w.ctx))
}

func TestAnnotationsAreCapped(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	run, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Branch: "main"})
	w.must(err)
	job := run.Job("build")
	for i := range 15 {
		job.Annotate("src/test/AppTest.java", i+1, "failure", "x")
		job.Annotate("src/test/AppTest.java", i+1, "warning", "x")
	}
	list, _, err := w.gh.Checks.ListCheckRunAnnotations(w.ctx, "acme", "demo", job.ID, nil)
	w.must(err)
	if len(list) != 20 {
		t.Errorf("%d annotations", len(list))
	}
}

func TestCheckRunsGrow(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	check, _, err := w.gh.Checks.CreateCheckRun(w.ctx, "acme", "demo", github.CreateCheckRunOptions{Name: "odfix", HeadSHA: p.HeadSha(), Status: github.String("queued")})
	w.must(err)
	many := make([]*github.CheckRunAnnotation, 50)
	for i := range many {
		many[i] = &github.CheckRunAnnotation{Path: github.String("README.md"), StartLine: github.Int(1), EndLine: github.Int(1),
			AnnotationLevel: github.String("notice"), Message: github.String(fmt.Sprint(i))}
	}
	for range 2 {
		check, _, err = w.gh.Checks.UpdateCheckRun(w.ctx, "acme", "demo", check.GetID(), github.UpdateCheckRunOptions{Name: "odfix",
			Output: &github.CheckRunOutput{Title: github.String("t"), Summary: github.String("s"), Annotations: many}})
		w.must(err)
	}
	if check.GetOutput().GetAnnotationsCount() != 100 || check.GetStatus() != "queued" {
		t.Errorf("%v", check)
	}
	if _, resp, _ := w.gh.Checks.UpdateCheckRun(w.ctx, "acme", "demo", check.GetID(), github.UpdateCheckRunOptions{Name: "odfix", Status: github.String("completed")}); status(resp) != 422 {
		t.Errorf("completed without a conclusion: %d", status(resp))
	}
	w.TakeMismatches() // the description knows of that, too
	again, _, err := w.gh.Checks.CreateCheckRun(w.ctx, "acme", "demo", github.CreateCheckRunOptions{Name: "odfix", HeadSHA: p.HeadSha(), Conclusion: github.String("neutral")})
	w.must(err)
	latest, _, err := w.gh.Checks.ListCheckRunsForRef(w.ctx, "acme", "demo", "feature/polluter", &github.ListCheckRunsOptions{AppID: &w.app.ID})
	w.must(err)
	if latest.GetTotal() != 1 || latest.CheckRuns[0].GetID() != again.GetID() {
		t.Errorf("the latest of that name: %v", latest.CheckRuns)
	}
	all, _, err := w.gh.Checks.ListCheckRunsForRef(w.ctx, "acme", "demo", p.HeadSha(), &github.ListCheckRunsOptions{Filter: github.String("all"), CheckName: github.String("odfix")})
	w.must(err)
	if all.GetTotal() != 2 {
		t.Errorf("all: %d", all.GetTotal())
	}
}

func TestBranchesComeAndGo(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	_, err := w.repo.Commit(w.ctx, w.dev, "release", "Release", githubtest.Change{Files: map[string]string{"R": "r"}})
	w.must(err)
	edited, _, err := w.gh.PullRequests.Edit(w.ctx, "acme", "demo", p.Number, &github.PullRequest{Base: &github.PullRequestBranch{Ref: github.String("release")}})
	w.must(err)
	if edited.GetBase().GetRef() != "release" {
		t.Errorf("base %s", edited.GetBase().GetRef())
	}
	_, _, err = w.gh.PullRequests.Edit(w.ctx, "acme", "demo", p.Number, &github.PullRequest{Base: &github.PullRequestBranch{Ref: github.String("nowhere")}})
	wantError(t, err, 422, "base")
	p.Close(w.ctx, w.dev)
	p.Reopen(w.ctx, w.dev)
	_, err = w.gh.Git.DeleteRef(w.ctx, "acme", "demo", "heads/feature/polluter")
	w.must(err)
	full, _, err := w.gh.PullRequests.Get(w.ctx, "acme", "demo", p.Number)
	w.must(err)
	if full.GetState() != "closed" || full.GetMerged() {
		t.Errorf("%s", full.GetState())
	}
	want := "opened edited closed reopened closed"
	var got []string
	for _, d := range w.app.Deliveries() {
		if d.Event == "pull_request" {
			got = append(got, d.Action)
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("%v", got)
	}
}

func TestPendingReviewsAreTheirAuthorsOwn(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	review := &github.PullRequestReviewRequest{Body: github.String("b"), Comments: []*github.DraftReviewComment{{Path: github.String("src/test/AppTest.java"),
		Line: github.Int(10), Side: github.String("RIGHT"), Body: github.String("x")}}}
	made, _, err := w.gh.PullRequests.CreateReview(w.ctx, "acme", "demo", p.Number, review)
	w.must(err)
	if made.GetState() != "PENDING" || made.SubmittedAt != nil {
		t.Errorf("%v", made)
	}
	_, _, err = w.gh.PullRequests.CreateReview(w.ctx, "acme", "demo", p.Number, review)
	wantError(t, err, 422, "one pending review per pull request")
	before, _, err := w.gh.PullRequests.ListComments(w.ctx, "acme", "demo", p.Number, nil)
	w.must(err)
	_, _, err = w.gh.PullRequests.SubmitReview(w.ctx, "acme", "demo", p.Number, made.GetID(), &github.PullRequestReviewRequest{Event: github.String("COMMENT")})
	w.must(err)
	after, _, err := w.gh.PullRequests.ListComments(w.ctx, "acme", "demo", p.Number, nil)
	w.must(err)
	if len(before) != 0 || len(after) != 1 {
		t.Errorf("%d comments before, %d after", len(before), len(after))
	}
}

// CI checks out what it tests; a folder becomes a repository.
func TestFoldersInAndOut(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	in, out := t.TempDir(), t.TempDir()
	w.must(os.WriteFile(filepath.Join(in, "pom.xml"), []byte("<project/>\n"), 0o644))
	r, err := w.AddRepository(w.ctx, githubtest.RepositorySpec{Owner: w.owner, Name: "folder", Dir: in, Files: map[string]string{"deep/er": "x"}})
	w.must(err)
	if _, err := w.AddRepository(w.ctx, githubtest.RepositorySpec{Owner: w.owner, Name: "folder", Dir: in}); err == nil {
		t.Error("a second repository of that name was made")
	}
	p, err := r.OpenPullRequest(w.ctx, githubtest.PullSpec{Author: w.dev, Title: "t", Branch: "b", Change: githubtest.Change{Remove: []string{"deep/er"}}})
	w.must(err)
	w.must(r.Checkout(w.ctx, p.MergeSha(), out))
	if text, err := os.ReadFile(filepath.Join(out, "pom.xml")); err != nil || string(text) != "<project/>\n" {
		t.Errorf("%q %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(out, "deep")); !os.IsNotExist(err) {
		t.Errorf("a removed file is there: %v", err)
	}
	if w.Repository("acme", "folder") != r || r.PullRequest(1) != p || r.PullRequest(2) != nil || w.Repository("acme", "none") != nil {
		t.Error("what was made is not found")
	}
}
