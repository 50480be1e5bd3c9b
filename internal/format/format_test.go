package format

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sarifschema "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/odfix/odfix/examples"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

var update = flag.Bool("update", false, "write the golden files")

// demo is the recorded report of the demo, and its checkout.
func demo(t *testing.T) (*job.Report, string) {
	t.Helper()
	text, err := os.ReadFile("../investigate/investigatetest/testdata/demo.report.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := job.ParseReport(text)
	if err != nil {
		t.Fatal(err)
	}
	files, err := examples.Sources("demo")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func render(t *testing.T, name string, r *job.Report, dir string) string {
	t.Helper()
	out, err := Render(t.Context(), name, r, dir, "The answer.\n")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFormats compares the demo's report, and that of a failed build, with golden files.
func TestFormats(t *testing.T) {
	r, dir := demo(t)
	failed := &job.Report{Version: job.Version, Tool: "odfix test",
		Error: &job.Error{Code: "build-broken", Message: "the build\nis broken", Hint: "Run mvn test."}}
	for _, name := range []string{GitHub, SARIF, JUnit} { // the Markdown is that of package verdict
		for kind, r := range map[string]*job.Report{"demo": r, "failed": failed} {
			got := regexp.MustCompile("[a-z2-7]{26}").ReplaceAllString(render(t, name, r, dir), "WORD")
			file := filepath.Join("testdata", kind+"."+name)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || got != string(want) {
				t.Errorf("%s differs (%v):\n%s", file, err, got)
			}
		}
	}
}

// hostile are texts that a report may hold in any place.
const hostile = "x%25\r\n::error::forged\n::set-output name=a::b\n, title=y: <img src=x> `@dev`"

// TestHostile: no text of a report begins a line of its own in GitHub's format.
func TestHostile(t *testing.T) {
	r, dir := demo(t)
	r.Tests[0].Reason = hostile
	r.Tests[0].Test = suite.TestID(hostile)
	r.Tests[0].Patches = nil
	r.Error = &job.Error{Message: hostile, Hint: hostile}
	for _, line := range strings.Split(strings.TrimSpace(render(t, GitHub, r, dir)), "\n")[3:] {
		if !strings.HasPrefix(line, "::warning ") && !strings.HasPrefix(line, "::error title=odfix::") {
			t.Errorf("a line of foreign text: %q", line)
		}
	}
	for _, name := range []string{SARIF, JUnit, Markdown} {
		if out := render(t, name, r, dir); strings.Contains(out, "\n::") {
			t.Errorf("%s has a workflow command:\n%s", name, out)
		}
	}
}

// TestStopWordsDiffer: the word that ends a guarded text is another one each time.
func TestStopWordsDiffer(t *testing.T) {
	if a, b := commands("x", nil, nil), commands("x", nil, nil); a == b {
		t.Errorf("the same word twice: %s", a)
	}
}

// TestSARIFIsValid validates against SARIF's schema.
func TestSARIFIsValid(t *testing.T) {
	r, dir := demo(t)
	failed := &job.Report{Error: &job.Error{Message: hostile}}
	nowhere := *r
	nowhere.Tests = []job.TestReport{{Test: hostile, Verdict: suite.FlakyOther, Reason: hostile}}
	for _, r := range []*job.Report{r, failed, &nowhere} {
		text := render(t, SARIF, r, dir)
		var names sarifschema.Report
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&names); err != nil {
			t.Errorf("%v in %s", err, text)
		}
		log, err := sarifschema.FromString(text)
		if err != nil {
			t.Fatal(err)
		}
		// The library validates what it writes itself, and there these are empty, not missing.
		for _, run := range log.Runs {
			run.Language, run.Tool.Driver.Language, run.NewlineSequences = "en", "en", []string{"\n"}
		}
		if err := log.Validate(); err != nil {
			t.Errorf("%v in %s", err, text)
		}
	}
}

// TestMarkdown: the summary of a job has the verdict, the change and its proof.
func TestMarkdown(t *testing.T) {
	r, dir := demo(t)
	out := render(t, Markdown, r, dir)
	for _, part := range []string{"## ", "ReceiptTest#printsTheTotal", "+        Settings.reset();", "failing order passes with the patch"} {
		if !strings.Contains(out, part) {
			t.Errorf("there is no %q in:\n%s", part, out)
		}
	}
}

// TestJUnitHasThePatch: a build server's view of the failing test shows the proved change.
func TestJUnitHasThePatch(t *testing.T) {
	r, dir := demo(t)
	out := render(t, JUnit, r, dir)
	failure := out[strings.Index(out, "<failure "):strings.Index(out, "</failure>")]
	if !strings.Contains(failure, "A proved patch fixes it:") || !strings.Contains(failure, "+        Settings.reset();") {
		t.Errorf("no patch in:\n%s", failure)
	}
	r.Tests[0].Patches[0].Diff = strings.Repeat("+ a long line\n", 10_000)
	if out = render(t, JUnit, r, dir); len(out) > 12_000 {
		t.Errorf("%d bytes", len(out))
	}
	r.Tests[0].Patches[0].Proof.Proved = false
	if out = render(t, JUnit, r, dir); strings.Contains(out, "proved patch") {
		t.Errorf("a patch that is not proved:\n%s", out)
	}
}

// TestMarkdownOfACheckout: a local run has no pull request, and may have no commit. A detection
// without --fix searches for no patch.
func TestMarkdownOfACheckout(t *testing.T) {
	r, dir := demo(t)
	r.Project.Revision = "02162d00f5aabbccddeeff"
	out := render(t, Markdown, r, dir)
	if !strings.Contains(out, "Tested: commit `02162d00f5` of your checkout.") || strings.Contains(out, "pull request") {
		t.Errorf("a local run:\n%s", out)
	}
	r.Project.Revision, r.Detection, r.Cost.Seconds, r.Tests[0].Patches = "", &job.Detection{}, nil, nil
	if out = render(t, Markdown, r, dir); strings.Contains(out, "Tested:") || !strings.Contains(out, "no patch was searched for") {
		t.Errorf("a detection without a commit:\n%s", out)
	}
}

// TestPlaces: a finding is where the change is, else at its test's source, else nowhere.
func TestPlaces(t *testing.T) {
	r, dir := demo(t)
	const polluter, victim = "src/test/java/com/example/shop/CatalogueImportTest.java", "src/test/java/com/example/shop/ReceiptTest.java"
	if f := findings(r, dir); len(f) != 1 || f[0].path != polluter || f[0].first < 2 || f[0].last < f[0].first {
		t.Errorf("%+v", f)
	}
	if f := findings(r, t.TempDir()); f[0].path != polluter || f[0].first < 2 {
		t.Errorf("without the sources: %+v", f)
	}
	r.Tests[0].Patches = nil
	if f := findings(r, dir); f[0].path != victim || f[0].first != 1 || strings.Contains(f[0].message, "proved") {
		t.Errorf("without a patch: %+v", f)
	}
	if f := findings(r, t.TempDir()); f[0].path != "" {
		t.Errorf("with nothing: %+v", f)
	}
}

// TestGenuineIsNoFinding: odfix says nothing about a genuine failure; its report still does.
func TestGenuineIsNoFinding(t *testing.T) {
	r, dir := demo(t)
	r.Tests[0].Verdict, r.Tests[0].Patches = suite.Genuine, nil
	if f := findings(r, dir); len(f) > 0 {
		t.Errorf("%+v", f)
	}
	var log struct{ Runs []struct{ Results []any } }
	if err := json.Unmarshal([]byte(render(t, SARIF, r, dir)), &log); err != nil || len(log.Runs) != 1 || log.Runs[0].Results == nil {
		t.Errorf("%+v %v", log, err)
	}
}
