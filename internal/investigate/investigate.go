// Package investigate answers red CI on the pull request. It finds the pull request
// and the failing tests, gives a runner one job, and posts the runner's report.
//
// Each step is a job of the durable queue and can be repeated after a crash.
//
// Invariants:
//   - Each push has one investigation, however many deliveries are about it.
//   - Each write to GitHub has a once-only key. Before it, odfix looks for an earlier one, and checks
//     that the commit is still the pull request's head.
//   - Jobs wait for GitHub's limits in the queue, never in a worker.
//   - The jobs of one installation never take all workers.
//   - Every investigation ends, and so does its check run.
//   - While the operator has paused the work, no request is sent to GitHub about it, and no runner
//     works. Nothing is lost by that: jobs wait in the queue, and deadlines move.
package investigate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

// Options are for New. Store, App and Dispatcher are required.
type Options struct {
	Store *store.Store
	App   *github.App
	// Dispatcher gets jobs with the commit whose sources they need, and with a Key.
	Dispatcher dispatch.Dispatcher
	Log        *zap.Logger      // nil: none
	Now        func() time.Time // nil: time.Now
	Dir        string           // for the logs and archives of running investigations; empty: the system's temporary folder
	Runners    int              // investigations that run at once; 0: 1
	Offline    bool             // the build tool gets no network
	// Environment are variables for tests, which `environment` in .odfix.yml asks for by name.
	Environment map[string]string
	// MostJobMinutes bounds budgets.job-minutes and budgets.proof-minutes, which a repository sets; 0: its
	// own limit.
	MostJobMinutes int
	HelpURL        string // of the page that explains odfix, for readers of comments; empty: templates.HelpPage
	Pace           Pace
	Keep           Keep
	// Observe is called when an investigation ended, for counting. It may be nil.
	Observe func(Ended)
	// Accounts returns the logins, and the installations as InstallationEntry and the id, that
	// odfix works for; nil: for all. It is called often.
	Accounts func() []string
	// LeftOut is called with the kind of each job that was not done because of Accounts. It may be
	// nil.
	LeftOut func(kind string)
}

// Ended describes an investigation that has ended.
type Ended struct {
	State    store.State
	Verdicts []string // of its tests
	// Seconds is the time of each phase: the runner's phases, "before" (from the red build to the
	// runner's start) and "after" (from the report to the end).
	Seconds map[string]float64
	Took    time.Duration // from the first delivery about the red build
}

// Pace holds intervals and waits. Zero fields take those of DefaultPace.
type Pace struct {
	Gather   time.Duration // how long to wait for other jobs of a red run
	Look     time.Duration // between two checks whether missing data has arrived
	Beat     time.Duration // between two renewals of a lease
	Silence  time.Duration // after which a lease counts as lost
	Progress time.Duration // between the first two updates of a check; the time doubles, up to slowest times that
	Patience time.Duration // after which a write that was begun counts as abandoned
	Config   time.Duration // how long a copy of the configuration is used
	Sweep    time.Duration // between two sweeps of open pull requests
	Reap     time.Duration // between two searches for investigations whose process died
	Stall    time.Duration // after which a waiting investigation gets another job
	Forget   time.Duration // between two removals of old records
	// Redeliver is the time between two searches for missed deliveries.
	Redeliver time.Duration
	// Pause is the time between two attempts of a job at the beginning of a pause by the operator.
	Pause time.Duration
}

// DefaultPace is for github.com.
var DefaultPace = Pace{
	Gather: 2 * time.Minute, Look: 10 * time.Second, Beat: 3 * time.Second, Silence: time.Minute, Progress: 10 * time.Second,
	Patience: 2 * time.Minute, Config: 30 * time.Minute, Sweep: time.Hour, Reap: 20 * time.Second,
	Stall: 3 * longestTurn, Forget: 6 * time.Hour, Redeliver: 15 * time.Minute, Pause: 30 * time.Second,
}

func (p *Pace) fill() {
	d := DefaultPace
	for _, f := range []struct{ field, value *time.Duration }{
		{&p.Gather, &d.Gather}, {&p.Look, &d.Look}, {&p.Beat, &d.Beat}, {&p.Silence, &d.Silence}, {&p.Progress, &d.Progress},
		{&p.Patience, &d.Patience}, {&p.Config, &d.Config}, {&p.Sweep, &d.Sweep}, {&p.Reap, &d.Reap},
		{&p.Stall, &d.Stall}, {&p.Forget, &d.Forget}, {&p.Redeliver, &d.Redeliver}, {&p.Pause, &d.Pause},
	} {
		if *f.field <= 0 {
			*f.field = *f.value
		}
	}
}

