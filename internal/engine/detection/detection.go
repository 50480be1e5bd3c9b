// Package detection looks for order-dependent tests. It runs the tests of a module in many orders,
// and finds the causes of what these show. If the job asks for it, it then repairs the causes.
package detection

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/engine/fix"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/ledger"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// detection is one detection in progress.
type detection struct {
	s          *session.Session
	p          *session.Module
	r          *job.Report
	opts       job.DetectOptions
	tests      *suite.Suite // tests that can run
	search     *detect.Search
	ledger     *ledger.Ledger // nil: nothing is stored
	asker      *remembering
	state      *state.Relation // nil: not observed
	inPart     bool            // state is that of the first tests
	in         *diagnose.Input
	known      diagnose.Result                      // of all finds so far
	tried      map[suite.TestID]int                 // how often a diagnosis ended before the cause of one of a cohort was found
	clean      map[suite.TestID]cleanSearch         // searches cleaners that diagnoses of this run have left out
	cleaned    map[suite.TestID]diagnose.TestResult // diagnoses with the cleaners that were searched later
	refuted    map[suite.TestID]bool                // tests that do not depend on the state that their cause was seen to change
	askedAfter map[string]map[suite.TestID]bool     // tests that ran after a cause, by cause
	shared     []job.Cohort                         // orders that showed the cause of many tests
	seen       map[string]bool                      // keys of the orders that a diagnosis already got
	pending    *session.StartingEditor
	repairs    *repairs // nil: nothing is repaired
	out        *job.Detection
	last       time.Time     // of progress
	began      time.Time     // the search
	all        time.Duration // the time of the search and all that follows
	noted      sync.Mutex
	laterNotes []string // notes made while tests were running
	// nothing: no test has to run, because the change touches none.
	nothing bool
}

// cleanSearch searches the cleaners of a test (diagnose.Result.Clean).
type cleanSearch = func(ctx context.Context, t suite.TestID) (*diagnose.Result, error)

// Run looks for order-dependent tests.
func Run(ctx context.Context, s *session.Session, r *job.Report) (err error) {
	p, err := s.Open(ctx, nil, r)
	if err != nil {
		return err
	}
	d := &detection{s: s, p: p, r: r, seen: map[string]bool{}, tried: map[suite.TestID]int{},
		clean: map[suite.TestID]cleanSearch{}, cleaned: map[suite.TestID]diagnose.TestResult{},
		refuted:    map[suite.TestID]bool{},
		askedAfter: map[string]map[suite.TestID]bool{}, out: &job.Detection{}}
	if s.Job.Detect != nil {
		d.opts = *s.Job.Detect
	}
	s.Enter(job.PhaseDetect)
	defer d.close()
	if err := d.prepare(ctx); err != nil {
		return err
	}
	r.Detection = d.out
	if d.nothing {
		d.out.Exhausted = true
		return nil
	}
	err = d.rounds(ctx)
	if err == nil && d.repairs != nil {
		err = d.repairs.finish(ctx)
	}
	res := d.search.Result()
	d.update(res)
	d.remember(ctx)
	if err != nil && res.Spent.Executions == 0 {
		r.Detection = nil // nothing ran, which is no answer
		if over := time.Since(d.began); errors.Is(context.Cause(ctx), session.ErrBudget) && over >= shortestRound {
			err = tooSlow(len(d.in.Suite.Order()), over)
		}
	}
	d.out.Copies = p.Base.Stats().Copies
	return err
}

// minimumRuns is how many runs of the whole suite a detection needs to be worth its time: its own
// order, a few others, and some to confirm what they show.
const minimumRuns = 10

// tooSlow is the error if the budget ended before the tests ran once, in the time that running
// them took so far.
func tooSlow(tests int, over time.Duration) *job.Error {
	enough := (minimumRuns * over).Truncate(10*time.Minute) + 10*time.Minute
	return &job.Error{Code: "budget",
		Message: fmt.Sprintf("the time ended before the tests ran once: running all %d takes longer than %s here", tests,
			over.Round(time.Second)),
		Hint: fmt.Sprintf("Give more time, such as --budget %.0fm.", enough.Minutes())}
}

