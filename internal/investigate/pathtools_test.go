package investigate

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/job"
)

// TestGradle: what CI ran with Gradle, a job runs with Gradle, also where there is a pom. The configured
// command is Gradle's.
func TestGradle(t *testing.T) {
	t.Parallel()
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	_, err := h.Repo.Commit(h.Ctx, h.Dev, "main", "Build with Gradle", githubtest.Change{Files: map[string]string{"settings.gradle": ""}})
	h.Must(err)
	h.Configure("version: 1\ntests:\n  command: [./gradlew, check, -Pfast]\n")
	p := h.Pull(nil)
	h.Red(p, []byte("> Task :test\n\nReceiptTest > printsTheTotal FAILED\n    java.lang.AssertionError at ReceiptTest.java:14\n\n"+
		"2 tests completed, 1 failed\n\n> Task :test FAILED\n"))
	h.settled(p, 1)
	jobs := h.asked()
	if len(jobs) == 0 {
		t.Fatalf("%+v", h.Posted(p).Checks)
	}
	if j := jobs[0]; j.BuildTool != job.Gradle || filepath.Base(j.Dir) != "source" || !slices.Equal(j.BuildArgs, []string{"-Pfast"}) ||
		!slices.Equal(j.Tests, []string{"ReceiptTest#printsTheTotal"}) {
		t.Errorf("%+v", j)
	}
}

// TestBaseMovedAfterCI: the merge that CI tested is what is reproduced on, if it
// is one of this head; what a log says is not believed.
func TestBaseMovedAfterCI(t *testing.T) {
	for name, forged := range map[string]bool{"the log names the merge": false, "the log names another commit": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			p := h.Pull(nil)
			merge, _, err := h.Client(h.App, h.Inst).PullRequests.Get(h.Ctx, "acme", "shop", p.Number)
			h.Must(err)
			sha := merge.GetMergeCommitSHA()
			later, err := h.Repo.Commit(h.Ctx, h.Dev, "main", "Later", githubtest.Change{Files: map[string]string{"LATER.md": "later\n"}})
			h.Must(err)
			if forged {
				sha = later
			}
			run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test"}})
			h.Must(err)
			log := "2026-05-04T03:02:01.0000001Z [command]/usr/bin/git fetch origin +" + sha +
				":refs/remotes/pull/1/merge\n" + string(investigatetest.Recording(t, "demo.log"))
			run.Job("test").Complete(h.Ctx, "failure", []byte(log))
			run.Complete(h.Ctx, "failure")
			h.settled(p, 1)
			sources := h.runner.Sources()
			if len(sources) != 1 || slices.Contains(sources[0], "LATER.md") != forged ||
				!slices.Contains(sources[0], investigatetest.PolluterFile) {
				t.Errorf("%v", sources)
			}
		})
	}
}

// TestReportsPutTogether: one file with the reports of several classes, beside a log that says
// nothing. Of tests in a language that odfix does not know, nothing is believed.
func TestReportsPutTogether(t *testing.T) {
	for name, c := range map[string]struct {
		report string
		jobs   int
	}{
		"of Java": {`<testsuites><testsuite name="com.example.shop.CatalogueImportTest"><testcase classname="com.example.shop.CatalogueImportTest" name="a"/></testsuite>
<testsuite name="com.example.shop.ReceiptTest"><testcase classname="com.example.shop.ReceiptTest" name="printsTheTotal"><failure/></testcase></testsuite></testsuites>`, 1},
		"of another language": {`<testsuites name="tests"><testsuite name="Shelf">
<testcase classname="Shelf holds 2" name="Shelf holds 2"><failure/></testcase></testsuite></testsuites>`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, githubtest.Config{}, "demo.report.json")
			p := h.Pull(nil)
			run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test"}})
			h.Must(err)
			run.AddRawArtifact("results", zipped(t, map[string]string{"build/junit.xml": c.report, "build/pom.xml": "<project/>"}))
			run.Job("test").Complete(h.Ctx, "failure", []byte("Process completed with exit code 1.\n"))
			run.Complete(h.Ctx, "failure")
			h.settled(p, 1)
			jobs := h.asked()
			if len(jobs) != c.jobs {
				t.Fatalf("%d jobs", len(jobs))
			}
			for _, j := range jobs {
				if !slices.Equal(j.Tests, []string{investigatetest.Victim}) ||
					!slices.Equal(j.Order.Tests,
						[]string{"com.example.shop.CatalogueImportTest#a", investigatetest.Victim}) || j.Order.Provenance != "inferred" {
					t.Errorf("%+v %+v", j, j.Order)
				}
			}
		})
	}
}
