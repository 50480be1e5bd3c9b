// Package engine holds the use cases of odfix: fix, detect, pollution, verify, run, list and build.
//
// A job goes through phases: build, discover, diagnose, explain state, repair, prove. The report is
// filled in as results become known, so that a job that is stopped early still has its best result.
// The engine holds no credentials and communicates only with the processes that it starts.
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
	"github.com/odfix/odfix/internal/suite"
)

// Options are the settings of a run of the engine, in addition to the job. All fields are required.
type Options struct {
	// Languages are tried in this order; the first that recognises the project is used.
	Languages []project.Language

	Version  string          // of odfix, for the report
	Log      *zap.Logger     // details, for people who look for them
	Progress func(job.Event) // receives the progress of the job, for people; calls may overlap
}

// Run does the job. It never fails: errors are part of the report. When the context ends, the
// report contains the best result so far.
func Run(ctx context.Context, j job.Job, o Options) *job.Report {
	w := &worker{job: j, languages: o.Languages, log: o.Log, report: o.Progress, version: o.Version, started: time.Now(),
		seconds: map[string]float64{}}
	report := w.do(ctx)
	report.Tidy()
	return report
}

// worker does one job. It fills in the report as results become known, so that there is always a
// best result.
type worker struct {
	job       job.Job
	languages []project.Language
	log       *zap.Logger
	report    func(job.Event)
	version   string // of odfix
	started   time.Time
	ends      endings
	end       *budget.Extension

	mu      sync.Mutex
	fitted  time.Duration // the budget that fits the tests, as far as is known
	phase   string
	since   time.Time
	seconds map[string]float64
	opened  project.Project // nil: none was opened yet
	costed  project.Stats   // its cost when the phase began

	lab   *lab            // of the module that is open; nil: none
	names *suite.Resolver // of the suite, once it is known
	short bool            // work was left out, to save time for the rest
}

// do returns the report. Errors are part of it.
func (w *worker) do(ctx context.Context) *job.Report {
	r := &job.Report{Version: job.Version, Tool: "odfix " + w.version, Started: w.started.UTC()}
	r.Project.Dir = w.job.Dir
	end, cancel := budget.Extendable(ctx, w.budget(), errBudget)
	defer cancel()
	w.end, ctx = end, end
	err := w.kind(ctx, r)
	w.enter("")
	if w.lab != nil {
		w.lab.closeSite()
	}
	if w.opened != nil {
		stats := w.opened.Stats()
		r.Cost.Questions, r.Cost.Tests = stats.Questions, stats.Tests
		if err := w.opened.Close(); err != nil {
			w.log.Warn("closing the project", zap.Error(err))
		}
		r.Notes = append(r.Notes, w.opened.Notes()...)
	}
	w.ends.report(r, w.job.Out)
	if w.opened != nil {
		r.NameTests(job.NameBy(w.opened.Syntax()))
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
		w.log.Info("stopped", zap.Error(err))
	default:
		var own func(error) *project.Error
		if w.opened != nil {
			own = w.opened.Explain
		}
		r.Error = explain(ctx, err, w.names, own)
		w.log.Error("job failed", zap.Error(err))
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

func (w *worker) kind(ctx context.Context, r *job.Report) error {
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
	switch w.job.Kind {
	case "", job.KindFix:
		return w.fix(ctx, r)
	case job.KindRun:
		return w.runOrder(ctx, r)
	case job.KindVerify:
		return w.verify(ctx, r)
	case job.KindDetect:
		return w.detect(ctx, r)
	case job.KindBuild:
		return w.justBuild(ctx)
	case job.KindPollution:
		return w.pollution(ctx, r)
	case job.KindList:
		return w.list(ctx, r)
	}
	return &job.Error{Code: "job-kind", Message: fmt.Sprintf("no such kind of job: %q", w.job.Kind)}
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

// elapsed returns how long the phase has taken so far.
func (w *worker) elapsed() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.since)
}

func (w *worker) budget() time.Duration {
	if w.job.Budget > 0 {
		return w.job.Budget
	}
	return job.FittingBudget(w.job.Took)
}

// A process with few tests says something about the time that fits only if it takes long to start.
// A cause takes more such processes than runs of all tests.
const (
	longStart = 5 * time.Second
	shortRuns = 2 // processes with few tests for one run of all tests
)

// fit gives a job without a budget the time that fits its tests, by a new process that ran some of
// them. At least half of them show how long all take. Few show how long a process takes to start.
// How long the tests took in the last run may be unknown, or of a part of them. A later process
// that shows about the same changes nothing. start is how long a process takes to start, as far as is
// known.
func (w *worker) fit(tests, all int, took, start time.Duration) {
	what, whole := "One process with few tests takes", shortRuns*took
	switch {
	case tests > 0 && 2*tests >= all:
		whole = time.Duration(float64(took) * float64(all) / float64(tests))
		what, took = suite.Count(all, "test takes", "tests take"), whole
	case took < longStart:
		return
	default:
		start = took
	}
	fits := max(job.FittingBudget(whole), min(causeTakes(whole, start), job.MostBudget).Round(time.Minute))
	w.mu.Lock()
	more := w.job.Budget <= 0 && 5*fits > 6*w.fitted
	if more {
		w.fitted = fits
	}
	w.mu.Unlock()
	if more && w.end.Until(w.started.Add(fits)) {
		w.say(job.Event{Message: "running tests", Note: expected(fmt.Sprintf("%s about %s here", what, seconds(took)), whole, start, fits)})
	}
}

// logCost logs the cost of the phase that ends: test processes and their processor time, which
// depend less on the load of the machine than seconds do. The lock is held.
func (w *worker) logCost(now time.Time) {
	var spent project.Stats
	if w.opened != nil {
		spent = w.opened.Stats()
	}
	w.log.Info("phase", zap.String("phase", w.phase), zap.Duration("took", now.Sub(w.since)),
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
		for _, n := range opened.Stats().Questions {
			e.Done += n
		}
	}
	w.log.Debug("progress", zap.String("phase", e.Phase), zap.String("message", e.Message), zap.Int("done", e.Done))
	w.report(e)
}