// Service does the investigations' jobs.
type Service struct {
	o     Options
	store *store.Store
	app   *github.App
	log   *zap.Logger
	now   func() time.Time
	me    string        // this process, in leases and claims
	turns *turns[int64] // jobs that use GitHub's API

	reading  *readings         // commits whose logs are read
	authors  *turns[authorOf]  // those of one author
	heads    *heads            // whose CI was looked at
	refusals *lastHour[person] // of requests
	searches *lastHour[int64]  // for pollution, of an installation

	planning *turns[int64]       // reports whose comments are planned
	texts    *semaphore.Weighted // what they are planned from
	plans    *semaphore.Weighted // comments on reports are planned in memory
}

// New checks the options.
func New(o Options) (*Service, error) {
	if o.Store == nil || o.App == nil || o.Dispatcher == nil {
		return nil, errors.New("investigate: Store, App and Dispatcher are required")
	}
	o.Pace.fill()
	o.Keep.fill()
	o.Log = cmp.Or(o.Log, zap.NewNop())
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Runners <= 0 {
		o.Runners = 1
	}
	if o.LeftOut == nil {
		o.LeftOut = func(string) {}
	}
	o.Dir = cmp.Or(o.Dir, os.TempDir())
	host, _ := os.Hostname() // for people who read the database
	s := &Service{o: o, store: o.Store, app: o.App, log: o.Log, now: o.Now, me: host + "-" + newName(),
		turns: newTurns[int64](shareOfOne), reading: newReadings(o.Now), authors: newTurns[authorOf](commitsOfOne - 1),
		heads: &heads{seen: map[head]seen{}}, refusals: newLastHour[person](), searches: newLastHour[int64](),
		planning: newTurns[int64](textsOfOne), texts: semaphore.NewWeighted(mostTexts), plans: semaphore.NewWeighted(mostPlans)}
	s.app.Guard(s.permit)
	return s, nil
}

// The queues.
const (
	queueGitHub  = "github"  // short jobs that mostly wait for GitHub
	queueRunners = "runners" // jobs that wait for a runner
)

// Register adds the workers.
func (s *Service) Register(w *river.Workers) {
	river.AddWorker(w, worker[considerArgs]{do: s.consider, s: s})
	river.AddWorker(w, worker[collectArgs]{do: s.collect, s: s, time: time.Hour})
	river.AddWorker(w, worker[runArgs]{do: s.run, s: s, time: longest})
	river.AddWorker(w, worker[publishArgs]{do: s.publish, s: s, time: 15 * time.Minute})
	river.AddWorker(w, worker[polluteArgs]{do: s.pollute, s: s})
	river.AddWorker(w, worker[annotateArgs]{do: s.annotate, s: s})
	river.AddWorker(w, worker[reapArgs]{do: s.reap, s: s})
	river.AddWorker(w, worker[forgetArgs]{do: s.forget, s: s, time: time.Hour})
	river.AddWorker(w, worker[eraseArgs]{do: s.erase, s: s, time: time.Hour})
	river.AddWorker(w, worker[redeliverArgs]{do: s.redeliver, s: s, time: 30 * time.Minute})
	river.AddWorker(w, worker[sweepArgs]{do: s.sweep, s: s})
	river.AddWorker(w, worker[sweepOneArgs]{do: s.sweepOne, s: s, time: 10 * time.Minute})
}

// Queues are the queues to serve, with how many jobs of each at once.
func (s *Service) Queues() map[string]int {
	return map[string]int{queueGitHub: githubJobs, queueRunners: s.o.Runners}
}

// Periodic are the jobs that are queued at intervals.
func (s *Service) Periodic() []*river.PeriodicJob {
	every := func(d time.Duration, args river.JobArgs, once river.UniqueOpts) *river.PeriodicJob {
		return river.NewPeriodicJob(river.PeriodicInterval(d), func() (river.JobArgs, *river.InsertOpts) {
			return args, &river.InsertOpts{Queue: queueGitHub, MaxAttempts: 1, UniqueOpts: once}
		}, &river.PeriodicJobOpts{RunOnStart: true})
	}
	return []*river.PeriodicJob{every(s.o.Pace.Reap, reapArgs{}, river.UniqueOpts{}),
		every(s.o.Pace.Forget, forgetArgs{}, river.UniqueOpts{}),
		every(s.o.Pace.Redeliver, redeliverArgs{}, oneAtATime), every(s.o.Pace.Sweep, sweepArgs{}, oneAtATime)}
}

// oneAtATime is for jobs that wait for GitHub's limits, perhaps for longer than their interval.
var oneAtATime = river.UniqueOpts{ByState: []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending,
	rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}}

