package githubtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// A pull request from a fork is where the ways from a commit to it end.
func TestForks(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	outsider := w.AddUser("outsider")
	fork, err := w.repo.Fork(w.ctx, outsider)
	w.must(err)
	p, err := w.repo.OpenPullRequest(w.ctx, githubtest.PullSpec{Author: outsider, Title: "From outside", Branch: "patch-1", From: fork,
		Change: githubtest.Change{Files: map[string]string{"x.txt": "x\n"}}})
	w.must(err)
	run, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Pull: p})
	w.must(err)
	run.Complete(w.ctx, "failure")
	got, _, err := w.gh.Actions.GetWorkflowRunByID(w.ctx, "acme", "demo", run.ID)
	w.must(err)
	if len(got.PullRequests) != 0 || got.GetHeadRepository().GetFullName() != "outsider/demo" || got.GetHeadBranch() != "patch-1" {
		t.Errorf("the run: %v %s", got.PullRequests, got.GetHeadRepository().GetFullName())
	}
	pulls, _, err := w.gh.PullRequests.ListPullRequestsWithCommit(w.ctx, "acme", "demo", p.HeadSha(), nil)
	w.must(err)
	if len(pulls) != 0 {
		t.Errorf("found by commit: %v", pulls)
	}
	pulls, _, err = w.gh.PullRequests.List(w.ctx, "acme", "demo", &github.PullRequestListOptions{Head: "outsider:patch-1"})
	w.must(err)
	if len(pulls) != 1 || pulls[0].GetHead().GetSHA() != p.HeadSha() || pulls[0].GetHead().GetRepo().GetFork() != true {
		t.Errorf("found by head: %v", pulls)
	}
	suites, _, err := w.gh.Checks.ListCheckSuitesForRef(w.ctx, "acme", "demo", p.HeadSha(), nil)
	w.must(err)
	for _, u := range suites.CheckSuites {
		if u.HeadBranch != nil || len(u.PullRequests) != 0 {
			t.Errorf("a suite of a fork's commit: %v", u)
		}
	}
	// In the fork the same commit names the pull request of another repository.
	run, err = fork.StartRun(w.ctx, githubtest.RunSpec{Branch: "patch-1"})
	w.must(err)
	inst := w.app.Install(outsider)
	got, _, err = w.client(inst).Actions.GetWorkflowRunByID(w.ctx, "outsider", "demo", run.ID)
	w.must(err)
	if len(got.PullRequests) != 1 || got.PullRequests[0].GetBase().GetRepo().GetID() != w.repo.ID {
		t.Errorf("in the fork: %v", got.PullRequests)
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
	fork.Delete()
	full, _, err = w.gh.PullRequests.Get(w.ctx, "acme", "demo", p.Number)
	w.must(err)
	if full.GetHead().Repo != nil {
		t.Errorf("a deleted fork is still the head: %v", full.GetHead())
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
	ref, _, err := w.gh.Git.GetRef(w.ctx, "acme", "demo", fmt.Sprintf("pull/%d/merge", p.Number))
	w.must(err)
	merge, _, err := w.gh.Git.GetCommit(w.ctx, "acme", "demo", ref.GetObject().GetSHA())
	w.must(err)
	base, err := w.repo.Head(w.ctx, "main")
	w.must(err)
	if len(merge.Parents) != 2 || merge.Parents[0].GetSHA() != base || merge.Parents[1].GetSHA() != p.HeadSha() || merge.GetSHA() != get().GetMergeCommitSHA() {
		t.Errorf("merge of %s and %s: %v", base, p.HeadSha(), merge)
	}
	if want := fmt.Sprintf("Merge %s into %s", p.HeadSha(), base); merge.GetMessage() != want {
		t.Errorf("message %q", merge.GetMessage())
	}
	before := p.MergeSha()
	_, err = w.repo.Commit(w.ctx, w.dev, "main", "Clash", githubtest.Change{Files: map[string]string{"src/test/AppTest.java": strings.Replace(changed(10), "changed", "clash", 1)}})
	w.must(err)
	get()
	get()
	if full := get(); full.GetMergeable() || full.GetMergeableState() != "dirty" || p.MergeSha() != before {
		t.Errorf("a conflict: %v %s", full.GetMergeable(), full.GetMergeableState())
	}
	if err := p.Merge(w.ctx, w.dev); err == nil {
		t.Error("a conflict was merged")
	}
}

func TestPushesAndTheirEvents(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	first := p.HeadSha()
	second, err := p.Push(w.ctx, "More", githubtest.Change{Files: map[string]string{"more.txt": "x\n"}})
	w.must(err)
	third, err := p.ForcePush(w.ctx, "All anew", githubtest.Change{Files: map[string]string{"more.txt": "y\n"}})
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
			if e.GetForced() != (e.GetAfter() == third) || e.GetHeadCommit().GetID() != e.GetAfter() {
				t.Errorf("push: forced %v, head %s of %s", e.GetForced(), e.GetHeadCommit().GetID(), e.GetAfter())
			}
		}
	}
	want := []string{"opened   1", fmt.Sprintf("synchronize %s %s 2", first, second), fmt.Sprintf("synchronize %s %s 1", second, third)}
	if strings.Join(seen, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", seen, want)
	}
	w.must(p.Merge(w.ctx, w.dev))
	full, _, err := w.gh.PullRequests.Get(w.ctx, "acme", "demo", p.Number)
	w.must(err)
	if !full.GetMerged() || full.GetState() != "closed" || full.GetMergedBy().GetLogin() != "dev" {
		t.Errorf("merged: %v", full)
	}
}