// prepare plans the orders and opens the ledger.
func (d *detection) prepare(ctx context.Context) error {
	if err := d.read(); err != nil {
		return err
	}
	if err := d.open(ctx); err != nil {
		return err
	}
	if d.opts.Resume { // until this event, odfix detect writes nothing into the output folder
		d.s.Say(job.Event{Message: "continuing the interrupted search"})
	}
	plan, err := d.plan(ctx)
	if err != nil {
		return err
	}
	d.out.Technique = string(plan.Technique)
	hidden := fix.HiddenOrders(d.tests)
	if hidden != "" && !d.nothing {
		d.note("%s", hidden)
	}
	before := d.before()
	plan.Outcomes, plan.Observed, plan.Quick = &detect.Outcomes{}, before != nil && before.Later, d.p.About.Once
	stages, kinds, err := plan.Stages(d.tests)
	if err != nil {
		return &job.Error{Code: "bad-technique", Message: err.Error(), Hint: "Ask for another with --technique: " + detect.Known() + "."}
	}
	d.out.Guarantee = guarantees(kinds, coverage{guided: plan.State != nil && plan.Pairs == nil, isolated: d.p.About.Isolated,
		kept: hidden != ""}, d.p.Groups.Nouns())
	d.in = &diagnose.Input{
		Suite: d.p.Suite, Groups: d.p.Groups, Original: d.p.Original, FindAll: d.s.Job.FindAll,
		NoCleaners: d.opts.Fix && !d.s.Job.Wants(job.FromHelper), Once: d.p.About.Once, Isolated: d.p.About.Isolated,
		Progress: func(e diagnose.Event) { d.s.Say(job.Event{Test: e.Test, Message: e.Message, Best: e.Best}) },
	}
	if d.opts.Fix {
		d.in.Keep, d.in.CleanersLater = diagnose.RepairShare, d.s.Job.WantsResets()
	}
	d.asker = &remembering{lab: d.p.Lab, ledger: d.ledger, d: d}
	in := detect.Input{
		Tests: d.tests.Order(), Groups: d.p.Groups, Stages: stages, Observed: before, State: plan.State,
		Outcomes: plan.Outcomes, Rerun: d.s.Job.Rerun, Isolated: d.p.About.Isolated, Progress: d.progress,
		Width: d.asker.width(ctx, d.asker.Parallel()),
	}
	if d.p.About.Once {
		in.Quick = d.asker.Quick
	}
	d.search, d.began = detect.New(d.asker, in), time.Now()
	return nil
}

// read reads the tests that can run.
func (d *detection) read() error {
	text, err := order.SuiteFile(d.p.Suite)
	if err == nil {
		d.tests, err = order.ParseSuite(text)
	}
	if errors.Is(err, order.ErrEmpty) {
		return &job.Error{Code: "no-tests", Message: "every test of the module is disabled", Hint: "There is nothing to run."}
	}
	if err != nil {
		return &job.Error{Code: "bad-suite", Message: "no orders can be made of the module's tests: " + err.Error(),
			Hint: "Two tests have the same id; rename one of them."}
	}
	return nil
}

// How the time is shared. Searching ends at this part of the budget, so that there is time for
// diagnosis and, as soon as there is a test to repair, for repair. The time in which the first cause
// is repaired is added, up to searchPartMost. Each round of searching takes a third of the time that
// is left until then, and at least shortestRound.
const (
	searchPart     = 0.8
	searchPartFix  = 0.45
	searchPartMost = 0.6
	shortestRound  = 20 * time.Second
)

// searchUntil is when searching ends, if it has found so many order-dependent tests.
func (d *detection) searchUntil(finds int) time.Time {
	part := func(p float64) time.Duration { return time.Duration(p * float64(d.all)) }
	if d.repairs == nil || finds == 0 {
		return d.began.Add(part(searchPart))
	}
	return d.began.Add(min(part(searchPartFix)+d.repairs.took, part(searchPartMost)))
}

// rounds searches and diagnoses in turns. So whenever the time ends, most finds have a known cause.
func (d *detection) rounds(ctx context.Context) error {
	d.began, d.all = time.Now(), 24*time.Hour
	if at, ok := ctx.Deadline(); ok {
		d.all = at.Sub(d.began)
	}
	d.pending = d.p.StartEditor(ctx)
	if d.opts.Fix {
		d.repairs = newRepairs(d)
	}
	for {
		d.s.Enter(job.PhaseDetect)
		end, now := d.searchUntil(len(d.search.Result().Finds)), time.Now()
		until := now.Add(max(shortestRound, end.Sub(now)/3))
		done, err := d.search.Run(ctx, until)
		d.update(d.search.Result())
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if err := d.diagnose(ctx); err != nil {
			return err
		}
		end = d.searchUntil(len(d.search.Result().Finds))
		if done {
			return d.sharpen(ctx, end)
		}
		if !time.Now().Before(end) {
			d.note("The time for orders was used up (--budget gives more time, and --resume continues from here).")
			return nil
		}
	}
}

// sharpen runs tests of cohorts alone whose cause is not known, if time is left. Then it tries once
// more to find causes that were not found in time.
func (d *detection) sharpen(ctx context.Context, until time.Time) error {
	d.s.Enter(job.PhaseDetect)
	err := d.search.Sharpen(ctx, until, func(t suite.TestID) bool { return explained(d.diagnosis(t)) })
	d.update(d.search.Result())
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	return d.diagnose(ctx)
}

func (d *detection) note(format string, args ...any) {
	d.r.Notes = append(d.r.Notes, fmt.Sprintf(format, args...))
}

// noteLater is note for goroutines that do not write the report.
func (d *detection) noteLater(format string, args ...any) {
	d.noted.Lock()
	defer d.noted.Unlock()
	d.laterNotes = append(d.laterNotes, fmt.Sprintf(format, args...))
}

func (d *detection) close() {
	if d.search != nil {
		d.search.Close()
	}
	if d.repairs != nil {
		d.repairs.of.Close()
	}
	if d.pending != nil {
		d.pending.Close()
	}
	if d.ledger != nil {
		if err := d.ledger.Close(); err != nil {
			d.s.Log.Warn("closing the ledger", zap.Error(err))
		}
	}
}
