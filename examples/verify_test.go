package examples_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/examples"
	"github.com/odfix/odfix/internal/job"
)

// TestVerifyOfAReport: verify proves the patch of another run's report again.
func TestVerifyOfAReport(t *testing.T) {
	t.Parallel()
	ex, err := examples.One("demo")
	if err != nil {
		t.Fatal(err)
	}
	report, err := filepath.Abs("../internal/investigate/investigatetest/testdata/demo.report.json")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	sh(t, checkout(t, ex), "odfix verify --budget 10h --rerun 1 '"+report+"' --out '"+out+"'")
	test := readAnswer(t, report).Tests[0].Test
	if p := readAnswer(t, filepath.Join(out, "verify.json")).Proved(test); p == nil || len(p.Proof.Checks) == 0 {
		t.Errorf("the patch for %s is not proved: %+v", test, p)
	}
}

// severalCauses is the example that TestSeveralCauses checks instead of TestExamples.
const severalCauses = "two-causes"

// TestSeveralCauses: two patches become one, which is proved as a whole. odfix verify proves it
// again completely, and refuses edited reports before it runs a test.
func TestSeveralCauses(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs two investigations")
	}
	t.Parallel()
	ex, err := examples.One(severalCauses)
	if err != nil {
		t.Fatal(err)
	}
	dir := checkout(t, ex)
	r, out := check(t, ex, dir, ex.Findings)
	c := r.Combined
	if c == nil || !c.Proof.Proved || len(c.Fixes) != 2 || len(c.Files) != 2 || len(c.Proof.Commands) == 0 {
		t.Fatalf("combined: %+v", c)
	}
	if r.Observed == nil || len(r.Observed.Order) != 4 || r.Project.Revision == "" {
		t.Errorf("observed %+v, revision %q", r.Observed, r.Project.Revision)
	}
	for _, cmd := range c.Proof.Commands {
		if status, text := shell(t, filepath.Join(dir, cmd.Dir), cmd.Line); status != cmd.Exit {
			t.Errorf("%s\nexit %d, want %d\n%s", cmd.Line, status, cmd.Exit, text)
		}
	}
	t.Run("verify", func(t *testing.T) { verifies(t, dir, out, r) })
	applies(t, ex.Findings, dir, out, r)
}

func verifies(t *testing.T, dir, out string, r *job.Report) {
	sh(t, dir, "odfix verify --budget 10h --find-all --rerun 1 '"+out+"/report.json' --out '"+out+"'")
	if again := readReport(t, out); again.Tool != r.Tool || again.Started != r.Started {
		t.Error("verify wrote over the report")
	}
	for name, c := range map[string]struct {
		edit func(r *job.Report)
		says string
	}{
		"no failing order": {func(r *job.Report) { r.Tests[0].Polluters = nil }, "names no order in which that test fails"},
		"unknown test":     {func(r *job.Report) { r.Tests[0].Polluters[0][0] += "x" }, "the nearest: com.example.shop.AbroadTest"},
		"a pom": {func(r *job.Report) {
			r.Combined.SetDiff("--- a/pom.xml\n+++ b/pom.xml\n@@ -1,1 +1,1 @@\n" +
				"-<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n+<?xml version=\"1.0\"?>\n")
			r.Tests[0].Patches[0].SetDiff(r.Combined.Diff)
		}, "changes pom.xml, which is not a test source"},
	} {
		t.Run(name, func(t *testing.T) {
			edited := readReport(t, out)
			c.edit(edited)
			text, err := json.Marshal(edited)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "edited.json")
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
			status, said := shell(t, dir, "odfix verify --budget 10h --rerun 1 '"+file+"' --out '"+t.TempDir()+"'")
			if plain := strings.Join(strings.Fields(said), " "); status != 1 || !strings.Contains(plain, c.says) {
				t.Errorf("status %d, want 1 and %q\n%s", status, c.says, said)
			}
		})
	}
}

func readReport(t *testing.T, out string) *job.Report {
	t.Helper()
	return readAnswer(t, filepath.Join(out, "report.json"))
}

func readAnswer(t *testing.T, file string) *job.Report {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &job.Report{}
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReflectionPatches: odfix uses reflection to restore state that no method resets, if the user
// allows this. Otherwise the report notes that it would be possible.
func TestReflectionPatches(t *testing.T) {
	if testing.Short() {
		t.Skip("a variant of TestExamples")
	}
	t.Parallel()
	ex, err := examples.One("no-reset-method")
	if err != nil {
		t.Fatal(err)
	}
	dir, out := checkout(t, ex), filepath.Join(t.TempDir(), "out")
	f := ex.Findings[0]
	sh(t, dir, "odfix fix --budget 10h --technique reflection --rerun 1 --out '"+out+"' --order "+f.FailingOrder+" --test '"+f.Test+"' .")
	p := readReport(t, out).Tests[0].Patches[0]
	if p.Kind != job.FromReflection || !strings.Contains(p.Diff, ".getDeclaredField(\"CACHE\")") {
		t.Errorf("a patch of kind %q:\n%s", p.Kind, p.Diff)
	}
}
