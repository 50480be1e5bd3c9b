package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
)

// ladderHub has a repository that allows one rung alone, and the permission for it or not.
func ladderHub(t *testing.T, rung, contents string) *hub {
	t.Helper()
	h := &hub{t: t, life: quickLife, runner: newRecorded(t, "demo.report.json")}
	h.github(githubtest.Config{})
	_, err := h.repo.Commit(h.ctx, h.dev, "main", "Configure", githubtest.Change{Files: map[string]string{".odfix.yml": "version: 1\nladder: [" + rung + "]\n"}})
	h.must(err)
	granted := map[string]string{"contents": contents}
	for name, level := range appPermissions {
		if name != "contents" {
			granted[name] = level
		}
	}
	h.inst.SetPermissions(granted)
	h.serve(h.runner)
	return h
}

// TestStackedPullRequest: the fix as a pull request into the pull request's branch.
func TestStackedPullRequest(t *testing.T) {
	h := ladderHub(t, "stacked-pull-request", "write")
	p := h.pull(nil)
	h.red(p, "demo.log")
	h.settled(p, 1)
	all := h.repo.PullRequests()
	if s := h.see(p); len(all) != 2 || len(s.checks) != 1 || len(s.ours())+s.reviews != 0 {
		t.Fatalf("%d pull requests, %d checks, %d comments", len(all), len(s.checks), len(s.ours()))
	}
	text, err := h.repo.File(h.ctx, all[1].HeadSha(), polluterFile)
	h.must(err)
	wantIn(t, text, "Settings.reset();\n")
	st, err := p.State(h.ctx)
	h.must(err)
	if len(st.Onto) != 1 {
		t.Errorf("%d pull requests into this one's branch", len(st.Onto))
	}
}

// TestCommitOnTheBranch: the fix as a commit on top of the head.
func TestCommitOnTheBranch(t *testing.T) {
	h := ladderHub(t, "commit", "write")
	p := h.pull(nil)
	before := p.HeadSha()
	h.red(p, "demo.log")
	h.settled(p, 1)
	if p.HeadSha() == before {
		t.Fatal("there is no commit")
	}
	text, err := h.repo.File(h.ctx, p.HeadSha(), polluterFile)
	h.must(err)
	wantIn(t, text, "Settings.reset();\n")
	same, err := os.ReadFile(filepath.Join("..", "examples", "demo", "pom.xml"))
	h.must(err)
	if pom, err := h.repo.File(h.ctx, p.HeadSha(), "pom.xml"); err != nil || pom != string(same) {
		t.Errorf("the rest of the tree: %v", err)
	}
}

// TestMissingPermission: what is not granted costs the rung, and the check says everything all the
// same.
func TestMissingPermission(t *testing.T) {
	for _, rung := range []string{"commit", "stacked-pull-request"} {
		t.Run(rung, func(t *testing.T) {
			onlyShort(t, rung, "commit")
			h := ladderHub(t, rung, "read")
			p := h.pull(nil)
			before := p.HeadSha()
			h.red(p, "demo.log")
			h.settled(p, 1)
			s := h.see(p)
			if p.HeadSha() != before || len(h.repo.PullRequests()) != 1 || len(s.checks) != 1 || s.checks[0].GetConclusion() != "neutral" {
				t.Errorf("%d pull requests, %d checks", len(h.repo.PullRequests()), len(s.checks))
			}
		})
	}
}
