package githubtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// A commit of a fork does not lead to its pull request.
func TestForks(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	outsider := w.AddUser("outsider")
	fork, err := w.repo.Fork(w.ctx, outsider)
	w.must(err)
	p, err := w.repo.OpenPullRequest(w.ctx, githubtest.PullSpec{Author: outsider, Title: "From outside", Branch: "patch-1", From: fork,
		Change: githubtest.Change{Files: map[string]string{"x.txt": "x\n"}}})
	w.must(err)
	run, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"build"}})
	w.must(err)
	run.Complete(w.ctx, "failure")
	runs, _, err := w.gh.Actions.ListRepositoryWorkflowRuns(w.ctx, "acme", "demo", nil)
	w.must(err)
	if got := runs.WorkflowRuns[0]; len(got.PullRequests) != 0 || got.GetHeadRepository().GetFullName() != "outsider/demo" ||
		got.GetHeadBranch() != "patch-1" {
		t.Errorf("the run: %v %s", got.PullRequests, got.GetHeadRepository().GetFullName())
	}
	pulls, _, err := w.gh.PullRequests.List(w.ctx, "acme", "demo", &github.PullRequestListOptions{Head: "outsider:patch-1"})
	w.must(err)
	if len(pulls) != 1 || pulls[0].GetHead().GetSHA() != p.HeadSha() || pulls[0].GetHead().GetRepo().GetFork() != true {
		t.Errorf("found by head: %v", pulls)
	}
	w.must(w.Drain(w.ctx))
	for _, h := range w.hooks.all() {
		e, err := github.ParseWebHook(h.event, h.body)
		w.must(err)
		if e, ok := e.(*github.CheckSuiteEvent); ok && (e.CheckSuite.HeadBranch != nil || len(e.CheckSuite.PullRequests) != 0) {
			t.Errorf("a suite of a fork's commit: %v", e.CheckSuite)
		}
	}
	// In the fork, the same commit names the pull request of the base repository.
	made, _, err := w.client(w.app.Install(outsider)).Checks.CreateCheckRun(w.ctx, "outsider", "demo",
		github.CreateCheckRunOptions{Name: "x", HeadSHA: p.HeadSha()})
	w.must(err)
	if len(made.PullRequests) != 1 || made.PullRequests[0].GetBase().GetRepo().GetID() != w.repo.ID {
		t.Errorf("in the fork: %v", made.PullRequests)
	}
	// The base repository has the fork's commits.
	if text, err := w.repo.File(w.ctx, p.HeadSha(), "x.txt"); err != nil || text != "x\n" {
		t.Errorf("%q %v", text, err)
	}
	full, _, err := w.gh.PullRequests.Get(w.ctx, "acme", "demo", p.Number)
	w.must(err)
	if !full.GetMaintainerCanModify() {
		t.Error("maintainers may not push")
	}
}

func TestTestMerges(t *testing.T) {
	w := newWorld(t, githubtest.Config{Quirks: githubtest.Quirks{MergeablePending: 2}})
	p := w.pull()
	get := func() *github.PullRequest {
		full, _, err := w.gh.PullRequests.Get(w.ctx, "acme", "demo", p.Number)
		w.must(err)
		return full
	}
	if a, b, c := get().Mergeable, get().Mergeable, get().GetMergeable(); a != nil || b != nil || !c {
		t.Errorf("mergeable: %v %v %v", a, b, c)
	}
	merge, _, err := w.gh.Repositories.GetCommit(w.ctx, "acme", "demo", fmt.Sprintf("pull/%d/merge", p.Number), nil)
	w.must(err)
	base := get().GetBase().GetSHA()
	if len(merge.Parents) != 2 || merge.Parents[0].GetSHA() != base || merge.Parents[1].GetSHA() != p.HeadSha() ||
		merge.GetSHA() != get().GetMergeCommitSHA() {
		t.Errorf("merge of %s and %s: %v", base, p.HeadSha(), merge)
	}
	if want := fmt.Sprintf("Merge %s into %s", p.HeadSha(), base); merge.GetCommit().GetMessage() != want {
		t.Errorf("message %q", merge.GetCommit().GetMessage())
	}
	before := p.MergeSha()
	_, err = w.repo.Commit(w.ctx, w.dev, "main", "Clash",
		githubtest.Change{Files: map[string]string{"src/test/AppTest.java": strings.Replace(changed(10), "changed", "clash", 1)}})
	w.must(err)
	get()
	get()
	if full := get(); full.GetMergeable() || full.GetMergeableState() != "dirty" || p.MergeSha() != before {
		t.Errorf("a conflict: %v %s", full.GetMergeable(), full.GetMergeableState())
	}
}