func TestFilesAndDiffs(t *testing.T) {
	w := newWorld(t, githubtest.Config{Limits: githubtest.Limits{DiffFiles: 3, PatchLines: 50}})
	files := map[string]string{"bin.dat": "\x00\x01", "big.txt": numbered(60), "src/test/AppTest.java": changed(10)}
	p, err := w.repo.OpenPullRequest(w.ctx, githubtest.PullSpec{Author: w.dev, Title: "x", Branch: "x", Change: githubtest.Change{Files: files}})
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
	diff, _, err := w.gh.PullRequests.GetRaw(w.ctx, "acme", "demo", p.Number, github.RawOptions{Type: github.Diff})
	w.must(err)
	if !strings.HasPrefix(diff, "diff --git a/big.txt b/big.txt\n") || strings.Count(diff, "diff --git") != 3 {
		t.Errorf("%.200s", diff)
	}
	mail, _, err := w.gh.PullRequests.GetRaw(w.ctx, "acme", "demo", p.Number, github.RawOptions{Type: github.Patch})
	if err != nil || !strings.HasPrefix(mail, "From "+p.HeadSha()) {
		t.Errorf("%.200s %v", mail, err)
	}
	_, err = p.Push(w.ctx, "One more", githubtest.Change{Files: map[string]string{"one.txt": "x"}})
	w.must(err)
	_, _, err = w.gh.PullRequests.GetRaw(w.ctx, "acme", "demo", p.Number, github.RawOptions{Type: github.Diff})
	wantError(t, err, 406, "the diff exceeded the maximum number of files (3)")
	compared, _, err := w.gh.Repositories.CompareCommits(w.ctx, "acme", "demo", "main", p.HeadSha(), nil)
	w.must(err)
	if compared.GetStatus() != "ahead" || compared.GetAheadBy() != 2 || len(compared.Files) != 4 {
		t.Errorf("%s %d %d", compared.GetStatus(), compared.GetAheadBy(), len(compared.Files))
	}
}

