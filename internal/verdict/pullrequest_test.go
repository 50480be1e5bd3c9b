package verdict

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

const (
	receipt  suite.TestID = "com.example.shop.ReceiptTest#printsTheTotal"
	importer suite.TestID = "com.example.shop.CatalogueImportTest#readsThePriceListOfAGermanSupplier"
	reset    suite.TestID = "com.example.shop.SettingsTest#resetBringsBackTheDefaults"

	importerFile = "src/test/java/com/example/shop/CatalogueImportTest.java"
	receiptFile  = "src/test/java/com/example/shop/ReceiptTest.java"
)

type texts = map[string]string

// pullRequest is a pull request and a proved patch. Real git says what the pull
// request changes, and applies the commands of comments.
type pullRequest struct {
	base, head texts
	tested     texts // what was tested, where it is not the head
	patched    texts // what the patch makes of the tested files
	diff       string
	report     *job.Report
	config     func(*config.Config)
}

// write makes a folder hold these files and no others.
func write(t *testing.T, dir string, files texts) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	for path, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// read gives all files of a folder.
func read(t *testing.T, dir string) texts {
	t.Helper()
	out := texts{}
	err := filepath.WalkDir(dir, func(at string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if e != nil && e.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(at)
		rel, _ := filepath.Rel(dir, at)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// listings are the files of pull requests that were listed already, by their texts: many tests share
// one pull request.
var listings sync.Map

// listed are the pull request's files as GitHub lists them.
func (pr *pullRequest) listed(t *testing.T) []File {
	t.Helper()
	key := fmt.Sprintf("%q %q", pr.base, pr.head)
	if known, ok := listings.Load(key); ok {
		return known.([]File)
	}
	dir := t.TempDir()
	for side, files := range map[string]texts{"base": pr.base, "head": pr.head} {
		at := filepath.Join(dir, side)
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, at, files)
	}
	files := filesOf(difference(t, dir))
	listings.Store(key, files)
	return files
}

// difference is what git says of the folders base and head in dir. Exit code 1 says that they differ.
func difference(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command("git", "-c", "core.quotePath=false", "diff", "--no-index", "-M", "--no-color", "base", "head")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() > 1 || cmd.ProcessState.ExitCode() < 0 {
		t.Fatal(err)
	}
	return string(out)
}

// filesOf are the files of a diff from the folder base to the folder head.
func filesOf(diff string) (out []File) {
	for _, part := range strings.Split("\n"+diff, "\ndiff --git ")[1:] {
		head, hunks, _ := strings.Cut(part, "\n@@ ")
		f := File{Status: "modified"}
		for _, l := range strings.Split(head, "\n") {
			if p, ok := strings.CutPrefix(l, "+++ b/head/"); ok {
				f.Path = strings.TrimRight(p, "\t")
			}
			if p, ok := strings.CutPrefix(l, "--- a/base/"); ok && f.Path == "" {
				f.Path = strings.TrimRight(p, "\t")
			}
			for prefix, status := range map[string]string{"new file": "added", "deleted file": "removed", "rename to head/": "renamed"} {
				if rest, ok := strings.CutPrefix(l, prefix); ok {
					f.Status = status
					if status == "renamed" {
						f.Path = rest
					}
				}
			}
		}
		if hunks != "" {
			f.Patch = strings.ToValidUTF8(strings.TrimSuffix("@@ "+hunks, "\n"), "\uFFFD") // JSON carries nothing else
		}
		out = append(out, f)
	}
	return out
}

// wanted is the patch as a diff for the tested commit.
func (pr *pullRequest) wanted() string {
	if pr.diff != "" {
		return pr.diff
	}
	var edits []patch.Edit
	for _, path := range slices.Sorted(maps.Keys(pr.patched)) {
		edits = append(edits, patch.Edit{Path: path, Before: pr.testedText(path), After: pr.patched[path]})
	}
	return patch.Unified(edits...)
}

func (pr *pullRequest) testedText(path string) string {
	if text, ok := pr.tested[path]; ok {
		return text
	}
	return pr.head[path]
}

func (pr *pullRequest) input(t *testing.T) Input {
	t.Helper()
	if pr.report == nil {
		pr.report = victimReport(pr.wanted())
	}
	pr.report.NameTests(job.NameBy(junitid.Syntax{}))
	in := Input{
		Report: pr.report, Files: pr.listed(t), Head: texts{}, Tested: texts{}, Config: config.Defaults(),
		HeadSHA: strings.Repeat("a1", 20), TestedSHA: strings.Repeat("b2", 20), CheckURL: "https://github.com/acme/shop/runs/7",
	}
	if pr.config != nil {
		pr.config(&in.Config)
	}
	for _, path := range Touched(t.Context(), pr.report, in.Config) {
		if text, ok := pr.head[path]; ok {
			in.Head[path] = text
		}
		if text, ok := pr.tested[path]; ok {
			in.Tested[path] = text
		}
	}
	return in
}

func (pr *pullRequest) plan(t *testing.T) Plan { return PlanOf(pr.input(t)) }

// victimReport is what a runner says of the demo, with another diff.
func victimReport(diff string) *job.Report {
	p := job.Patch{
		Kind: "helper", Location: patch.PolluterTeardown, At: importer, Helper: suite.Order{reset}, Statements: []string{"Settings.reset();"},
		Fixes: []suite.TestID{receipt}, Why: "the class that leaves the state changed cleans up after itself, which also protects " +
			"tests that have not failed yet",
		Proof: job.Proof{Proved: true, Checks: []job.Check{
			{Name: "compiles under the project's own build", OK: true, Repeats: 1},
			{Name: "failing order passes with the patch", OK: true, Repeats: 3},
			{Name: "failing order fails without the patch", OK: true, Repeats: 3},
			{Name: "passes alone with the patch", OK: true, Repeats: 1},
			{Name: "passes in orders of its whole class", OK: true, Repeats: 1, Detail: "2 of the 2 that run each test directly after every other"},
		}},
	}
	p.SetDiff(diff)
	return &job.Report{Version: 1, Finished: true, Tests: []job.TestReport{{
		Test: receipt, Verdict: suite.Victim, Reason: "passes alone, fails after CatalogueImportTest#readsThePriceListOfAGermanSupplier",
		Failure:      &suite.Failure{Type: "org.junit.ComparisonFailure", Message: "expected:<5[.]00 EUR> but was:<5[,]00 EUR>"},
		FailingOrder: &suite.Seen{Source: "log of the job test", Provenance: suite.Partial, Order: suite.Order{importer, "a.B#c", receipt}},
		MinimalOrder: suite.Order{importer, receipt}, Polluters: []suite.Order{{importer}},
		Cleaners: []suite.Cleaner{{Polluter: suite.Order{importer}, Cleaner: suite.Order{reset}}},
		Evidence: []suite.Answer{
			{Order: suite.Order{receipt}, Outcome: suite.Pass, Repeats: 3, Why: "alone"},
			{Order: suite.Order{importer, receipt}, Outcome: suite.Fail, Repeats: 3, Why: "minimal order: fail"},
		},
		Patches: []job.Patch{p},
		Reproduce: []job.Command{{
			What: "fails with plain Maven", Dir: ".", Exit: 1,
			Line: "mvn '-Dtest=com.example.shop.CatalogueImportTest,com.example.shop.ReceiptTest' -Dsurefire.runOrder=alphabetical test",
		}},
	}}}
}

// applied is what git makes of a folder's files and a patch; false where git refuses.
func applied(t *testing.T, dir, diff string) (texts, bool) {
	t.Helper()
	cmd := exec.Command("git", "apply")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
	if err := cmd.Run(); err != nil {
		return nil, false
	}
	return read(t, dir), true
}