func TestPushesAndTheirEvents(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	first := p.HeadSha()
	second, err := p.Push(w.ctx, "More", githubtest.Change{Files: map[string]string{"more.txt": "x\n"}})
	w.must(err)
	_, _, err = w.gh.Git.UpdateRef(w.ctx, "acme", "demo",
		&github.Reference{Ref: github.String("refs/heads/feature/polluter"), Object: &github.GitObject{SHA: &first}}, true)
	w.must(err)
	w.must(w.Drain(w.ctx))
	var seen []string
	for _, h := range w.hooks.all() {
		e, err := github.ParseWebHook(h.event, h.body)
		w.must(err)
		switch e := e.(type) {
		case *github.PullRequestEvent:
			seen = append(seen, fmt.Sprintf("%s %s %s %d", e.GetAction(), e.GetBefore(), e.GetAfter(), e.GetPullRequest().GetCommits()))
		case *github.PushEvent:
			if e.GetForced() != (e.GetBefore() == second) || e.GetHeadCommit().GetID() != e.GetAfter() {
				t.Errorf("push: forced %v, head %s of %s", e.GetForced(), e.GetHeadCommit().GetID(), e.GetAfter())
			}
		}
	}
	want := []string{"opened   1", fmt.Sprintf("synchronize %s %s 2", first, second), fmt.Sprintf("synchronize %s %s 1", second, first)}
	if strings.Join(seen, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", seen, want)
	}
}

func TestFilesAndDiffs(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	files := map[string]string{"bin.dat": "\x00\x01", "big.txt": strings.Repeat("x\n", 3001), "src/test/AppTest.java": changed(10)}
	p, err := w.repo.OpenPullRequest(w.ctx, githubtest.PullSpec{Author: w.dev, Title: "x", Branch: "x",
		Change: githubtest.Change{Files: files}})
	w.must(err)
	list, _, err := w.gh.PullRequests.ListFiles(w.ctx, "acme", "demo", p.Number, nil)
	w.must(err)
	patches := map[string]bool{}
	for _, f := range list {
		patches[f.GetFilename()] = f.Patch != nil
	}
	if len(list) != 3 || patches["bin.dat"] || patches["big.txt"] || !patches["src/test/AppTest.java"] {
		t.Errorf("patches: %v", patches)
	}
	_, err = p.Push(w.ctx, "One more", githubtest.Change{Files: map[string]string{"one.txt": "x"}})
	w.must(err)
	compared, _, err := w.gh.Repositories.CompareCommits(w.ctx, "acme", "demo", "main", p.HeadSha(), nil)
	w.must(err)
	if compared.GetStatus() != "ahead" || compared.GetAheadBy() != 2 ||
		compared.GetMergeBaseCommit().GetSHA() != compared.GetBaseCommit().GetSHA() {
		t.Errorf("%s %d", compared.GetStatus(), compared.GetAheadBy())
	}
}

