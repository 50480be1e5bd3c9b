package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/ledger"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// detection is one KindDetect under way.
type detection struct {
	w      *worker
	p      *project
	r      *job.Report
	opts   job.DetectOptions
	tests  *suite.Suite // those that can run
	search *detect.Search
	ledger *ledger.Ledger // nil: nothing is kept
	asker  *remembering
	state  *state.Relation // nil: not observed
	in     *diagnose.Input
	known  diagnose.Result // of all finds so far
	seen   map[string]bool // orders that a diagnosis was told of
	bench  *bench
	out    *job.Detection
	last   time.Time // of progress
	noted  sync.Mutex
	told   []string // notes made while runs were under way
	// nothing is to be asked: the change touches no test.
	nothing bool
}

// detect looks for order-dependent tests.
func (w *worker) detect(ctx context.Context, r *job.Report) (err error) {
	p, err := w.open(ctx, nil, r)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := p.Close(); cerr != nil {
			w.log.Warn("closing the project", zap.Error(cerr))
		}
	}()
	w.asked = func() int { return questions(p) }
	d := &detection{w: w, p: p, r: r, seen: map[string]bool{}, out: &job.Detection{}}
	if w.job.Detect != nil {
		d.opts = *w.job.Detect
	}
	w.enter(job.PhaseDetect)
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
	if err == nil && d.opts.Fix {
		err = d.fix(ctx)
	}
	d.tell(d.search.Result())
	stats := p.base.Stats()
	r.Cost.Questions, r.Cost.Tests = stats.Questions, stats.Tests
	return err
}

// prepare plans the orders and opens the ledger.
func (d *detection) prepare(ctx context.Context) error {
	text, err := order.SuiteFile(d.p.suite)
	if err == nil {
		d.tests, err = order.ParseSuite(text)
	}
	if errors.Is(err, order.ErrEmpty) {
		return &job.Error{Code: "no-tests", Message: "every test of the module is disabled", Hint: "There is nothing to run."}
	}
	if err != nil {
		return &job.Error{Code: "bad-suite", Message: "no orders can be made of the module's tests: " + err.Error(), Hint: "Two tests of one id cannot be told apart; give one of them another name."}
	}
	if err := d.open(ctx); err != nil {
		return err
	}
	plan, err := d.plan(ctx)
	if err != nil {
		return err
	}
	stages, kinds, err := plan.Stages(d.tests)
	if err != nil {
		return &job.Error{Code: "bad-technique", Message: err.Error(), Hint: "Ask for another with --technique: " + detect.Known() + "."}
	}
	d.out.Technique, d.out.Guarantee = string(plan.Technique), promises(kinds, plan.State != nil)
	d.in = &diagnose.Input{
		Suite: d.p.suite, Original: d.p.original, FindAll: d.w.job.FindAll, Mend: d.opts.Fix, Isolated: d.p.launch.ForkPerClass,
		Progress: func(e diagnose.Event) { d.w.say(job.Event{Test: e.Test, Message: e.Message, Best: e.Best}) },
	}
	d.asker = &remembering{lab: d.p.lab, ledger: d.ledger, d: d}
	d.asker.recall(ctx)
	d.search = detect.New(d.asker, detect.Input{
		Tests: d.tests.Order(), Stages: stages, Rerun: d.w.job.Rerun, Isolated: d.p.launch.ForkPerClass, Progress: d.progress,
	})
	return nil
}

// plan is what to run.
func (d *detection) plan(ctx context.Context) (detect.Plan, error) {
	plan := detect.Plan{Technique: order.Technique(d.opts.Technique), Seed: d.opts.Seed}
	if plan.Technique == "" {
		plan.Technique = detect.Auto
	}
	if len(d.opts.Pairs) > 0 {
		plan.Pairs = order.Relation(d.opts.Pairs)
	}
	if d.opts.ChangedSince != "" {
		touched, err := d.touched(ctx)
		if err != nil {
			return plan, err
		}
		plan.Pairs, d.out.Changed = detect.Touching(d.tests, touched), touched
		plan.Technique = order.TechniqueTarget
		d.nothing = len(touched) == 0
		return plan, nil
	}
	if d.observes(plan) {
		plan.State = d.observe(ctx)
	}
	if plan.Technique == order.TechniqueTarget && plan.State == nil && plan.Pairs == nil {
		return plan, &job.Error{Code: "bad-technique", Message: "what the tests do with static state could not be observed, so that there are no pairs to cover", Hint: "Give pairs with --pairs, or ask for another --technique."}
	}
	return plan, nil
}

