package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
)

// Options are the settings of a run of the engine, in addition to the job. All fields are required.
type Options struct {
	// Languages are tried in this order; the first that recognises the project is used.
	Languages []project.Language

	Version  string          // of odfix, for the report
	Log      *zap.Logger     // details, for people who look for them
	Progress func(job.Event) // receives the progress of the job, for people; calls may overlap
}

// Kind does the jobs of one kind, and fills in the report.
type Kind func(ctx context.Context, w *worker, r *job.Report) error

// run does a job. It never fails: errors are part of the report. When the context ends, the
// report contains the best result so far.
func run(ctx context.Context, j job.Job, o Options, kind Kind) *job.Report {
	report := newWorker(j, o).do(ctx, kind)
	report.Tidy()
	return report
}

// worker is one job in progress. It fills in the report as results become known, so that there is
// always a best result.
type worker struct {
	Options
	job   job.Job
	short bool // work was left out, to save time for the rest

	started time.Time
	end     *budget.Extension

	mu      sync.Mutex
	fitted  time.Duration // the budget that fits the tests, as far as is known
	phase   string
	since   time.Time
	seconds map[string]float64
	opened  *module       // nil: none was opened yet
	costed  project.Stats // its cost when the phase began
}

func newWorker(j job.Job, o Options) *worker {
	return &worker{Options: o, job: j, started: time.Now(), seconds: map[string]float64{}}
}

// do returns the report. Errors are part of it.
func (w *worker) do(ctx context.Context, kind Kind) *job.Report {
	r := &job.Report{Version: job.Version, Tool: "odfix " + w.Version, Started: w.started.UTC()}
	r.Project.Dir = w.job.Dir
	end, cancel := budget.Extendable(ctx, w.budget(), errBudget)
	defer cancel()
	w.end, ctx = end, end
	err := w.check()
	if err == nil {
		err = kind(ctx, w, r)
	}
	w.enter("")
	if w.opened != nil {
		w.close(r)
	}
	r.Cost.Seconds = maps.Clone(w.seconds)
	r.Cost.Total = time.Since(w.started).Seconds()
	if w.job.Kind == job.KindFix || w.job.Kind == job.KindDetect {
		r.ExplainMissing(ctx.Err() != nil || w.short)
	}
	switch {
	case err == nil:
		r.Finished = ctx.Err() == nil && !w.short
	case ctx.Err() != nil && (len(r.Tests) > 0 || len(r.Runs) > 0 || r.Detection != nil || r.Pollution != nil):
		// The report with the results so far is valid; the end of the budget is no error.
		r.Notes = slices.Insert(r.Notes, 0, early(ctx)+" The results so far are valid; there may be more to find.")
		w.Log.Info("stopped", zap.Error(err))
	default:
		r.Error = w.explain(ctx, err)
		w.Log.Error("job failed", zap.Error(err))
	}
	return r
}

// early says why a job ended before it was complete.
func early(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), errBudget) {
		return "The time ended before everything was done (--budget gives more)."
	}
	return "It was stopped before everything was done."
}

var errBudget = errors.New("the budget is used up")

// check refuses a job that cannot begin.
func (w *worker) check() error {
	if w.job.Version != 0 && w.job.Version != job.Version {
		return &job.Error{Code: "job-version", Message: fmt.Sprintf("the job speaks version %d, this runner version %d", w.job.Version,
			job.Version), Hint: "Restart odfix: its program was replaced by another release while it ran."}
	}
	if w.job.Out != "" {
		if err := os.MkdirAll(w.job.Out, 0o755); err != nil {
			return &job.Error{Code: "bad-out", Message: "cannot create the output folder: " + err.Error(),
				Hint: "Name another one with --out."}
		}
	}
	return nil
}

// close closes the module, and writes into the report what it has recorded.
func (w *worker) close(r *job.Report) {
	w.opened.closeSite()
	base := w.opened.base
	stats := base.Stats()
	r.Cost.Questions, r.Cost.Tests = stats.Questions, stats.Tests
	if err := base.Close(); err != nil {
		w.Log.Warn("closing the project", zap.Error(err))
	}
	r.Notes = append(r.Notes, base.Notes()...)
	w.opened.ends.report(r, w.job.Out)
	r.NameTests(job.NameBy(base.Syntax()))
}

// explain converts any error to one for people.
func (w *worker) explain(ctx context.Context, err error) *job.Error {
	if w.opened == nil {
		return explain(ctx, err, nil, nil)
	}
	return explain(ctx, err, w.opened.names, w.opened.base.Explain)
}

// enter begins a phase and records the time of the one before.
func (w *worker) enter(phase string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.phase != "" {
		w.seconds[w.phase] += now.Sub(w.since).Seconds()
		w.logCost(now)
	}
	w.phase, w.since = phase, now
}

// logCost logs the cost of the phase that ends: test processes and their processor time, which
// depend less on the load of the machine than seconds do. The lock is held.
func (w *worker) logCost(now time.Time) {
	var spent project.Stats
	if w.opened != nil {
		spent = w.opened.base.Stats()
	}
	w.Log.Info("phase", zap.String("phase", w.phase), zap.Duration("took", now.Sub(w.since)),
		zap.Int("processes", spent.Starts-w.costed.Starts),
		zap.Int("tests", spent.Tests-w.costed.Tests), zap.Duration("processor", spent.Processor-w.costed.Processor))
	w.costed = spent
}

// say reports progress to people.
func (w *worker) say(e job.Event) {
	w.mu.Lock()
	e.Time, e.Phase = time.Now().UTC(), w.phase
	opened := w.opened
	w.mu.Unlock()
	if opened != nil {
		for _, n := range opened.base.Stats().Questions {
			e.Done += n
		}
	}
	w.Log.Debug("progress", zap.String("phase", e.Phase), zap.String("message", e.Message), zap.Int("done", e.Done))
	w.Progress(e)
}

// many is the number of failing tests above which tests that share a cause confirm each other. Each
// conclusion then needs two results instead of three.
const many = 8

// rerun returns how many results each conclusion needs.
func (w *worker) rerun(failing int) int {
	switch {
	case w.job.Rerun > 0:
		return w.job.Rerun
	case failing > many:
		return job.DefaultRerun - 1
	}
	return job.DefaultRerun
}