// A branch with the fix, and a pull request into the head branch.
func TestStackedPullRequest(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	gh, ctx := w.gh, w.ctx
	blob, _, err := gh.Git.CreateBlob(ctx, "acme", "demo",
		&github.Blob{Content: github.String("class NewTest { /* reset */ }\n"), Encoding: github.String("utf-8")})
	w.must(err)
	tree, _, err := gh.Git.CreateTree(ctx, "acme", "demo", p.HeadSha(), []*github.TreeEntry{{Path: github.String("src/test/NewTest.java"),
		Mode: github.String("100644"), Type: github.String("blob"), SHA: blob.SHA},
		{Path: github.String("README.md"), Mode: github.String("100644"), Type: github.String("blob")}}) // removed
	w.must(err)
	commit, _, err := gh.Git.CreateCommit(ctx, "acme", "demo", &github.Commit{Message: github.String("Reset state"), Tree: tree,
		Parents: []*github.Commit{{SHA: github.String(p.HeadSha())}}}, nil)
	w.must(err)
	if commit.GetAuthor().GetName() != "odfix[bot]" {
		t.Errorf("author %v", commit.GetAuthor())
	}
	ref := &github.Reference{Ref: github.String("refs/heads/odfix/fix-1"), Object: &github.GitObject{SHA: commit.SHA}}
	_, _, err = gh.Git.CreateRef(ctx, "acme", "demo", ref)
	w.must(err)
	_, _, err = gh.Git.CreateRef(ctx, "acme", "demo", ref)
	wantError(t, err, 422, "Reference already exists")
	stacked := &github.NewPullRequest{Title: github.String("Fix"), Head: github.String("odfix/fix-1"),
		Base: github.String("feature/polluter")}
	fix, _, err := gh.PullRequests.Create(ctx, "acme", "demo", stacked)
	w.must(err)
	if fix.GetUser().GetLogin() != "odfix[bot]" || fix.GetChangedFiles() != 2 || fix.GetBase().GetRef() != "feature/polluter" {
		t.Errorf("%v", fix)
	}
	_, _, err = gh.PullRequests.Create(ctx, "acme", "demo", stacked)
	wantError(t, err, 422, "A pull request already exists for acme:odfix/fix-1.")
	_, _, err = gh.PullRequests.Create(ctx, "acme", "demo",
		&github.NewPullRequest{Title: github.String("x"), Head: github.String("main"), Base: github.String("odfix/fix-1")})
	wantError(t, err, 422, "No commits between odfix/fix-1 and main")
	_, _, err = gh.Git.UpdateRef(ctx, "acme", "demo",
		&github.Reference{Ref: github.String("refs/heads/odfix/fix-1"), Object: &github.GitObject{SHA: github.String(p.MergeSha())}}, false)
	wantError(t, err, 422, "Update is not a fast forward")
	state, err := p.State(ctx)
	w.must(err)
	onto, err := githubtest.As[[]*github.PullRequest](state.Onto)
	w.must(err)
	if len(onto) != 1 || onto[0].GetNumber() != fix.GetNumber() {
		t.Errorf("stacked: %v", onto)
	}
}

func TestOnlyOwnCommentsAreEdited(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	k := p.Comment(w.ctx, w.dev, "mine")
	_, _, err := w.gh.Issues.EditComment(w.ctx, "acme", "demo", k.ID, &github.IssueComment{Body: github.String("yours")})
	wantError(t, err, 403, "Resource not accessible by integration")
	_, _, err = w.gh.Issues.EditComment(w.ctx, "acme", "demo", 1, &github.IssueComment{Body: github.String("x")})
	wantError(t, err, 404, "Not Found")
	other, err := w.AddApp(githubtest.AppSpec{Name: "other", Permissions: permissions})
	w.must(err)
	check, _, err := w.gh.Checks.CreateCheckRun(w.ctx, "acme", "demo", github.CreateCheckRunOptions{Name: "odfix", HeadSHA: p.HeadSha()})
	w.must(err)
	i := other.Install(w.owner)
	app := w.app
	w.app = other
	stranger := w.client(i)
	w.app = app
	_, _, err = stranger.Checks.UpdateCheckRun(w.ctx, "acme", "demo", check.GetID(),
		github.UpdateCheckRunOptions{Name: "odfix", Conclusion: github.String("success")})
	wantError(t, err, 403, "check run can only be modified by the GitHub App that created it")
}
