package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

const redReport = `<?xml version="1.0"?>
<testsuite name="a.ATest" tests="2" failures="1" errors="0" skipped="0" time="0.1">
  <testcase name="good" classname="a.ATest" time="0.01"/>
  <testcase name="bad" classname="a.ATest" time="0.01"><failure message="m" type="E">s</failure></testcase>
</testsuite>
`

const greenReport = `<?xml version="1.0"?>
<testsuite name="a.ATest" tests="1" failures="0" errors="0" skipped="0" time="0.1">
  <testcase name="good" classname="a.ATest" time="0.01"/>
</testsuite>
`

func TestLastRunIsTheDefault(t *testing.T) {
	for _, folder := range []string{"target/surefire-reports/", "deep/module/target/failsafe-reports/"} {
		d := newWorkspace(t)
		d.write(t, "pom.xml", "<project/>")
		d.write(t, folder+"TEST-a.ATest.xml", redReport)
		d.run(t.Context(), "fix", d.dir)
		if d.asked == nil {
			t.Fatalf("no job was sent: %s", &d.stderr)
		}
		// They are not sent as tests that the user named, because one of several modules has only
		// some of them.
		if diff := cmp.Diff([]string{"a.ATest#bad"}, d.asked.Order.Failed); diff != "" {
			t.Error(diff)
		}
		if d.asked.Budget != 0 || d.asked.Took != 100*time.Millisecond || d.asked.Timed != 2 {
			t.Errorf("budget %s, %d tests took %s", d.asked.Budget, d.asked.Timed, d.asked.Took)
		}
		if o := d.asked.Order; o == nil || len(o.Tests) != 2 || o.Source == "" || o.Provenance == "" {
			t.Errorf("order %+v", o)
		}
	}
}

func TestOutsideAProject(t *testing.T) {
	d := newWorkspace(t)
	if got := d.run(t.Context(), "fix", d.dir); got != exitError || d.asked != nil {
		t.Errorf("status %d", got)
	}
	wantIn(t, d.stderr.String(), "no pom.xml, no build.gradle and no package.json", "a project of Maven, Gradle or Jest")
	// A project somewhere below has reports. They are not those of this folder.
	d.write(t, "web/shop/pom.xml", "<project/>")
	d.write(t, "web/shop/target/surefire-reports/TEST-a.ATest.xml", redReport)
	if got := d.run(t.Context(), "fix", d.dir); got != exitError || d.asked != nil {
		t.Errorf("above a project: status %d", got)
	}
	wantIn(t, d.stderr.String(), "no pom.xml, no build.gradle and no package.json", "odfix fix "+filepath.Join(d.dir, "web", "shop"))
	d = newWorkspace(t)
	d.write(t, "build.xml", "")
	d.run(t.Context(), "fix", d.dir)
	wantIn(t, d.stderr.String(), "Ant", "projects of Maven")
}

// The reports of Gradle's test tasks are those of the last run, too. Those of the command with which
// odfix shows a failing order are not.
func TestLastRunOfGradle(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, "settings.gradle", "")
	report := d.write(t, "app/build/test-results/test/TEST-a.ATest.xml", redReport)
	d.write(t, "app/build.gradle", "")
	d.run(t.Context(), "fix", d.dir)
	if d.asked == nil || d.asked.Order == nil || len(d.asked.Order.Failed) != 1 {
		t.Errorf("asked %+v\n%s", d.asked, &d.stderr)
	}
	if err := os.Remove(report); err != nil {
		t.Fatal(err)
	}
	d.asked = nil
	d.write(t, "app/build/test-results/test/TEST-OrderReproductionTest.xml", strings.ReplaceAll(redReport, "a.ATest", "OrderReproductionTest"))
	if got := d.run(t.Context(), "fix", d.dir); got != exitError || d.asked != nil {
		t.Errorf("status %d, asked %+v", got, d.asked)
	}
}

// TestAnywhereInAProject checks that the reports beside the pom are found from any folder below it.
func TestAnywhereInAProject(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, "pom.xml", "<project/>")
	d.write(t, "target/surefire-reports/TEST-a.ATest.xml", redReport)
	below := filepath.Dir(d.write(t, javaFile, "1\n"))
	d.run(t.Context(), "fix", below)
	if d.asked == nil || d.asked.Order == nil || d.asked.Dir != below {
		t.Errorf("asked %+v\n%s", d.asked, &d.stderr)
	}
}

