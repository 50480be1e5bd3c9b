package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
)

// actionWorkflows are the workflows of docs/ci.md.
var actionWorkflows = map[string]string{
	"ci.yml": `on: pull_request
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - run: mvn --batch-mode --no-transfer-progress test
      - uses: odfix/odfix@v1
        if: failure()
        with: {budget: 30m}
`,
	"post.yml": `on: {workflow_run: {workflows: [CI], types: [completed]}}
jobs:
  post:
    runs-on: ubuntu-latest
    steps:
      - uses: odfix/odfix@v1
        with: {mode: post}
`,
	"nightly.yml": `on: {schedule: [{cron: "17 3 * * *"}]}
jobs:
  detect:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: odfix/odfix@v1
        with: {mode: detect, budget: 30m, technique: intra-class, fix: "true"}
`,
}

// actionRun runs workflows with act in host mode, against the stand-in GitHub.
type actionRun struct {
	*investigatetest.Hub
	t         *testing.T
	odfix     string // the folder of the program
	act       string
	artifacts string // where the stand-in for actions/upload-artifact keeps them
}

func newActionRun(t *testing.T) *actionRun {
	t.Helper()
	if testing.Short() {
		t.Skip("builds odfix and act, and runs Maven and whole investigations")
	}
	if runtime.GOOS == "windows" {
		t.Skip("act runs the scripts of the action in bash")
	}
	a := &actionRun{Hub: investigatetest.New(t, githubtest.Config{}), t: t, odfix: t.TempDir(), artifacts: t.TempDir()}
	act, err := exec.Command("../.ci/act").Output()
	if err != nil {
		t.Fatalf(".ci/act: %v", err)
	}
	a.act = strings.TrimSpace(string(act))
	out, err := exec.Command("go", "build", "-o", filepath.Join(a.odfix, "odfix"), ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return a
}

// checkout is the commit that CI tests, with the workflows.
func (a *actionRun) checkout(ref string) string {
	a.t.Helper()
	dir := a.t.TempDir()
	a.Must(a.Repo.Checkout(a.Ctx, ref, dir))
	workflows := filepath.Join(dir, ".github", "workflows")
	a.Must(os.MkdirAll(workflows, 0o755))
	for name, text := range actionWorkflows {
		a.Must(os.WriteFile(filepath.Join(workflows, name), []byte(text), 0o644))
	}
	// act copies the folder where a workflow checks it out, if it is a clone.
	for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "origin", "https://github.com/acme/shop.git"}, {"add", "-A"},
		{"config", "url." + filepath.Join(dir, "nowhere") + ".insteadOf", "https://github.com/acme/shop.git"}, // nothing is fetched from GitHub
		{"-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-q", "-m", "tested"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			a.t.Fatalf("git %q: %v %s", args, err, out)
		}
	}
	return dir
}

