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
func Recording(t testing.TB, name string) []byte {
	t.Helper()
	b, err := fs.ReadFile(recordings, "testdata/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Recorded is a recorded report. It panics if there is none.
func Recorded(name string) *job.Report {
	b, err := fs.ReadFile(recordings, "testdata/"+name)
	var r *job.Report
	if err == nil {
		r, err = job.ParseReport(b)
	}
	if err != nil {
		panic(err)
	}
	return r
}

// Runner is a dispatcher that answers every job with a recorded report. Jobs that prove patches
// again get what they claim as their answer.
type Runner struct {
	answer []byte
	// Begun gets each job when it begins.
	Begun chan job.Job
	// Hold holds answers back until it is closed or the job is stopped; nil: they come at once.
	Hold chan struct{}
	// During is called while each job runs; it may be nil. Its error is the answer, unless it is
	// nil.
	During func(context.Context) error
	// Change changes the report before it is the answer; it may be nil.
	Change func(*job.Report)
	// Contacted are the hosts that the job asks for.
	Contacted []job.Contact
	// Verify answers the jobs that prove patches again; nil: all is proved.
	Verify func(context.Context, job.Job) (*job.Report, error)

	mu      sync.Mutex
	jobs    []job.Job
	proofs  []job.Job
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
	if j.Kind == job.KindVerify {
		return d.verify(ctx, j)
	}
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
	if len(d.Contacted) > 0 {
		on(job.Event{Phase: job.PhaseBuild, Contacted: d.Contacted})
	}
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
	if d.Change != nil {
		d.Change(r)
	}
	return r, nil
}

func (d *Runner) verify(ctx context.Context, j job.Job) (*job.Report, error) {
	d.mu.Lock()
	d.proofs = append(d.proofs, j)
	d.mu.Unlock()
	if d.Verify != nil {
		return d.Verify(ctx, j)
	}
	return Echo(j), nil
}

// Echo is the report of a runner that proves all that a job claims.
func Echo(j job.Job) *job.Report {
	r := *j.Report
	r.Tests = slices.Clone(r.Tests)
	for i := range r.Tests {
		r.Tests[i].Patches = slices.Clone(r.Tests[i].Patches)
	}
	r.Finished = true
	return &r
}

// Proofs are the jobs so far that prove patches again.
func (d *Runner) Proofs() []job.Job {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.proofs)
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

// Jobs are the jobs so far that examine failures.
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
