package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
)

// TestForeignTools: tests that odfix cannot run get one check that says so, and nothing else.
func TestForeignTools(t *testing.T) {
	for tool, log := range map[string]string{"Gradle": "gradle-8-default.log", "Jest": "jest-29-verbose-github-actions.log"} {
		t.Run(tool, func(t *testing.T) {
			onlyShort(t, tool, "Gradle")
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			p := h.pull(nil)
			h.red(p, filepath.Join("..", "..", "..", "internal", "ci", "testdata", "logs", log))
			h.checked(p, 1)
			h.settled(p, 1)
			s := h.see(p)
			if len(s.checks) != 1 || s.checks[0].GetConclusion() != "neutral" || len(s.comments)+s.reviews != 0 || len(h.runner.asked()) != 0 {
				t.Fatalf("%d checks, %d comments, %d jobs", len(s.checks), len(s.comments)+s.reviews, len(h.runner.asked()))
			}
			wantIn(t, s.checks[0].GetOutput().GetSummary(), "with "+tool+", and odfix runs Maven builds only")
		})
	}
}

// TestBaseMovedAfterCI: the merge that CI tested is what is reproduced on, if it
// is one of this head; what a log says is not believed.
func TestBaseMovedAfterCI(t *testing.T) {
	for name, forged := range map[string]bool{"the log names the merge": false, "the log names another commit": true} {
		t.Run(name, func(t *testing.T) {
			onlyShort(t, name, "the log names the merge", "of Java")
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			p := h.pull(nil)
			merge, _, err := h.client(h.app, h.inst).PullRequests.Get(h.ctx, "acme", "shop", p.Number)
			h.must(err)
			sha := merge.GetMergeCommitSHA()
			later, err := h.repo.Commit(h.ctx, h.dev, "main", "Later", githubtest.Change{Files: map[string]string{"LATER.md": "later\n"}})
			h.must(err)
			if forged {
				sha = later
			}
			run, err := h.repo.StartRun(h.ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test"}})
			h.must(err)
			log := "2026-05-04T03:02:01.0000001Z [command]/usr/bin/git fetch origin +" + sha + ":refs/remotes/pull/1/merge\n" + string(h.file("demo.log"))
			run.Job("test").Complete(h.ctx, "failure", []byte(log))
			run.Complete(h.ctx, "failure")
			h.settled(p, 1)
			h.runner.mu.Lock()
			defer h.runner.mu.Unlock()
			if len(h.runner.sources) != 1 || slices.Contains(h.runner.sources[0], "LATER.md") != forged || !slices.Contains(h.runner.sources[0], polluterFile) {
				t.Errorf("%v", h.runner.sources)
			}
		})
	}
}

// TestReportsPutTogether: one file with the reports of several classes, beside a log that says
// nothing. Of Jest's, nothing is believed.
func TestReportsPutTogether(t *testing.T) {
	for name, c := range map[string]struct {
		report string
		jobs   int
	}{
		"of Java": {`<testsuites><testsuite name="com.example.shop.CatalogueImportTest"><testcase classname="com.example.shop.CatalogueImportTest" name="a"/></testsuite>
<testsuite name="com.example.shop.ReceiptTest"><testcase classname="com.example.shop.ReceiptTest" name="printsTheTotal"><failure/></testcase></testsuite></testsuites>`, 1},
		"of Jest": {`<testsuites name="jest tests"><testsuite name="Shelf"><testcase classname="Shelf holds 2" name="Shelf holds 2"><failure/></testcase></testsuite></testsuites>`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			onlyShort(t, name, "the log names the merge", "of Java")
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			p := h.pull(nil)
			run, err := h.repo.StartRun(h.ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test"}})
			h.must(err)
			run.AddRawArtifact("results", zipped(t, map[string]string{"build/junit.xml": c.report, "build/pom.xml": "<project/>"}))
			run.Job("test").Complete(h.ctx, "failure", []byte("Process completed with exit code 1.\n"))
			run.Complete(h.ctx, "failure")
			h.settled(p, 1)
			jobs := h.runner.asked()
			if len(jobs) != c.jobs {
				t.Fatalf("%d jobs", len(jobs))
			}
			for _, j := range jobs {
				if !slices.Equal(j.Tests, []string{theTest}) || !slices.Equal(j.Order.Tests, []string{"com.example.shop.CatalogueImportTest#a", theTest}) || j.Order.Provenance != "inferred" {
					t.Errorf("%+v %+v", j, j.Order)
				}
			}
		})
	}
}
