package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// workspace is a world for tests: a checkout, and a runner whose answer the test sets.
type workspace struct {
	dir            string // the checkout
	stdout, stderr bytes.Buffer
	asked          *job.Job // the job that was sent; nil: none
	// answer is the runner. If it is nil, the runner answers with report.
	answer func(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error)
	report *job.Report
	clock  func() time.Time // nil: a fixed time
}

var _ dispatch.Dispatcher = (*workspace)(nil)

// Run implements dispatch.Dispatcher.
func (d *workspace) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	d.asked = &j
	if d.answer != nil {
		return d.answer(ctx, j, on)
	}
	return d.report, nil
}

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	d := &workspace{dir: t.TempDir(), report: &job.Report{Version: job.Version, Tool: "odfix test", Finished: true}}
	t.Setenv("TMPDIR", t.TempDir()) // for output folders
	return d
}

// run runs odfix with these arguments.
func (d *workspace) run(ctx context.Context, args ...string) int {
	d.stdout.Reset()
	d.stderr.Reset()
	return run(ctx, args, d.world())
}

func (d *workspace) world() world {
	now := d.clock
	if now == nil {
		now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	}
	return world{
		stdin: strings.NewReader(""), stdout: &d.stdout, stderr: &d.stderr,
		getenv: func(string) string { return "" },
		now:    now,
		runner: func(io.Writer) dispatch.Dispatcher { return d },
	}
}

func (d *workspace) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func (d *workspace) read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// verdict adds a test to the report.
func (d *workspace) verdict(id suite.TestID, v suite.Verdict, patches ...job.Patch) {
	d.report.Tests = append(d.report.Tests, job.TestReport{Test: id, Verdict: v, Reason: "does so", Patches: patches})
}

// proved returns a proved patch that inserts a line before the second line of a file.
func (d *workspace) proved(t *testing.T, file, line string, fixes ...suite.TestID) job.Patch {
	t.Helper()
	before := d.read(t, file)
	first, rest, _ := strings.Cut(before, "\n")
	p := job.Patch{Kind: "helper", Location: patch.VictimStart, Fixes: fixes, Proof: job.Proof{Proved: true}}
	p.SetDiff(patch.Unified(patch.Edit{Path: file, Before: before, After: first + "\n" + line + "\n" + rest}))
	return p
}

func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

func wantNotIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(text, p) {
			t.Errorf("%q is in:\n%s", p, text)
		}
	}
}
