package investigate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
)

// ladderHub has a repository that allows one rung alone, and the permission for it or not.
func ladderHub(t *testing.T, rung, contents string) *hub {
	t.Helper()
	h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
	h.github(githubtest.Config{})
	_, err := h.Repo.Commit(h.Ctx, h.Dev, "main", "Configure",
		githubtest.Change{Files: map[string]string{".odfix.yml": "version: 1\nladder: [" + rung + "]\n"}})
	h.Must(err)
	granted := map[string]string{"contents": contents}
	for name, level := range investigatetest.Permissions() {
		if name != "contents" {
			granted[name] = level
		}
	}
	h.Inst.SetPermissions(granted)
	h.serve(h.runner)
	return h
}

// TestStackedPullRequest: the fix as a pull request into the pull request's branch.
func TestStackedPullRequest(t *testing.T) {
	h := ladderHub(t, "stacked-pull-request", "write")
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	all := h.Repo.PullRequests()
	if s := h.Posted(p); len(all) != 2 || len(s.Checks) != 1 || len(s.Causes())+s.Reviews != 0 {
		t.Fatalf("%d pull requests, %d checks, %d comments", len(all), len(s.Checks), len(s.Causes()))
	}
	text, err := h.Repo.File(h.Ctx, all[1].HeadSha(), investigatetest.PolluterFile)
	h.Must(err)
	wantIn(t, text, "Settings.reset();\n")
	st, err := p.State(h.Ctx)
	h.Must(err)
	if len(st.Onto) != 1 {
		t.Errorf("%d pull requests into this one's branch", len(st.Onto))
	}
}

// TestCommitOnTheBranch: the fix as a commit on top of the head.
func TestCommitOnTheBranch(t *testing.T) {
	h := ladderHub(t, "commit", "write")
	p := h.Pull(nil)
	before := p.HeadSha()
	h.red(p, "demo.log")
	h.settled(p, 1)
	if p.HeadSha() == before {
		t.Fatal("there is no commit")
	}
	text, err := h.Repo.File(h.Ctx, p.HeadSha(), investigatetest.PolluterFile)
	h.Must(err)
	wantIn(t, text, "Settings.reset();\n")
	same, err := os.ReadFile(filepath.Join("..", "..", "examples", "demo", "pom.xml"))
	h.Must(err)
	if pom, err := h.Repo.File(h.Ctx, p.HeadSha(), "pom.xml"); err != nil || pom != string(same) {
		t.Errorf("the rest of the tree: %v", err)
	}
}

// TestMissingPermission: what is not granted costs the rung, and the check says everything all the
// same.
func TestMissingPermission(t *testing.T) {
	for _, rung := range []string{"commit", "stacked-pull-request"} {
		t.Run(rung, func(t *testing.T) {
			h := ladderHub(t, rung, "read")
			p := h.Pull(nil)
			before := p.HeadSha()
			h.red(p, "demo.log")
			h.settled(p, 1)
			s := h.Posted(p)
			if p.HeadSha() != before || len(h.Repo.PullRequests()) != 1 || len(s.Checks) != 1 || s.Checks[0].GetConclusion() != "neutral" {
				t.Errorf("%d pull requests, %d checks", len(h.Repo.PullRequests()), len(s.Checks))
			}
		})
	}
}
