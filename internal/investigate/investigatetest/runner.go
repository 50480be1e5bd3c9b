package investigatetest

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
)

//go:embed testdata
var recordings embed.FS

// Recording is the text of a recorded log or report.
func Recording(t *testing.T, name string) []byte {
	t.Helper()
	b, err := fs.ReadFile(recordings, "testdata/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Runner is a dispatcher that answers every job with a recorded report.
type Runner struct {
	answer []byte
	// Begun gets each job when it begins.
	Begun chan job.Job
	// Hold holds answers back until it is closed or the job is stopped; nil: they come at once.
	Hold chan struct{}
	// During is called while each job runs; it may be nil. Its error is the answer, unless it is
	// nil.
	During func(context.Context) error

	mu      sync.Mutex
	jobs    []job.Job
	sources [][]string
	stopped int
}

var _ dispatch.Dispatcher = (*Runner)(nil)

// NewRunner reads the recorded report.
func NewRunner(t *testing.T, report string) *Runner {
	t.Helper()
	return &Runner{answer: Recording(t, report), Begun: make(chan job.Job, 100)}
}

// Run implements dispatch.Dispatcher.
func (d *Runner) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	var files []string
	_ = filepath.WalkDir(j.Dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			rel, _ := filepath.Rel(j.Dir, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	d.mu.Lock()
	d.jobs, d.sources = append(d.jobs, j), append(d.sources, files)
	d.mu.Unlock()
	on(job.Event{Phase: job.PhaseBuild, Message: "building"})
	on(job.Event{Phase: job.PhaseDiagnose, Done: 3, Total: 12, Message: "asking"})
	d.Begun <- j
	if d.During != nil {
		if err := d.During(ctx); err != nil {
			return nil, err
		}
	}
	if err := d.held(ctx); err != nil {
		return nil, err
	}
	r, err := job.ParseReport(d.answer)
	if err != nil {
		return nil, fmt.Errorf("the recorded report: %w", err)
	}
	return r, nil
}

// held waits while answers are held back.
func (d *Runner) held(ctx context.Context) error {
	if d.Hold != nil {
		select {
		case <-d.Hold:
		case <-ctx.Done():
		}
	}
	if ctx.Err() == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped++
	return &job.Error{Code: dispatch.CodeStopped, Message: "stopped"}
}

// Jobs are the jobs so far.
func (d *Runner) Jobs() []job.Job {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.jobs)
}

// Sources are the files that each job had.
func (d *Runner) Sources() [][]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.sources)
}

// Stopped is how many jobs were stopped.
func (d *Runner) Stopped() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopped
}