// run runs a workflow on a commit that is in the folder, and returns its log.
func (a *actionRun) run(dir, sha, event, workflow string, payload []byte, permissions map[string]string) string {
	a.t.Helper()
	file := filepath.Join(a.t.TempDir(), "event.json")
	a.Must(os.WriteFile(file, payload, 0o644))
	root, err := filepath.Abs("..")
	a.Must(err)
	stub, err := filepath.Abs("testdata/action/upload-artifact")
	a.Must(err)
	yml, err := os.ReadFile("../action.yml")
	a.Must(err)
	_, pin, _ := strings.Cut(string(yml), "uses: actions/upload-artifact@")
	pin, _, _ = strings.Cut(pin, " ")
	ctx, stop := context.WithTimeout(a.Ctx, investigatetest.Limit)
	defer stop()
	c := exec.CommandContext(ctx, a.act, event, "-C", dir, "-W", filepath.Join(".github", "workflows", workflow), "--eventpath", file,
		"-P", "ubuntu-latest=-self-hosted", "--local-repository", "odfix/odfix@v1="+root,
		"--local-repository", "actions/upload-artifact@"+pin+"="+stub, "--env", "GITHUB_API_URL="+a.URL, "--env", "ARTIFACTS="+a.artifacts,
		"--env", "GITHUB_REPOSITORY=acme/shop", // act takes it from the remote, which leads nowhere
		"--env", "SHA_REF="+sha, "-s", "GITHUB_TOKEN="+a.Repo.WorkflowToken(permissions))
	c.Env = append(os.Environ(), "PATH="+a.odfix+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_CACHE_HOME="+a.t.TempDir())
	var log bytes.Buffer
	c.Stdout, c.Stderr = &log, &log
	_ = c.Run() // the job is red, since its tests failed
	a.t.Logf("%s:\n%s", workflow, &log)
	return log.String()
}

var (
	tokenWrites = map[string]string{"contents": "read", "checks": "write", "pull_requests": "write", "issues": "write", "actions": "read"}
	tokenReads  = map[string]string{"contents": "read", "checks": "read", "pull_requests": "read"}
)

func (a *actionRun) check(p *githubtest.PullRequest) *gh.CheckRun {
	a.t.Helper()
	all, err := githubtest.As[[]*gh.CheckRun](a.Repo.Checks(p.HeadSha()))
	a.Must(err)
	for _, c := range all {
		if c.GetName() == "odfix" {
			return c
		}
	}
	return nil
}

// TestActionSuggests: a red build of a pull request becomes a suggestion, by the action alone.
func TestActionSuggests(t *testing.T) {
	a := newActionRun(t)
	p := a.Pull(nil)
	payload, err := p.Event(a.Ctx, "synchronize")
	a.Must(err)
	log := a.run(a.checkout(p.MergeSha()), p.MergeSha(), "pull_request", "ci.yml", payload, tokenWrites)
	wantIn(t, log, "ReceiptTest", "the report is posted", "::warning file="+investigatetest.PolluterFile)
	bodies := a.Posted(p).Causes()
	if len(bodies) != 1 || a.check(p).GetConclusion() != "neutral" {
		t.Fatalf("comments %q, check %v", bodies, a.check(p))
	}
	wantIn(t, bodies[0], "```suggestion", "Settings.reset();", "no independent runner has repeated it")
}

// TestActionOfFork: a fork's run leaves its report, and the companion posts it.
func TestActionOfFork(t *testing.T) {
	a := newActionRun(t)
	fork, err := a.Repo.Fork(a.Ctx, a.AddUser("stranger"))
	a.Must(err)
	p := a.Pull(fork)
	payload, err := p.Event(a.Ctx, "synchronize")
	a.Must(err)
	dir := a.checkout(p.MergeSha())
	wantIn(t, a.run(dir, p.MergeSha(), "pull_request", "ci.yml", payload, tokenReads), "kept as an artifact")
	if bodies := a.Posted(p).Causes(); len(bodies) > 0 || a.check(p) != nil {
		t.Fatalf("a token that can only read wrote %q", bodies)
	}
	report, err := os.ReadFile(filepath.Join(a.artifacts, "odfix-report", "report.json"))
	a.Must(err)
	run := a.Red(p, []byte("log"))
	_, err = run.AddArtifact("odfix-report", map[string][]byte{"report.json": report})
	a.Must(err)
	payload, err = run.Event(a.Ctx)
	a.Must(err)
	a.run(dir, p.MergeSha(), "workflow_run", "post.yml", payload, tokenWrites)
	bodies := a.Posted(p).Causes()
	if len(bodies) != 1 || a.check(p) == nil {
		t.Fatalf("comments %q, check %v", bodies, a.check(p))
	}
	wantIn(t, bodies[0], "```suggestion", "no independent runner has repeated it")
}

// TestActionNightly: a nightly search opens one issue.
func TestActionNightly(t *testing.T) {
	a := newActionRun(t)
	head, err := a.Repo.Commit(a.Ctx, a.Dev, "main", "The polluter",
		githubtest.Change{Files: map[string]string{investigatetest.PolluterFile: a.Polluter()}})
	a.Must(err)
	a.run(a.checkout(head), head, "schedule", "nightly.yml", []byte(`{}`), tokenWrites)
	all := a.Repo.Issues()
	if len(all) != 1 || !all[0].Open {
		t.Fatalf("%+v", all)
	}
	wantIn(t, all[0].Body, "ReceiptTest#printsTheTotal", "odfix detect ran")
}
