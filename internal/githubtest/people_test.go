package githubtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// The events of every conclusion of a run fit GitHub's schemas.
func TestConclusions(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	for _, conclusion := range []string{"success", "failure", "timed_out", "cancelled", "skipped", "neutral",
		"action_required", "stale", "startup_failure"} {
		run, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Pull: p, Workflow: conclusion,
			Path: ".github/workflows/" + conclusion + ".yml", Jobs: []string{"build"}})
		w.must(err)
		// A run that did not start has no failed job.
		if conclusion != "stale" && conclusion != "startup_failure" {
			run.Job("build").Complete(w.ctx, conclusion, nil)
		} else {
			run.Job("build").Complete(w.ctx, "cancelled", nil)
		}
		run.Complete(w.ctx, conclusion)
		runs, _, err := w.gh.Actions.ListRepositoryWorkflowRuns(w.ctx, "acme", "demo", nil)
		w.must(err)
		if got := runs.WorkflowRuns[0]; got.GetConclusion() != conclusion || got.GetStatus() != "completed" {
			t.Errorf("%s: %s %s", conclusion, got.GetStatus(), got.GetConclusion())
		}
	}
	w.must(w.Drain(w.ctx))
}

func TestCheckRunsGrow(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	check, _, err := w.gh.Checks.CreateCheckRun(w.ctx, "acme", "demo",
		github.CreateCheckRunOptions{Name: "odfix", HeadSHA: p.HeadSha(), Status: github.String("queued")})
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
	if _, resp, _ := w.gh.Checks.UpdateCheckRun(w.ctx, "acme", "demo", check.GetID(),
		github.UpdateCheckRunOptions{Name: "odfix", Status: github.String("completed")}); status(resp) != 422 {
		t.Errorf("completed without a conclusion: %d", status(resp))
	}
	w.TakeMismatches() // the description refuses it, too
	again, _, err := w.gh.Checks.CreateCheckRun(w.ctx, "acme", "demo",
		github.CreateCheckRunOptions{Name: "odfix", HeadSHA: p.HeadSha(), Conclusion: github.String("neutral")})
	w.must(err)
	latest, _, err := w.gh.Checks.ListCheckRunsForRef(w.ctx, "acme", "demo", "heads/feature/polluter",
		&github.ListCheckRunsOptions{AppID: &w.app.ID})
	w.must(err)
	if latest.GetTotal() != 1 || latest.CheckRuns[0].GetID() != again.GetID() {
		t.Errorf("the latest of that name: %v", latest.CheckRuns)
	}
	all, _, err := w.gh.Checks.ListCheckRunsForRef(w.ctx, "acme", "demo", p.HeadSha(),
		&github.ListCheckRunsOptions{Filter: github.String("all"), CheckName: github.String("odfix")})
	w.must(err)
	if all.GetTotal() != 2 {
		t.Errorf("all: %d", all.GetTotal())
	}
}

// A folder becomes a repository, and a commit becomes a folder.
func TestCommitOfAFolderAndCheckout(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	in, out := t.TempDir(), t.TempDir()
	w.must(os.WriteFile(filepath.Join(in, "pom.xml"), []byte("<project/>\n"), 0o644))
	r, err := w.AddRepository(w.ctx, githubtest.RepositorySpec{Owner: w.owner, Name: "folder", Dir: in,
		Files: map[string]string{"deep/er": "x"}})
	w.must(err)
	if _, err := w.AddRepository(w.ctx, githubtest.RepositorySpec{Owner: w.owner, Name: "folder", Dir: in}); err == nil {
		t.Error("a second repository of that name was made")
	}
	p, err := r.OpenPullRequest(w.ctx, githubtest.PullSpec{Author: w.dev, Title: "t", Branch: "b",
		Change: githubtest.Change{Remove: []string{"deep/er"}}})
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