// The opt-in rung: a branch with the fix and a pull request onto the head branch.
func TestStackedPullRequest(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	gh, ctx := w.gh, w.ctx
	tree, _, err := gh.Git.CreateTree(ctx, "acme", "demo", p.HeadSha(), []*github.TreeEntry{{Path: github.String("src/test/NewTest.java"),
		Mode: github.String("100644"), Type: github.String("blob"), Content: github.String("class NewTest { /* reset */ }\n")},
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
	stacked := &github.NewPullRequest{Title: github.String("Fix"), Head: github.String("odfix/fix-1"), Base: github.String("feature/polluter")}
	fix, _, err := gh.PullRequests.Create(ctx, "acme", "demo", stacked)
	w.must(err)
	if fix.GetUser().GetLogin() != "odfix[bot]" || fix.GetChangedFiles() != 2 || fix.GetBase().GetRef() != "feature/polluter" {
		t.Errorf("%v", fix)
	}
	_, _, err = gh.PullRequests.Create(ctx, "acme", "demo", stacked)
	wantError(t, err, 422, "A pull request already exists for acme:odfix/fix-1.")
	_, _, err = gh.PullRequests.Create(ctx, "acme", "demo", &github.NewPullRequest{Title: github.String("x"), Head: github.String("main"), Base: github.String("odfix/fix-1")})
	wantError(t, err, 422, "No commits between odfix/fix-1 and main")
	_, _, err = gh.Git.UpdateRef(ctx, "acme", "demo", &github.Reference{Ref: github.String("refs/heads/odfix/fix-1"), Object: &github.GitObject{SHA: github.String(p.MergeSha())}}, false)
	wantError(t, err, 422, "Update is not a fast forward")
	state, err := p.State(ctx)
	w.must(err)
	onto, err := githubtest.As[[]*github.PullRequest](state.Onto)
	w.must(err)
	if len(onto) != 1 || onto[0].GetNumber() != fix.GetNumber() {
		t.Errorf("stacked: %v", onto)
	}
}

func TestOnlyOnesOwnCommentsAreEdited(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	k := p.Comment(w.ctx, w.dev, "mine")
	_, _, err := w.gh.Issues.EditComment(w.ctx, "acme", "demo", k.ID, &github.IssueComment{Body: github.String("yours")})
	wantError(t, err, 403, "Resource not accessible by integration")
	_, _, err = w.gh.Issues.EditComment(w.ctx, "acme", "demo", 1, &github.IssueComment{Body: github.String("x")})
	wantError(t, err, 404, "Not Found")
	other, err := w.AddApp(githubtest.AppSpec{Name: "other", Key: key(), Permissions: permissions})
	w.must(err)
	check, _, err := w.gh.Checks.CreateCheckRun(w.ctx, "acme", "demo", github.CreateCheckRunOptions{Name: "odfix", HeadSHA: p.HeadSha()})
	w.must(err)
	i := other.Install(w.owner)
	app := w.app
	w.app = other
	stranger := w.client(i)
	w.app = app
	_, _, err = stranger.Checks.UpdateCheckRun(w.ctx, "acme", "demo", check.GetID(), github.UpdateCheckRunOptions{Name: "odfix", Conclusion: github.String("success")})
	wantError(t, err, 403, "check run can only be modified by the GitHub App that created it")
}

func TestReviewThreads(t *testing.T) {
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	w.must(p.ReviewLine(w.ctx, w.dev, "src/test/AppTest.java", 10, "hm"))
	state, err := p.State(w.ctx)
	w.must(err)
	w.must(p.Reply(w.ctx, w.dev, state.Threads[0].Comments[0], "yes"))
	const query = `query($n: Int!) { repository(owner: "acme", name: "demo") { pullRequest(number: $n) {
		reviewThreads(first: 10) { totalCount nodes { id isResolved isOutdated path line comments(first: 1) {
		nodes { ... on Node { id } author { login } body } pageInfo { hasNextPage } } } } } } }`
	r := w.do(w.gh, "POST", "/graphql", o{"query": query, "variables": o{"n": p.Number}})
	for _, want := range []string{`"isResolved":false`, `"line":10`, `"login":"dev"`, `"hasNextPage":true`, `"totalCount":1`, state.Threads[0].ID} {
		if !strings.Contains(string(r.body), want) {
			t.Errorf("no %s in %s", want, r.body)
		}
	}
	mutation := o{"query": `mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved resolvedBy { login } } } }`,
		"variables": o{"id": state.Threads[0].ID}}
	if r := w.do(w.gh, "POST", "/graphql", mutation); !strings.Contains(string(r.body), `"isResolved":true`) {
		t.Errorf("%s", r.body)
	}
	names := w.names()
	if names[len(names)-1] != "pull_request_review_thread.resolved" {
		t.Errorf("events %v", names)
	}
	w.inst.SetPermissions(map[string]string{"pull_requests": "write", "contents": "read"})
	poor := w.client(w.inst)
	if r := w.do(poor, "POST", "/graphql", mutation); r.status != 200 || !strings.Contains(string(r.body), `"FORBIDDEN"`) {
		t.Errorf("without contents: write: %d %s", r.status, r.body)
	}
	fold := o{"query": `mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized minimizedReason } } }`,
		"variables": o{"id": state.Inline[0]["node_id"]}}
	if r := w.do(poor, "POST", "/graphql", fold); !strings.Contains(string(r.body), `"minimizedReason":"outdated"`) {
		t.Errorf("%s", r.body)
	}
	if r := w.do(poor, "POST", "/graphql", o{"query": "{ viewer { shoeSize } }"}); !strings.Contains(string(r.body), "shoeSize") {
		t.Errorf("%s", r.body)
	}
	w.expectMismatch("graphql")
}