func TestLastRunWithoutFailure(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, "pom.xml", "<project/>")
	if got := d.run(t.Context(), "fix", d.dir); got != exitError {
		t.Errorf("status %d", got)
	}
	wantIn(t, d.stderr.String(), "no test report", "--test", "mvn test")
	d.write(t, "target/surefire-reports/TEST-a.ATest.xml", greenReport)
	if got := d.run(t.Context(), "fix", d.dir); got != exitNotReproduced || d.asked != nil {
		t.Errorf("status %d, job %v", got, d.asked)
	}
	wantIn(t, d.stderr.String(), "no test failed in the last run (its reports have 1 test)", "--test", "--order")
	if got := d.run(t.Context(), "fix", d.dir, "--format", "json"); got != exitNotReproduced || d.stderr.Len() > 0 {
		t.Errorf("status %d, %s", got, &d.stderr)
	}
	wantIn(t, d.stdout.String(), `"code": "no-failure"`)
}

// TestOrderWithoutFailure: the log of a green run is no evidence of a failure.
func TestOrderWithoutFailure(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, "pom.xml", "<project/>")
	d.write(t, "reports/TEST-a.ATest.xml", greenReport)
	if got := d.run(t.Context(), "fix", d.dir, "--order", filepath.Join(d.dir, "reports")); got != exitNotReproduced || d.asked != nil {
		t.Errorf("status %d", got)
	}
	wantIn(t, d.stderr.String(), "no test failed in test reports in ", "odfix detect")
	if got := d.run(t.Context(), "fix", d.dir, "--order", d.write(t, "o.txt", "a.ATest#good\n")); got != exitUsage {
		t.Errorf("an order file: status %d", got)
	}
	wantIn(t, d.stderr.String(), "does not show which test failed")
}

// TestJestLeavesNoReport: the answer has the two lines to type.
func TestJestLeavesNoReport(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, "package.json", `{"devDependencies": {"jest": "29"}}`)
	if got := d.run(t.Context(), "fix", d.dir); got != exitUsage || d.asked != nil {
		t.Errorf("status %d, job %v", got, d.asked)
	}
	wantIn(t, d.stderr.String(), "\n    npx jest --json --outputFile=jest.json\n    odfix fix --order jest.json\n")
}

// TestReportsHelpANamedTest checks that the order of the last run is sent if it shows the same
// failure, and only then.
func TestReportsHelpANamedTest(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, "target/surefire-reports/TEST-a.ATest.xml", redReport)
	for name, want := range map[string]bool{
		"a.ATest#bad": true, "ATest.bad": true, "ATest#bad": true, "bad": true,
		"a.ATest#good": false, "b.ATest#bad": false, "Test#bad": false,
	} {
		d.run(t.Context(), "fix", d.dir, "--test", name)
		if got := d.asked.Order != nil; got != want {
			t.Errorf("--test %s: order given %v, want %v", name, got, want)
		}
		if diff := cmp.Diff([]string{name}, d.asked.Tests); diff != "" {
			t.Error(diff)
		}
	}
}

func TestOrderFile(t *testing.T) {
	d := newWorkspace(t)
	order := d.write(t, "order.txt", "# CI\na.P#p\na.V#v\n")
	d.run(t.Context(), "fix", d.dir, "--order", order, "--test", "a.V#v")
	want := &job.ObservedOrder{Provenance: suite.Exact, Source: "order file " + order, Tests: []string{"a.P#p", "a.V#v"}}
	if diff := cmp.Diff(want, d.asked.Order); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"a.P#p\tpass\na.V#v\tFAIL\n", "a.P#p\na.V#v FAIL\n", "a.P#p\na.V#v  <<< FAILURE!  # seen in CI\n"} {
		d.run(t.Context(), "fix", d.dir, "--order", d.write(t, "marked.txt", text))
		if diff := cmp.Diff([]string{"a.V#v"}, d.asked.Order.Failed); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}