// promises says what kinds of coverage mean.
func promises(kinds []order.Kind, guided bool) []string {
	words := map[order.Kind]string{
		order.Groups:   "every class runs directly after every other class",
		order.Siblings: "every test runs directly after every other test of its class",
		order.Across:   "every test runs directly after every test of another class",
		order.Within:   "every test runs directly after every other test of its class, however deep it is nested",
		order.Given:    "every pair that was asked for runs directly after each other",
		order.First:    "every test runs as the very first",
	}
	if guided {
		words[order.Given] = "every test runs directly after every other that was seen to change, or to write, static state it reads"
	}
	var out []string
	for _, k := range kinds {
		out = append(out, words[k])
	}
	return out
}

// How a budget is shared: searching ends at the given part of it, so that what
// is found can be diagnosed, and mended; a round of searching takes a third of
// what is left until then, and no less than shortestRound.
const (
	searchPart    = 0.8
	searchPartFix = 0.45
	shortestRound = 20 * time.Second
)

// rounds searches and diagnoses in turns, so that whenever the time ends most finds
// have their causes.
func (d *detection) rounds(ctx context.Context) error {
	part := searchPart
	if d.opts.Fix {
		part = searchPartFix
	}
	end := time.Now().Add(24 * time.Hour)
	if at, ok := ctx.Deadline(); ok {
		end = time.Now().Add(time.Duration(part * float64(time.Until(at))))
	}
	d.bench = d.w.startEditor(ctx, d.p)
	for {
		d.w.enter(job.PhaseDetect)
		now := time.Now()
		until := now.Add(max(shortestRound, end.Sub(now)/3))
		done, err := d.search.Run(ctx, until)
		d.tell(d.search.Result())
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if err := d.diagnose(ctx); err != nil {
			return err
		}
		if done || !time.Now().Before(end) {
			if !done {
				d.note("The time for orders was used up (--budget gives more, and --resume goes on from here).")
			}
			return nil
		}
	}
}

func (d *detection) note(format string, args ...any) {
	d.r.Notes = append(d.r.Notes, fmt.Sprintf(format, args...))
}

// later is note for whoever is not the one goroutine that writes the report.
func (d *detection) later(format string, args ...any) {
	d.noted.Lock()
	defer d.noted.Unlock()
	d.told = append(d.told, fmt.Sprintf(format, args...))
}

func (d *detection) close() {
	if d.search != nil {
		d.search.Close()
	}
	if d.asker != nil && d.asker.copies != nil {
		d.asker.copies.close()
	}
	if d.bench != nil {
		d.bench.close()
	}
	if d.ledger != nil {
		if err := d.ledger.Close(); err != nil {
			d.w.log.Warn("closing the ledger", zap.Error(err))
		}
	}
}

// progressEvery is how often people are told.
const progressEvery = 200 * time.Millisecond

// progress puts how far the search is into a sentence.
func (d *detection) progress(p detect.Progress) {
	now := time.Now()
	if now.Sub(d.last) < progressEvery {
		return
	}
	d.last = now
	text := fmt.Sprintf("order %d", p.Orders)
	if p.Total > 0 {
		text += fmt.Sprintf(" of %d", p.Total)
	}
	if p.Stage != "" {
		text += " (" + p.Stage + ")"
	}
	if p.Pairs.Of > 0 {
		text += fmt.Sprintf(" · %.0f%% of pairs", 100*float64(p.Pairs.Covered)/float64(p.Pairs.Of))
	}
	best := fmt.Sprintf("%d order-dependent", p.Finds)
	if p.Open > 0 {
		best += fmt.Sprintf(", %d to confirm", p.Open)
	}
	d.w.say(job.Event{Message: text + " · " + d.left(p), Total: p.Total, Best: best})
}

// left is how long it may take yet.
func (d *detection) left(p detect.Progress) string {
	budget := d.w.job.Budget
	if budget <= 0 {
		budget = job.DefaultBudget
	}
	left := budget - time.Since(d.w.started)
	if spent := d.search.Spent(); p.Total > 0 && spent.Orders > 2 {
		left = min(left, spent.Time/time.Duration(spent.Orders)*time.Duration(max(0, p.Total-p.Orders)))
	}
	return max(left, 0).Round(time.Second).String() + " left at most"
}
