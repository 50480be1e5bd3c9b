package main

import (
	"path/filepath"
	"testing"
)

const recordedReport = "../internal/investigate/investigatetest/testdata/demo.report.json"

// TestReportInEachFormat: a report is printed again in the format that is asked for.
func TestReportInEachFormat(t *testing.T) {
	d := newWorkspace(t)
	for form, words := range map[string][]string{
		"text":     {"Proved", "ReceiptTest#printsTheTotal"},
		"json":     {`"version": 3`},
		"github":   {"::stop-commands::", "::warning file=src/test/java/"},
		"sarif":    {`"version": "2.1.0"`},
		"junit":    {`<testsuite name="odfix fix"`},
		"markdown": {"## Order-dependent"},
	} {
		if code := d.run(t.Context(), "report", recordedReport, d.dir, "--format", form); code != exitOK {
			t.Errorf("%s: %d, %s", form, code, &d.stderr)
		}
		wantIn(t, d.stdout.String(), words...)
	}
}

// TestFormatOfFix: fix prints its answer in a format of CI, and its errors, too.
func TestFormatOfFix(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, "pom.xml", "<project/>")
	d.verdict("A#a", "flaky")
	if code := d.run(t.Context(), "fix", d.dir, "--test", "A#a", "--format", "github", "--out", filepath.Join(t.TempDir(), "out")); code != exitFlaky {
		t.Errorf("%d, %s", code, &d.stderr)
	}
	wantIn(t, d.stdout.String(), "::stop-commands::", "::notice title=Order of tests%3A A#a::A#a does so.\n")
	if code := d.run(t.Context(), "fix", t.TempDir(), "--format", "junit"); code != exitError {
		t.Errorf("%d, %s", code, &d.stderr)
	}
	wantIn(t, d.stdout.String(), "<error ")
}

// TestUnknownFormat: a format that a command does not have is an error of the command line.
func TestUnknownFormat(t *testing.T) {
	d := newWorkspace(t)
	for _, args := range [][]string{{"fix", d.dir, "--format", "xml"}, {"pollution", d.dir, "--format", "sarif"}, {"report"},
		{"report", recordedReport, d.dir, "--format", "xml"}} {
		if code := d.run(t.Context(), args...); code != exitUsage {
			t.Errorf("%q: %d", args, code)
		}
	}
}