// The jobs. Databases contain their names, so a name never gets another meaning.
type (
	considerArgs struct { // handle a delivery
		GUID string `json:"guid"`
	}
	collectArgs struct { // find the failing tests
		ID    string `json:"id"`
		Again bool   `json:"again,omitempty"` // check whether more tests failed
		Later bool   `json:"later,omitempty"` // not the first one of the investigation
		// Key is that of the job or run of GitHub Actions that became red; empty: a build of
		// another CI system, or it is not known.
		Key         string `json:"key,omitempty"`
		job         int64  // its number in the queue
		looksAnyway bool   // see looks
	}
	runArgs struct { // ask a runner
		ID string `json:"id"`
	}
	publishArgs struct { // post the result
		ID    string `json:"id"`
		Again bool   `json:"again,omitempty"` // it was posted, and may have been overwritten
	}
	reapArgs   struct{} // end investigations whose process died
	forgetArgs struct{} // remove old records
)

func (a *collectArgs) of(job *rivertype.JobRow) {
	var known struct {
		Snoozes int `json:"snoozes"` // River counts them here
	}
	cameBack := json.Unmarshal(job.Metadata, &known) == nil && known.Snoozes > 0
	a.job, a.looksAnyway = job.ID, a.looks(cameBack || job.Attempt > 1)
}

func (considerArgs) Kind() string { return "consider" }
func (collectArgs) Kind() string  { return "collect" }
func (runArgs) Kind() string      { return "run" }
func (publishArgs) Kind() string  { return "tell" }
func (reapArgs) Kind() string     { return "reap" }
func (forgetArgs) Kind() string   { return "forget" }

// in makes a queue entry; after delays it.
func (s *Service) in(args river.JobArgs, after time.Duration) river.InsertManyParams {
	o := &river.InsertOpts{Queue: queueGitHub, MaxAttempts: 12}
	switch args.(type) {
	case runArgs:
		o.Queue = queueRunners
	case eraseArgs:
		o.MaxAttempts = 500 // days: it must happen
	case polluteArgs:
		o.Queue, o.Priority, o.MaxAttempts = queueRunners, 4, 3 // jobs of red builds come first
	}
	if after > 0 {
		o.ScheduledAt = time.Now().Add(after) // the queue uses the clock of the machine, not Pace
	}
	return store.Job(args, o)
}

// longest is more than any investigation may take; its own deadline comes before.
const longest = 8 * time.Hour

// worker makes a method a River worker.
type worker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	do   func(context.Context, T) error
	s    *Service
	time time.Duration
}

// Timeout implements river.Worker.
func (w worker[T]) Timeout(j *river.Job[T]) time.Duration {
	if l, ok := any(j.Args).(interface{ limit() time.Duration }); ok {
		return l.limit()
	}
	if w.time > 0 {
		return w.time
	}
	return 5 * time.Minute
}

// NextRetry implements river.Worker. The wait is short, since failures of GitHub are.
func (w worker[T]) NextRetry(j *river.Job[T]) time.Time {
	return time.Now().Add(min(w.s.o.Pace.Look<<min(j.Attempt, 8), 10*time.Minute))
}

// laterError asks the queue to run the job again later. It is no failure.
type laterError struct {
	after time.Duration
	why   string
}

func (e laterError) Error() string { return fmt.Sprintf("again in %s: %s", e.after, e.why) }

// Work implements river.Worker. Limits and waits become snoozes, which cost no
// attempt and hold no worker.
func (w worker[T]) Work(ctx context.Context, j *river.Job[T]) error {
	if a, ok := any(&j.Args).(interface{ of(job *rivertype.JobRow) }); ok {
		a.of(j.JobRow)
	}
	err := w.do(because(ctx, j.Args), j.Args)
	var later laterError
	if errors.Is(err, errForeign) {
		w.s.log.Info("left out", zap.String("job", j.Args.Kind()), zap.Any("args", j.Args), zap.Error(err))
		w.s.o.LeftOut(j.Args.Kind())
		return nil
	}
	if until, limited := github.Until(err, w.s.now()); limited {
		level, text := zap.WarnLevel, "GitHub's limits"
		if paused(err) { // there may be thousands of them
			level, text = zap.DebugLevel, "paused"
		}
		w.s.log.Log(level, text, zap.String("job", j.Args.Kind()), zap.Time("until", until))
		return river.JobSnooze(max(until.Sub(w.s.now()), time.Second))
	}
	if errors.As(err, &later) {
		return river.JobSnooze(max(later.after, 50*time.Millisecond))
	}
	if err != nil {
		w.s.log.Warn("a step failed", zap.String("job", j.Args.Kind()), zap.Any("args", j.Args),
			zap.Int("attempt", j.Attempt), zap.Error(err))
	}
	return queueable(err)
}
