package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestAnswerIsShownIfItCannotBeKept checks that the result is shown although the output folder is
// full.
func TestAnswerIsShownIfItCannotBeKept(t *testing.T) {
	for _, file := range []string{patchName, "report.json"} {
		t.Run(file, func(t *testing.T) {
			d := newWorkspace(t)
			d.write(t, javaFile, "1\n2\n")
			d.verdict("a.A#a", suite.Victim, d.proved(t, javaFile, "cleanUp();", "a.A#a"))
			d.answer = inTheWay(d, file)
			args := []string{"fix", d.dir, "--test", "a", "--apply"}
			if got := d.run(t.Context(), args...); got != exitError {
				t.Errorf("status %d", got)
			}
			wantIn(t, d.stdout.String(), "a.A#a is a victim", "+cleanUp();")
			wantNotIn(t, d.stdout.String(), "Kept in", "git apply", "Applied to")
			wantIn(t, d.stderr.String(), "cannot be kept", "--out")
			if got := d.read(t, javaFile); got != "1\n2\n" {
				t.Errorf("applied: %q", got)
			}
			d.run(t.Context(), append(args, "--format", "json")...)
			var r job.Report
			if err := json.Unmarshal(d.stdout.Bytes(), &r); err != nil || r.Error == nil || r.Error.Code != "bad-out" || len(r.Tests) != 1 {
				t.Errorf("%v\n%s", err, &d.stdout)
			}
		})
	}
}

// TestAnswersOfOtherKindsAreShown checks the same for other kinds of jobs.
func TestAnswersOfOtherKindsAreShown(t *testing.T) {
	d := newWorkspace(t)
	d.write(t, javaFile, "1\n2\n")
	d.verdict("a.A#a", suite.Victim, d.proved(t, javaFile, "cleanUp();", "a.A#a"))
	text, err := json.Marshal(d.report)
	if err != nil {
		t.Fatal(err)
	}
	report := d.write(t, "old.json", string(text))
	d.answer = inTheWay(d, "verify.json")
	if got := d.run(t.Context(), "verify", report, d.dir); got != exitError {
		t.Errorf("status %d", got)
	}
	wantIn(t, d.stdout.String(), "a.A#a")
	wantIn(t, d.stderr.String(), "cannot be kept")

	d.report = &job.Report{Finished: true, Runs: []suite.Run{{Order: suite.Order{"a.A#a"},
		Results: []suite.Result{{Test: "a.A#a", Outcome: suite.Pass}}}}}
	d.answer = inTheWay(d, "run.json")
	if got := d.run(t.Context(), "run", d.dir, "--order", d.write(t, "o.txt", "a.A#a\n")); got != runError {
		t.Errorf("status %d", got)
	}
	wantIn(t, d.stdout.String(), "a.A#a")
	wantIn(t, d.stderr.String(), "cannot be kept")
}

// inTheWay answers with the workspace's report after one file has become unwritable.
func inTheWay(d *workspace, file string) func(context.Context, job.Job, func(job.Event)) (*job.Report, error) {
	return func(_ context.Context, j job.Job, _ func(job.Event)) (*job.Report, error) {
		r := *d.report
		return &r, os.MkdirAll(filepath.Join(j.Out, file, "full"), 0o755)
	}
}
