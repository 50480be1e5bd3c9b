// Package pollution reports the state that tests leave changed. It names the tests that fail because
// of it, and the lines that write it.
package pollution

import (
	"context"
	"maps"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Run reports the state that the tests leave changed, and the tests that fail because of it
// (PolDet: Gyori et al., ISSTA 2015).
func Run(ctx context.Context, s *session.Session, r *job.Report) error {
	p, err := s.Open(ctx, s.Job.Tests, r)
	if err != nil {
		return err
	}
	q := &inspection{s: s, p: p, r: r}
	if s.Job.Pollution != nil {
		q.opts = *s.Job.Pollution
	}
	if q.chosen, err = q.choose(ctx); err != nil {
		return err
	}
	if len(q.opts.Sources) > 0 && !slices.Contains(slices.Collect(maps.Values(q.chosen)), true) {
		r.Pollution, err = (&state.Pollutions{}).File() // no test is to be reported, so nothing runs
		return err
	}
	s.Enter(job.PhaseDetect)
	rel, heaps, err := q.observe(ctx)
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
	return q.judge(ctx, rel, found)
}

// inspection is one search for polluting tests.
type inspection struct {
	s      *session.Session
	p      *session.Module
	r      *job.Report
	opts   job.PollutionOptions
	chosen map[suite.TestID]bool // tests that are reported; nil: all
}

// judge finds the tests that fail because of the pollution found, and the origin of the pollution,
// and reports both.
func (q *inspection) judge(ctx context.Context, rel *state.Relation, found *state.Pollutions) (err error) {
	unwritten := found.Unwritten(q.chosen)
	if q.chosen != nil {
		found.Tests = slices.DeleteFunc(found.Tests, func(t state.Polluter) bool { return !q.chosen[t.Test] })
	}
	if !q.opts.NoProof {
		q.s.Enter(job.PhaseDiagnose)
		err = q.breaks(ctx, rel, found)
		q.lines(ctx, unwritten, found)
	}
	if ctx.Err() == nil && (q.opts.ChangedSince != "" || len(q.opts.Sources) > 0) {
		q.locate(ctx, found)
	}
	file, ferr := found.File()
	if ferr != nil {
		return ferr
	}
	q.r.Pollution = file
	for _, t := range found.Tests {
		for _, x := range t.Pollutes {
			q.r.NameTests(job.NameBy(q.p.Base.Syntax()), slices.Concat([]suite.TestID{t.Test}, x.Readers, x.Breaks)...)
		}
	}
	return err
}

// observe runs the suite observed. With eager class loading, it runs the suite once before
// that, to collect the classes to load.
func (q *inspection) observe(ctx context.Context) (*state.Relation, []*state.Heap, error) {
	opts := q.opts
	loading := []string{opts.ClassLoading}
	if opts.ClassLoading == "eager" {
		loading = []string{"collect", "eager"}
	}
	var rel *state.Relation
	var heaps []*state.Heap
	for _, how := range loading {
		opts.ClassLoading = how
		var err error
		if rel, heaps, err = q.p.Observed(ctx, q.s, q.p.Original, lookOf(opts, false)); err != nil {
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
func (q *inspection) lines(ctx context.Context, tests suite.Order, found *state.Pollutions) {
	if len(tests) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, budget.Share(ctx, linesPart))
	defer cancel()
	again, err := q.woven(ctx, tests)
	if err != nil {
		q.s.Log.Warn("looking for lines", zap.Error(err))
		note := "The lines that wrote the objects below static fields could not be found."
		if ctx.Err() != nil {
			note = "The lines that wrote the objects below static fields could not be found in time (--budget gives more)."
		}
		q.r.Notes = append(q.r.Notes, note)
		return
	}
	found.Written(again)
}

// woven returns what the tests leave in a run that is instrumented for lines.
func (q *inspection) woven(ctx context.Context, tests suite.Order) (*state.Pollutions, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	rel, heaps, err := q.p.Observed(ctx, q.s, tests, lookOf(q.opts, true))
	if err != nil {
		return nil, err
	}
	return state.Pollute(rel, heaps...), nil
}

// choose returns the tests that are reported; nil: all.
func (q *inspection) choose(ctx context.Context) (map[suite.TestID]bool, error) {
	out := map[suite.TestID]bool{}
	switch {
	case len(q.opts.Sources) > 0:
		return out, q.definedIn(out)
	case len(q.s.Job.Tests) == 0 && q.opts.ChangedSince == "":
		return nil, nil
	}
	tests, err := q.p.Exactly(q.s.Job.Tests)
	if err != nil {
		return nil, err
	}
	for _, t := range tests {
		out[t] = true
	}
	if q.opts.ChangedSince == "" {
		return out, nil
	}
	touched, notes, err := q.p.Touched(ctx, q.opts.ChangedSince, q.p.Suite.Order())
	if err != nil {
		return nil, err
	}
	q.r.Notes = append(q.r.Notes, notes...)
	if len(q.s.Job.Tests) > 0 {
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
