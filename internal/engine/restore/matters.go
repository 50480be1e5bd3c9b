package restore

import (
	"context"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/pool"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// causeSearch finds out which of the state that a cause leaves changed matters to its tests:
// restored, it makes them behave as they do alone. The result is confirmed (confirm, refute).
type causeSearch struct {
	*Search
	at      project.Observer
	cause   suite.Order
	answers *restoreAnswers
}

// findWhatMatters replaces the state observed between the cause and its tests by the state that is
// proved to matter. It handles tests that seem to depend on the same state together. The first of
// them represents the others.
func (x *Search) findWhatMatters(ctx context.Context, r *state.Relation, cause suite.Order, tests []*job.TestReport) error {
	at, err := x.p.Observer()
	if err != nil {
		return err
	}
	h := causeSearch{x, at, cause, newAnswers()}
	all := r.Leaves(cause)
	// A victim-brittle also fails directly after its polluter, because its state-setter has not
	// run.
	tests = slices.DeleteFunc(slices.Clone(tests), func(t *job.TestReport) bool { return t.Verdict == suite.VictimBrittle })
	for len(tests) > 0 {
		_, likely := r.Why(cause, tests[0].Test)
		var same, others []*job.TestReport
		for _, t := range tests {
			if _, names := r.Why(cause, t.Test); slices.Equal(names, likely) && t.Verdict == tests[0].Verdict {
				same = append(same, t)
			} else {
				others = append(others, t)
			}
		}
		if err := h.group(ctx, same, likely, all); err != nil {
			return err
		}
		tests = others
	}
	return nil
}

// eachTried is how many tests with the same likely state are tried on their own.
const eachTried = 8

// group handles tests with the same likely state.
func (h causeSearch) group(ctx context.Context, tests []*job.TestReport, likely, all []string) error {
	tried := &state.Tried{}
	undo := tried.Watch(h.undo(tests[0]))
	fields, answer, err := state.Matters(ctx, undo, h.ownFirst(likely, h.with(tests[0].Test)...), all, h.p.Parallel())
	if err == nil && answer != state.Helps {
		seen := len(all)
		if all, err = h.leaves(ctx, tests[0].Test, all); err == nil && len(all) > seen {
			fields, answer, err = state.Matters(ctx, undo, nil, all, h.p.Parallel())
		}
	}
	h.s.Log.Info("which state matters", zap.Any("cause", h.cause), zap.Int("tests", len(tests)), zap.Int("likely", len(likely)),
		zap.Int("all", len(all)), zap.Strings("found", fields), zap.Int8("answer", int8(answer)), zap.Error(err))
	if err != nil {
		if t := tests[0]; answer == state.Helps && len(fields) > 0 { // the time was not enough for fewer; with these, it helped once
			t.State, h.known(t.Test).ways = h.ownFirst(fields, h.with(t.Test)...), fields
		} else {
			h.withoutEffect(tests, all, tried, ctx.Err() != nil)
		}
		return err
	}
	switch answer {
	case state.Helps:
		return h.confirm(ctx, tests, fields)
	case state.HelpsNot:
		return h.refute(ctx, tests[:min(len(tests), eachTried)], all)
	}
	h.withoutEffect(tests, all, tried, false)
	var left []string
	looked := false // for the files that the cause leaves
	for i, t := range tests {
		if i < eachTried {
			if found, err := h.byInitialisation(ctx, t); err != nil {
				return err
			} else if found {
				continue
			}
		}
		note := h.answers.whyNotRestored(h.ownFields(likely, h.with(t.Test)...))
		if note == "" {
			note = h.whyUnknown(t.Test, all)
		}
		if len(all) == 0 {
			if !looked {
				left, looked = h.filesLeft(ctx, t.Test), true
			}
			h.known(t.Test).left = left
			h.known(t.Test).unseen = h.nothingSeen(t)
		}
		if note != "" {
			t.Notes = append(t.Notes, note)
		}
	}
	return nil
}

// with returns the cause and then the test.
func (h causeSearch) with(t suite.TestID) suite.Order { return suite.Join(h.cause, suite.Order{t}) }

// withoutEffect takes back state that was restored without effect, where no state was found that
// matters. State that was not tried may matter. timeOver says that it was not tried for lack of time.
func (h causeSearch) withoutEffect(tests []*job.TestReport, all []string, tried *state.Tried, timeOver bool) {
	for _, t := range tests {
		if h.setUpByClass(t.Test, all) && !h.p.About.SetUps {
			continue
		}
		known := h.known(t.Test)
		left := tried.Left(known.ways)
		if len(left) == 0 {
			left = tried.Left(all)
		}
		if len(left) > 0 {
			known.ways = left
		}
		if t.State = tried.Left(t.State); len(t.State) == 0 && len(all) > 0 && timeOver {
			t.Notes = append(t.Notes, h.notFoundOut(len(all), len(all)-len(tried.Left(all))))
		}
	}
}

// refute confirms, for each test, that the outcome after its cause stays the same if all the state
// is restored.
func (h causeSearch) refute(ctx context.Context, tests []*job.TestReport, all []string) error {
	for _, t := range tests {
		if h.setUpByClass(t.Test, all) {
			continue
		}
		for range confirmations - 1 {
			answer, err := h.undo(t)(ctx, all)
			if err != nil {
				return err
			}
			if answer != state.HelpsNot {
				return nil
			}
		}
		known := h.known(t.Test)
		t.State = nil
		known.ways, known.elsewhere, known.left = nil, true, h.filesLeft(ctx, t.Test)
		found, err := false, error(nil)
		if portInUse(t.Failure) == "" {
			found, err = h.byInitialisation(ctx, t)
		}
		if !found {
			t.Notes = append(t.Notes, h.elsewhere(t))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setUpByClass reports whether the test belongs to the class of the cause, and some of the state
// belongs to this class. A setup may have initialised that state once for all tests of the class.
// Restoring it undoes this setup, which does not run again. If restoring does not help in this
// case, no conclusion follows.
func (h causeSearch) setUpByClass(t suite.TestID, all []string) bool {
	return slices.ContainsFunc(h.cause, func(c suite.TestID) bool { return h.p.Groups.Unit(t) == h.p.Groups.Unit(c) }) &&
		slices.ContainsFunc(all, func(field string) bool { return h.origin(field, t) == project.OwnGroup })
}

// undo returns the function that runs one test with state restored.
func (h causeSearch) undo(t *job.TestReport) state.Undo {
	return func(ctx context.Context, fields []string) (state.Undone, error) {
		got, clear, err := h.ask(ctx, []*job.TestReport{t}, fields, true)
		switch {
		case err != nil:
			return state.Unclear, err
		case got[0] == alone(t) && !clear && allUnfinished(fields):
			return state.Unclear, nil // while one was waited for, another one ended
		case got[0] == alone(t):
			return state.Helps, nil
		case clear && got[0] == afterCause(t):
			return state.HelpsNot, nil
		}
		return state.Unclear, nil
	}
}

// allUnfinished reports whether the state is only what tests begin and do not wait for.
func allUnfinished(fields []string) bool {
	return !slices.ContainsFunc(fields, func(f string) bool { return !strings.HasPrefix(f, state.Unfinished) })
}

// leaves adds the state that the cause changes when it runs first. In the suite's order, an earlier
// test may have changed some of this state already.
func (h causeSearch) leaves(ctx context.Context, t suite.TestID, seen []string) ([]string, error) {
	trace, err := h.traced(ctx, h.with(t))
	if err != nil {
		return seen, err
	}
	return suite.AppendNew(slices.Clone(seen), state.Relate(trace).Leaves(h.cause)...), nil
}

// filesLeft returns the files that the cause leaves and the test does not. A file that both leave,
// such as a log, explains nothing; such files are returned only if there are no others.
func (h causeSearch) filesLeft(ctx context.Context, t suite.TestID) []string {
	left := func(o suite.Order) []string {
		files, err := h.at.FilesLeft(ctx, o)
		if err != nil {
			return nil
		}
		return files
	}
	files := left(h.cause)
	if len(files) == 0 {
		return nil
	}
	own := left(suite.Order{t})
	only := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return slices.Contains(own, f) })
	if len(only) == 0 {
		return files
	}
	again := left(h.cause) // a name that is made up for each run does not come again
	return slices.DeleteFunc(only, func(f string) bool { return !slices.Contains(again, f) })
}

// alone returns the outcome of the test if the cause does not run.
func alone(t *job.TestReport) suite.Outcome {
	if t.Verdict == suite.Brittle {
		return suite.Fail
	}
	return suite.Pass
}

// afterCause returns the outcome of the test after its cause.
func afterCause(t *job.TestReport) suite.Outcome {
	if t.Verdict == suite.Brittle {
		return suite.Pass
	}
	return suite.Fail
}

// ownFirst returns the fields, those of the project before those of libraries.
func (x *Search) ownFirst(fields []string, tests ...suite.TestID) []string {
	own := x.ownFields(fields, tests...)
	return append(slices.Clone(own), slices.DeleteFunc(slices.Clone(fields), func(p string) bool { return slices.Contains(own, p) })...)
}

// confirmations is the number of processes that confirm which fields matter. In the first process
// the fields are only recorded, and the tests must behave as after the cause; this excludes that
// early initialisation of their classes is what helps. In the others the fields are restored, and
// the tests must behave as alone. The result that restoring all fields does not help takes as many
// processes.
const confirmations = 3

// confirm runs all tests of the group again, in one process each time. If the group has one test
// only, the search has already run the same order, so one process less runs.
func (h causeSearch) confirm(ctx context.Context, tests []*job.TestReport, fields []string) error {
	tests = tests[:min(len(tests), throughTests)]
	said := make([][]suite.Outcome, confirmations)
	if len(tests) == 1 {
		said = said[1:]
	}
	asking := pool.New().WithContext(ctx).WithFirstError()
	for i := range said {
		asking.Go(func(ctx context.Context) (err error) {
			said[i], _, err = h.ask(ctx, tests, fields, i > 0)
			return err
		})
	}
	err := asking.Wait()
	if err != nil && ctx.Err() == nil {
		return err
	}
	for n, t := range tests {
		holds := true
		for i, got := range said {
			want := alone(t)
			if i == 0 {
				want = afterCause(t)
			}
			holds = holds && (got == nil || got[n] == want)
		}
		if err != nil { // the time was not enough to confirm it, but it helped once, and is by far the likeliest
			helped := n == 0 || slices.ContainsFunc(said[1:], func(got []suite.Outcome) bool { return got != nil })
			if holds && helped {
				t.State, h.known(t.Test).ways = h.ownFirst(fields, h.with(t.Test)...), fields
			}
			continue
		}
		if !holds && n == 0 && t.Verdict == suite.Victim && said[0][n] == alone(t) {
			if found, err := h.byInitialisation(ctx, t); err != nil {
				return err
			} else if found {
				continue // it is not what was restored that helps
			}
		}
		if holds {
			t.State, t.StateMatters, t.OtherLoader = fields, true, h.answers.onlyElsewhere(fields)
			h.known(t.Test).ways = fields // statements that restore these fields are enough
		}
	}
	return err
}

// ask runs the cause and then the tests. Between them, it restores the fields if back is set;
// otherwise the fields are only recorded. It returns the outcome of each test, and whether all
// fields have their earlier values.
func (h causeSearch) ask(ctx context.Context, tests []*job.TestReport, fields []string, back bool) ([]suite.Outcome, bool, error) {
	o := slices.Clone(h.cause)
	for _, t := range tests {
		o = append(o, t.Test)
	}
	before := 0
	if back {
		before = len(h.cause)
	}
	h.s.Say(job.Event{Test: tests[0].Test, Message: "looking for the state that matters"})
	run, restored, err := h.at.RunRestored(ctx, o, fields, before)
	if err != nil {
		return nil, false, err
	}
	if len(tests) > 1 && run.Crash == nil && run.At(0).Outcome == suite.Unresolved {
		return h.askEach(ctx, tests, fields, back) // no process can run them in this order
	}
	out := make([]suite.Outcome, len(tests))
	for i := range tests {
		out[i] = run.At(len(h.cause) + i).Outcome
	}
	problems := h.answers.of(restored)
	if len(problems) > 0 {
		h.s.Log.Debug("not restored", zap.String("fields", strings.Join(problems, "; ")))
	}
	return out, len(restored) > 0 && run.Crash == nil && len(problems) == 0, nil
}

// askEach is ask with a process for each test.
func (h causeSearch) askEach(ctx context.Context, tests []*job.TestReport, places []string, back bool) ([]suite.Outcome, bool, error) {
	var out []suite.Outcome
	all := true
	for i := range tests {
		one, clear, err := h.ask(ctx, tests[i:i+1], places, back)
		if err != nil {
			return nil, false, err
		}
		out, all = append(out, one...), all && clear
	}
	return out, all, nil
}
