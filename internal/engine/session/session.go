// Package session holds what all kinds of jobs share: the job in progress with its phases and its
// time, and the module of the project that it opens.
//
// A Module knows its tests and runs orders of them. Its Lab stores fresh results, so that a proof
// need not repeat runs of the same job. Errors become those of a report here.
package session

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

// Options are the settings of a run of the engine, in addition to the job.
type Options struct {
	// Languages are tried in this order; the first that recognises the project is used.
	Languages []project.Language

	Version  string          // of odfix, for the report
	Log      *zap.Logger     // details, for people who look for them; nil: none
	Progress func(job.Event) // receives the progress of the job, for people; calls may overlap; nil: none
}

// Run does a job with a function, which fills in the report. It never fails: errors are part of the
// report. When the context ends, the report contains the best result so far.
func Run(ctx context.Context, j job.Job, o Options, work func(context.Context, *Session, *job.Report) error) *job.Report {
	report := New(j, o).do(ctx, work)
	report.Tidy()
	return report
}

// Session is one job in progress. It fills in the report as results become known, so that there is
// always a best result.
type Session struct {
	Options
	Job   job.Job
	Short bool // work was left out, to save time for the rest

	started time.Time
	end     *budget.Extension

	mu      sync.Mutex
	fitted  time.Duration // the budget that fits the tests, as far as is known
	phase   string
	since   time.Time
	seconds map[string]float64
	opened  *Module       // nil: none was opened yet
	costed  project.Stats // its cost when the phase began
}

// New returns a job that begins now.
func New(j job.Job, o Options) *Session {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Progress == nil {
		o.Progress = func(job.Event) {}
	}
	return &Session{Options: o, Job: j, started: time.Now(), seconds: map[string]float64{}}
}

// do returns the report. Errors are part of it.
func (s *Session) do(ctx context.Context, work func(context.Context, *Session, *job.Report) error) *job.Report {
	r := &job.Report{Version: job.Version, Tool: "odfix " + s.Version, Started: s.started.UTC()}
	r.Project.Dir = s.Job.Dir
	end, cancel := budget.Extendable(ctx, s.budget(), ErrBudget)
	defer cancel()
	s.end, ctx = end, end
	err := s.check()
	if err == nil {
		err = work(ctx, s, r)
	}
	s.Enter("")
	if s.opened != nil {
		s.close(r)
	}
	r.Cost.Seconds = maps.Clone(s.seconds)
	r.Cost.Total = time.Since(s.started).Seconds()
	if s.Job.Kind == job.KindFix || s.Job.Kind == job.KindDetect {
		r.ExplainMissing(ctx.Err() != nil || s.Short)
	}
	switch {
	case err == nil:
		r.Finished = ctx.Err() == nil && !s.Short
	case ctx.Err() != nil && (len(r.Tests) > 0 || len(r.Runs) > 0 || r.Detection != nil || r.Pollution != nil):
		// The report with the results so far is valid; the end of the budget is no error.
		r.Notes = slices.Insert(r.Notes, 0, early(ctx)+" The results so far are valid; there may be more to find.")
		s.Log.Info("stopped", zap.Error(err))
	default:
		r.Error = s.explain(ctx, err)
		s.Log.Error("job failed", zap.Error(err))
	}
	return r
}

// early says why a job ended before it was complete.
func early(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), ErrBudget) {
		return "The time ended before everything was done (--budget gives more)."
	}
	return "It was stopped before everything was done."
}

// ErrBudget is the cause of a context whose job has used up its budget.
var ErrBudget = errors.New("the budget is used up")

// check refuses a job that cannot begin.
func (s *Session) check() error {
	if s.Job.Version != 0 && s.Job.Version != job.Version {
		return &job.Error{Code: "job-version", Message: fmt.Sprintf("the job speaks version %d, this runner version %d", s.Job.Version,
			job.Version), Hint: "Restart odfix: its program was replaced by another release while it ran."}
	}
	if s.Job.Out != "" && (s.Job.Detect == nil || !s.Job.Detect.Resume) {
		if err := os.MkdirAll(s.Job.Out, 0o755); err != nil {
			return &job.Error{Code: "bad-out", Message: "cannot create the output folder: " + err.Error(),
				Hint: "Name another one with --out."}
		}
	}
	return nil
}

// close closes the module, and writes into the report what it has recorded.
func (s *Session) close(r *job.Report) {
	s.opened.closeSite()
	base := s.opened.Base
	stats := base.Stats()
	r.Cost.Questions, r.Cost.Tests = stats.Questions, stats.Tests
	if err := base.Close(); err != nil {
		s.Log.Warn("closing the project", zap.Error(err))
	}
	r.Notes = append(r.Notes, base.Notes()...)
	s.opened.ends.report(r, s.Job.Out)
	r.NameTests(job.NameBy(base.Syntax()))
}

// explain converts any error to one for people.
func (s *Session) explain(ctx context.Context, err error) *job.Error {
	if s.opened == nil {
		return explain(ctx, err, nil, nil)
	}
	return explain(ctx, err, s.opened.Names, s.opened.Base.Explain)
}

// Enter begins a phase and records the time of the one before.
func (s *Session) Enter(phase string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.phase != "" {
		s.seconds[s.phase] += now.Sub(s.since).Seconds()
		s.logCost(now)
	}
	s.phase, s.since = phase, now
}

// logCost logs the cost of the phase that ends: test processes and their processor time, which
// depend less on the load of the machine than seconds do. The lock is held.
func (s *Session) logCost(now time.Time) {
	var spent project.Stats
	if s.opened != nil {
		spent = s.opened.Base.Stats()
	}
	s.Log.Info("phase", zap.String("phase", s.phase), zap.Duration("took", now.Sub(s.since)),
		zap.Int("processes", spent.Starts-s.costed.Starts),
		zap.Int("tests", spent.Tests-s.costed.Tests), zap.Duration("processor", spent.Processor-s.costed.Processor))
	s.costed = spent
}

// Say reports progress to people.
func (s *Session) Say(e job.Event) {
	s.mu.Lock()
	e.Time, e.Phase = time.Now().UTC(), s.phase
	opened := s.opened
	s.mu.Unlock()
	if opened != nil {
		for _, n := range opened.Base.Stats().Questions {
			e.Done += n
		}
	}
	s.Log.Debug("progress", zap.String("phase", e.Phase), zap.String("message", e.Message), zap.Int("done", e.Done))
	s.Progress(e)
}

// many is the number of failing tests above which tests that share a cause confirm each other. Each
// conclusion then needs two results instead of three.
const many = 8

// Rerun returns how many results each conclusion needs.
func (s *Session) Rerun(failing int) int {
	switch {
	case s.Job.Rerun > 0:
		return s.Job.Rerun
	case failing > many:
		return job.DefaultRerun - 1
	}
	return job.DefaultRerun
}
