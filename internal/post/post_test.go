package post

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
)

// site is a stand-in GitHub, and what a workflow run says.
type site struct {
	*investigatetest.Hub
	said []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	return &site{Hub: investigatetest.New(t, githubtest.Config{})}
}

var (
	writing = map[string]string{"contents": "read", "checks": "write", "pull_requests": "write", "issues": "write", "actions": "read"}
	reading = map[string]string{"contents": "read", "checks": "read", "pull_requests": "read", "issues": "read", "actions": "read"}
)

// report is the recorded report of the demo.
func report(t *testing.T) *job.Report {
	t.Helper()
	r, err := job.ParseReport(investigatetest.Recording(t, "demo.report.json"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// event writes a payload where GITHUB_EVENT_PATH names it, and reads it as odfix does.
func (s *site) event(name string, payload []byte, err error) Event {
	s.T.Helper()
	s.Must(err)
	file := filepath.Join(s.T.TempDir(), "event.json")
	s.Must(os.WriteFile(file, payload, 0o644))
	e, err := ReadEvent(name, file)
	s.Must(err)
	return e
}

func (s *site) onPull(p *githubtest.PullRequest) Event {
	s.T.Helper()
	payload, err := p.Event(s.Ctx, "synchronize")
	return s.event("pull_request", payload, err)
}

// run posts, with a token that has the permissions.
func (s *site) run(e Event, permissions map[string]string, reports ...*job.Report) (Result, error) {
	return Run(s.Ctx, Options{Token: s.Repo.WorkflowToken(permissions), API: s.URL, Repository: "acme/shop", Event: e, Reports: reports,
		Artifact: "odfix-report", Wait: time.Millisecond, Say: func(format string, args ...any) {
			s.said = append(s.said, fmt.Sprintf(format, args...))
		}})
}

// posted are the texts of the comments, and the check of odfix.
func (s *site) posted(p *githubtest.PullRequest) (bodies []string, check *gh.CheckRun) {
	s.T.Helper()
	all, err := githubtest.As[[]*gh.CheckRun](s.Repo.Checks(p.HeadSha()))
	s.Must(err)
	for _, c := range all {
		if c.GetName() == "odfix" {
			check = c
		}
	}
	return s.Posted(p).Causes(), check
}

// TestPost: the run's own token posts a suggestion and a check, once, and never calls it proved.
func TestPost(t *testing.T) {
	s := newSite(t)
	p := s.Pull(nil)
	for range 2 {
		if res, err := s.run(s.onPull(p), writing, report(t)); err != nil || res.Refused || res.Posted != 1 {
			t.Fatalf("%+v %v, said %q", res, err, s.said)
		}
	}
	bodies, check := s.posted(p)
	if len(bodies) != 1 || s.Posted(p).Reviews != 1 || check.GetStatus() != "completed" || check.GetConclusion() != "neutral" {
		t.Fatalf("%q %v", bodies, check)
	}
	if !strings.Contains(bodies[0], "```suggestion") || !strings.Contains(bodies[0], "no independent runner has repeated it") {
		t.Errorf("comment:\n%s", bodies[0])
	}
	for _, text := range append(bodies, check.GetOutput().GetTitle(), check.GetOutput().GetSummary(), check.GetOutput().GetText()) {
		if strings.Contains(strings.ToLower(text), "proved") {
			t.Errorf("it is called proved:\n%s", text)
		}
	}
}

// TestReadOnly: where the token may not write, nothing is posted, and the run says what happens.
func TestReadOnly(t *testing.T) {
	s := newSite(t)
	p := s.Pull(nil)
	res, err := s.run(s.onPull(p), reading, report(t))
	if err != nil || !res.Refused || res.Posted != 0 {
		t.Fatalf("%+v %v", res, err)
	}
	if bodies, check := s.posted(p); len(bodies) > 0 || check != nil || !strings.Contains(strings.Join(s.said, "\n"), "kept as an artifact") {
		t.Errorf("%q %v %q", bodies, check, s.said)
	}
}

// TestWithoutChecks: a job without checks: write still gets its comment.
func TestWithoutChecks(t *testing.T) {
	s := newSite(t)
	p := s.Pull(nil)
	if _, err := s.run(s.onPull(p), map[string]string{"contents": "read", "pull_requests": "write", "checks": "read"}, report(t)); err != nil {
		t.Fatal(err)
	}
	if bodies, check := s.posted(p); len(bodies) != 1 || check != nil {
		t.Errorf("%q %v", bodies, check)
	}
}

// TestHeadMoved: a report about an earlier head is not posted.
func TestHeadMoved(t *testing.T) {
	s := newSite(t)
	p := s.Pull(nil)
	e := s.onPull(p)
	s.Push(p, "second")
	if res, err := s.run(e, writing, report(t)); err != nil || res.Posted != 0 {
		t.Fatalf("%+v %v", res, err)
	}
	if bodies, check := s.posted(p); len(bodies) > 0 || check != nil {
		t.Errorf("%q %v", bodies, check)
	}
}

// TestDisabled: the base branch's configuration can switch odfix off.
func TestDisabled(t *testing.T) {
	s := newSite(t)
	s.Configure("version: 1\nenabled: false\n")
	p := s.Pull(nil)
	if res, err := s.run(s.onPull(p), writing, report(t)); err != nil || res.Posted != 0 {
		t.Errorf("%+v %v", res, err)
	}
}

// TestMisnamedConfiguration: .odfix.yaml is not read, which is told instead of ignored.
func TestMisnamedConfiguration(t *testing.T) {
	s := newSite(t)
	_, err := s.Repo.Commit(s.Ctx, s.Dev, "main", "Configure", githubtest.Change{Files: map[string]string{".odfix.yaml": "enabled: false\n"}})
	s.Must(err)
	p := s.Pull(nil)
	res, err := s.run(s.onPull(p), writing, report(t))
	if err != nil || res.Posted != 0 || !strings.Contains(strings.Join(s.said, "\n"), "Rename it to .odfix.yml") {
		t.Errorf("%+v %v %q", res, err, s.said)
	}
}

// forked opens a fork's pull request whose run has left an artifact, and returns the event of the
// companion workflow.
func (s *site) forked(artifact []byte) (*githubtest.PullRequest, Event) {
	s.T.Helper()
	fork, err := s.Repo.Fork(s.Ctx, s.AddUser("stranger"))
	s.Must(err)
	p := s.Pull(fork)
	run := s.Red(p, []byte("log"))
	run.AddRawArtifact("odfix-report", artifact)
	payload, err := run.Event(s.Ctx)
	return p, s.event("workflow_run", payload, err)
}

// zipOf is a zip file with these files.
func zipOf(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCompanion: the report of a fork's run is posted from its artifact.
func TestCompanion(t *testing.T) {
	s := newSite(t)
	p, e := s.forked(zipOf(t, map[string][]byte{"report.json": investigatetest.Recording(t, "demo.report.json"), "odfix.log": []byte("log")}))
	if res, err := s.run(e, writing); err != nil || res.Posted != 1 {
		t.Fatalf("%+v %v %q", res, err, s.said)
	}
	bodies, check := s.posted(p)
	if len(bodies) != 1 || !strings.Contains(bodies[0], "```suggestion") || !strings.Contains(bodies[0], "no independent runner") || check == nil {
		t.Errorf("%q %v", bodies, check)
	}
}

// TestGreenAgain: when CI is green on a later head, the comment says so; on the same head it does not.
func TestGreenAgain(t *testing.T) {
	s := newSite(t)
	p := s.Pull(nil)
	if _, err := s.run(s.onPull(p), writing, report(t)); err != nil {
		t.Fatal(err)
	}
	green := func() Event {
		t.Helper()
		run, err := s.Repo.StartRun(s.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test"}})
		s.Must(err)
		run.Complete(s.Ctx, "success")
		payload, err := run.Event(s.Ctx)
		return s.event("workflow_run", payload, err)
	}
	if res, err := s.run(green(), writing); err != nil || res.Posted != 0 {
		t.Errorf("on the same head: %+v %v", res, err)
	}
	s.Push(p, "fixed")
	if res, err := s.run(green(), writing); err != nil || res.Posted != 1 {
		t.Errorf("%+v %v %q", res, err, s.said)
	}
	if bodies, _ := s.posted(p); len(bodies) != 1 || strings.Contains(bodies[0], "```suggestion") {
		t.Errorf("%q", bodies)
	}
}

// TestCompanionWithoutArtifact: a run without a report is no error.
func TestCompanionWithoutArtifact(t *testing.T) {
	s := newSite(t)
	_, e := s.forked(nil)
	e.Run.ID = s.Red(s.Pull(nil), []byte("log")).ID
	if res, err := s.run(e, writing); err != nil || res.Posted != 0 {
		t.Errorf("%+v %v", res, err)
	}
}

// nightly is a report of a search.
func nightly(t *testing.T) *job.Report {
	r := report(t)
	r.Detection = &job.Detection{Technique: "auto", Orders: 7, Seconds: 12}
	return r
}

// TestOneIssue: a nightly search opens an issue, updates it, closes it and opens it again.
func TestOneIssue(t *testing.T) {
	s := newSite(t)
	none := nightly(t)
	none.Tests = nil
	head, err := s.Repo.Commit(s.Ctx, s.Dev, "main", "The polluter", githubtest.Change{
		Files: map[string]string{investigatetest.PolluterFile: s.Polluter()}})
	s.Must(err)
	post := func(r *job.Report, permissions map[string]string) Result {
		t.Helper()
		res, err := Run(s.Ctx, Options{Token: s.Repo.WorkflowToken(permissions), API: s.URL, Repository: "acme/shop", SHA: head,
			Event: s.event("schedule", []byte(`{}`), nil), Reports: []*job.Report{r}, Say: func(string, ...any) {}})
		s.Must(err)
		return res
	}
	if res := post(nightly(t), reading); !res.Refused || len(s.Repo.Issues()) > 0 {
		t.Errorf("without the permission: %+v %+v", res, s.Repo.Issues())
	}
	post(none, writing)
	if all := s.Repo.Issues(); len(all) > 0 {
		t.Fatalf("an issue about nothing: %+v", all)
	}
	for i, step := range []struct {
		report *job.Report
		open   bool
		words  string
	}{{nightly(t), true, "Settings.reset();"}, {nightly(t), true, "odfix detect ran"},
		{nightly(t), true, "of this repository"}, {none, false, "found no order-dependent test"},
		{none, false, "found no"}, {nightly(t), true, "ReceiptTest#printsTheTotal"}} {
		post(step.report, writing)
		if all := s.Repo.Issues(); len(all) != 1 || all[0].Open != step.open || !strings.Contains(all[0].Body, step.words) {
			t.Fatalf("step %d: %+v", i, all)
		}
	}
	broken := nightly(t)
	broken.Error = &job.Error{Message: "the build is broken"}
	before := s.Repo.Issues()[0]
	post(broken, writing)
	if now := s.Repo.Issues()[0]; now.Body != before.Body || !now.Open {
		t.Errorf("a failed search changed the issue: %+v", now)
	}
}

// TestReadEvent: an event without what is needed is refused.
func TestReadEvent(t *testing.T) {
	for name, text := range map[string]string{"workflow_run": `{"workflow_run":{"id":1,"head_sha":"../main"}}`,
		"pull_request": `{"pull_request":{"number":1,"head":{"sha":""}}}`, "push": `[`} {
		file := filepath.Join(t.TempDir(), "event.json")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if e, err := ReadEvent(name, file); err == nil {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if _, err := ReadEvent("push", filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file is no error")
	}
}

// encoded is the JSON of a report.
func encoded(t *testing.T, r *job.Report) []byte {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
