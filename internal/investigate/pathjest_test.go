package investigate

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
)

// jestPull opens a pull request that adds a package with tests of Jest to the Maven project.
func (h *hub) jestPull() *githubtest.PullRequest {
	h.t.Helper()
	change := githubtest.Change{Files: map[string]string{}}
	for _, f := range []string{"package.json", "package-lock.json", "mailer.js", "mailer.test.js"} {
		change.Files["web/"+f] = investigatetest.Example(h.t, "jest-mock-calls", f)
	}
	p, err := h.Repo.OpenPullRequest(h.Ctx, githubtest.PullSpec{Author: h.Dev, Title: "Mail", Branch: "feature/mail", Change: change})
	h.Must(err)
	return p
}

// TestRedJest: what CI has of a red run of Jest goes to a runner, and the answer is posted as that
// of a Maven build is, although the repository has a Maven project, too.
func TestRedJest(t *testing.T) {
	log, results := investigatetest.Recording(t, "jest.log"), string(investigatetest.Recording(t, "jest.json"))
	report := string(investigatetest.Recording(t, "jest-junit.xml"))
	const inWeb = "web/mailer.test.js#mailer › reminds every user once"
	bare := []byte("Process completed with exit code 1.\n")
	for name, c := range map[string]struct {
		log        []byte
		artifact   map[string]string
		test       string
		provenance suite.Provenance
	}{
		"a log":                 {log, nil, "mailer.test.js#mailer › reminds every user once", suite.Partial},
		"results of jest":       {bare, map[string]string{"jest-results.json": results, "package.json": "{}"}, inWeb, suite.Exact},
		"a report":              {bare, map[string]string{"junit.xml": report}, "mailer reminds every user once", suite.Exact},
		"a log and its results": {log, map[string]string{"reports/jest.json": results, "junit.xml": report}, inWeb, suite.Exact},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "jest.report.json")
			p := h.jestPull()
			run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test"}})
			h.Must(err)
			if c.artifact != nil {
				run.AddRawArtifact("results", zipped(t, c.artifact))
			}
			run.Job("test").Complete(h.Ctx, "failure", c.log)
			run.Complete(h.Ctx, "failure")
			if list := h.settled(p, 1); list[0].State != store.Done {
				t.Fatalf("%+v", list)
			}
			jobs := h.asked()
			if len(jobs) != 1 || jobs[0].Language != "jest" || filepath.Base(jobs[0].Dir) != "web" ||
				!slices.Equal(jobs[0].Tests, []string{c.test}) {
				t.Fatalf("%+v", jobs)
			}
			if o := jobs[0].Order; o.Provenance != c.provenance || len(o.Notes) > 0 {
				t.Errorf("%+v", o)
			}
			s := h.Posted(p)
			if len(s.Checks) != 1 || len(s.Comments) != 0 || s.Reviews != 1 || len(s.Inline) != 1 ||
				s.Inline[0].GetPath() != "web/mailer.test.js" {
				t.Fatalf("%d checks, %d comments, %d reviews", len(s.Checks), len(s.Comments), s.Reviews)
			}
			wantIn(t, s.Inline[0].GetBody(), "```suggestion", "transport.send.mockClear();", "mailer.test.js#mailer › greets a new user")
		})
	}
}

// TestBothLanguages: where tests of Maven and Jest run in one repository, the tests that failed
// decide what the runner gets.
func TestBothLanguages(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"web", "java"}})
	h.Must(err)
	run.Job("web").Complete(h.Ctx, "failure", []byte("PASS src/cart.test.js\nerror: coverage is below 80%\n"))
	run.Job("java").Complete(h.Ctx, "failure", investigatetest.Recording(t, "demo.log"))
	run.Complete(h.Ctx, "failure")
	h.settled(p, 1)
	if jobs := h.asked(); len(jobs) != 1 || jobs[0].Language != "java" || !slices.Equal(jobs[0].Tests, []string{investigatetest.Victim}) {
		t.Errorf("%+v", jobs)
	}
}
