package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// pollution reports the state that the tests leave changed, and the tests that fail because of it
// (PolDet: Gyori et al., ISSTA 2015).
func pollution(ctx context.Context, w *worker, r *job.Report) error {
	opts := job.PollutionOptions{}
	if w.job.Pollution != nil {
		opts = *w.job.Pollution
	}
	p, err := w.open(ctx, w.job.Tests, r)
	if err != nil {
		return err
	}
	chosen, err := w.chosen(ctx, p, opts, r)
	if err != nil {
		return err
	}
	if len(opts.Sources) > 0 && !slices.Contains(slices.Collect(maps.Values(chosen)), true) {
		r.Pollution, err = (&state.Pollutions{}).File() // no test is to be reported, so nothing runs
		return err
	}
	w.enter(job.PhaseDetect)
	rel, heaps, err := w.observeHeap(ctx, p, opts)
	if err != nil {
		return err
	}
	r.Notes = append(r.Notes, rel.Notes...)
	found := state.Pollute(rel, heaps...)
	if found.Observed == 0 {
		return &job.Error{
			Code: "not-observed", Message: "what the tests do with shared state could not be observed",
			Detail: strings.Join(rel.Notes, "\n"),
			Hint:   "See pollution.log for what the test process printed; --test-timeout gives slow tests more time.",
		}
	}
	return w.judge(ctx, p, opts, chosen, rel, found, r)
}

// judge finds the tests that fail because of the pollution found, and the origin of the pollution,
// and reports both.
func (w *worker) judge(ctx context.Context, p *module, opts job.PollutionOptions, chosen map[suite.TestID]bool, rel *state.Relation,
	found *state.Pollutions, r *job.Report) (err error) {
	unwritten := found.Unwritten(chosen)
	if chosen != nil {
		found.Tests = slices.DeleteFunc(found.Tests, func(t state.Polluter) bool { return !chosen[t.Test] })
	}
	if !opts.NoProof {
		w.enter(job.PhaseDiagnose)
		err = w.breaks(ctx, p, rel, found, r)
		w.lines(ctx, p, opts, unwritten, found, r)
	}
	if ctx.Err() == nil && (opts.ChangedSince != "" || len(opts.Sources) > 0) {
		w.locate(ctx, p, found, r)
	}
	file, ferr := found.File()
	if ferr != nil {
		return ferr
	}
	r.Pollution = file
	for _, t := range found.Tests {
		for _, q := range t.Pollutes {
			r.NameTests(job.NameBy(p.base.Syntax()), slices.Concat([]suite.TestID{t.Test}, q.Readers, q.Breaks)...)
		}
	}
	return err
}

// observeHeap runs the suite observed. With eager class loading, it runs the suite once before
// that, to collect the classes to load.
func (w *worker) observeHeap(ctx context.Context, p *module, opts job.PollutionOptions) (*state.Relation, []*state.Heap, error) {
	loading := []string{opts.ClassLoading}
	if opts.ClassLoading == "eager" {
		loading = []string{"collect", "eager"}
	}
	var rel *state.Relation
	var heaps []*state.Heap
	for _, how := range loading {
		opts.ClassLoading = how
		var err error
		if rel, heaps, err = p.observed(ctx, w, p.original, lookOf(opts, false)); err != nil {
			return nil, nil, err
		}
	}
	return rel, heaps, nil
}

// linesPart: naming lines may take one part in this many of the time that is left.
const linesPart = 2

// lines names the lines that wrote state below static fields. It runs these tests once more with
// instrumentation for lines; the first run is without it because it is slow. If this run fails, all
// other findings remain valid.
func (w *worker) lines(ctx context.Context, p *module, opts job.PollutionOptions, tests suite.Order, found *state.Pollutions,
	r *job.Report) {
	if len(tests) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, budget.Share(ctx, linesPart))
	defer cancel()
	again, err := w.woven(ctx, p, opts, tests)
	if err != nil {
		w.Log.Warn("looking for lines", zap.Error(err))
		note := "The lines that wrote the objects below static fields could not be found."
		if ctx.Err() != nil {
			note = "The lines that wrote the objects below static fields could not be found in time (--budget gives more)."
		}
		r.Notes = append(r.Notes, note)
		return
	}
	found.Written(again)
}

// woven returns what the tests leave in a run that is instrumented for lines.
func (w *worker) woven(ctx context.Context, p *module, opts job.PollutionOptions, tests suite.Order) (*state.Pollutions, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	rel, heaps, err := p.observed(ctx, w, tests, lookOf(opts, true))
	if err != nil {
		return nil, err
	}
	return state.Pollute(rel, heaps...), nil
}

// chosen returns the tests that are reported; nil: all.
func (w *worker) chosen(ctx context.Context, p *module, opts job.PollutionOptions, r *job.Report) (map[suite.TestID]bool, error) {
	out := map[suite.TestID]bool{}
	switch {
	case len(opts.Sources) > 0:
		return out, p.definedIn(opts.Sources, out)
	case len(w.job.Tests) == 0 && opts.ChangedSince == "":
		return nil, nil
	}
	tests, err := p.exactly(w.job.Tests)
	if err != nil {
		return nil, err
	}
	for _, t := range tests {
		out[t] = true
	}
	if opts.ChangedSince == "" {
		return out, nil
	}
	d := &detection{w: w, p: p, r: r, tests: p.suite, opts: job.DetectOptions{ChangedSince: opts.ChangedSince}}
	touched, err := d.touched(ctx)
	if err != nil {
		return nil, err
	}
	if len(w.job.Tests) > 0 {
		touched = slices.DeleteFunc(touched, func(t suite.TestID) bool { return !out[t] })
	}
	clear(out)
	for _, t := range touched {
		out[t] = true
	}
	return out, nil
}

// lookOf returns what is observed with these options. The run is exclusive, so that it need not be
// repeated: a second run would find what the first one left outside the process.
func lookOf(o job.PollutionOptions, lines bool) project.Look {
	return project.Look{
		Alone: true, Contents: true, Suite: true, Lines: lines, IncludeRoots: o.IncludeRoots, ExcludeRoots: o.ExcludeRoots,
		ExcludeFields: o.ExcludeFields, FileRoots: o.FileRoots, ClassLoading: o.ClassLoading,
	}
}
