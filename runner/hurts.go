package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/pool"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// hurting finds out which of the state that a cause leaves changed matters to
// its tests: put back, it makes them fare as they do alone.
type hurting struct {
	at    *harness.Pool
	cause suite.TestID
	w     *worker
}

// hurts replaces what was only observed between the cause and its tests by what is
// proved to matter. Tests that were seen to depend on the same places are asked
// about together, by the first of them.
func (w *worker) hurts(ctx context.Context, at *harness.Pool, r *state.Relation, cause suite.TestID, tests []*job.TestReport) error {
	h := hurting{at, cause, w}
	all := r.Leaves(cause)
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

// group asks about tests with the same likely places.
func (h hurting) group(ctx context.Context, tests []*job.TestReport, likely, all []string) error {
	want := alone(tests[0])
	places, answer, err := state.Matters(ctx, func(ctx context.Context, places []string) (state.Undone, error) {
		got, clear, err := h.ask(ctx, tests[:1], places, true)
		switch {
		case err != nil:
			return state.Unclear, err
		case got[0] == want:
			return state.Helps, nil
		case !clear:
			return state.Unclear, nil
		}
		return state.HelpsNot, nil
	}, likely, all, h.at.Parallel())
	h.w.log.Info("which state matters", zap.String("cause", string(h.cause)), zap.Int("tests", len(tests)), zap.Int("likely", len(likely)),
		zap.Int("all", len(all)), zap.Strings("found", places), zap.Int8("answer", int8(answer)), zap.Error(err))
	if err != nil {
		return err
	}
	switch answer {
	case state.Helps:
		return h.confirm(ctx, tests, places, want)
	case state.HelpsNot:
		for _, t := range tests {
			t.State, h.w.ways[t.Test] = nil, nil
			t.Notes = append(t.Notes, elsewhere(h.cause, all))
		}
	}
	return nil
}

// elsewhere is said where nothing that was put back helped.
func elsewhere(cause suite.TestID, all []string) string {
	return fmt.Sprintf("Putting back all %d static fields and properties that %s was seen to change does not help: the tests depend on each other in another way, such as files, threads, or state that was not observed.", len(all), cause)
}

// alone is what becomes of the test where the cause does not run.
func alone(t *job.TestReport) suite.Outcome {
	if t.Verdict == job.Brittle {
		return suite.Fail
	}
	return suite.Pass
}

// confirmations are the processes that are asked last: in the first the places are only remembered, since
// initialising their classes early must not be what helps.
const confirmations = 3

// confirm asks all tests of the group again, in one process each time.
func (h hurting) confirm(ctx context.Context, tests []*job.TestReport, places []string, want suite.Outcome) error {
	tests = tests[:min(len(tests), throughTests)]
	var said [confirmations][]suite.Outcome
	asking := pool.New().WithContext(ctx).WithFirstError()
	for i := range said {
		asking.Go(func(ctx context.Context) (err error) {
			said[i], _, err = h.ask(ctx, tests, places, i > 0)
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		return err
	}
	for n, t := range tests {
		holds := true
		for i, got := range said {
			holds = holds && (got[n] == want) == (i > 0)
		}
		if holds {
			t.State, t.StateMatters = places, true
			h.w.ways[t.Test] = places // what resets them is enough
		}
	}
	return nil
}

// ask runs the cause and then the tests, in front of which the places are put
// back, or only remembered. It says what became of each test, and whether all places are as they were.
func (h hurting) ask(ctx context.Context, tests []*job.TestReport, places []string, back bool) ([]suite.Outcome, bool, error) {
	o := suite.Order{h.cause}
	for _, t := range tests {
		o = append(o, t.Test)
	}
	r := harness.Rewind{Places: places}
	if back {
		r.Before = 1
	}
	run, rewound, err := h.at.RewindRun(ctx, o, r)
	if err != nil {
		return nil, false, err
	}
	out := make([]suite.Outcome, len(tests))
	for i := range tests {
		out[i] = run.At(i + 1).Outcome
	}
	clear := len(rewound) > 0 && run.Crash == nil
	var problems []string
	for _, p := range rewound {
		if p.Problem != "" {
			clear, problems = false, append(problems, p.Place+": "+p.Problem)
		}
	}
	if len(problems) > 0 {
		h.w.log.Debug("not put back", zap.String("places", strings.Join(problems, "; ")))
	}
	return out, clear, nil
}
