package restore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Limits for describing what exactly a cause leaves changed.
const (
	belowPart     = 12 // one part in this many of the time that is left
	belowFields   = 20 // fields whose contents are compared
	belowReported = 10 // differences in the report of one test
)

// explainChanges adds to the reports of a cause's tests what exactly the cause leaves changed in
// the named fields. It runs one more process, which captures the objects that these fields lead to,
// and beside it another one, if a patch will be made from what both agree on (portable). If the time
// is not enough, nothing is added; this is no error.
func (x *Search) explainChanges(ctx context.Context, cause suite.Order, tests []*job.TestReport, left time.Duration) {
	var fields []string
	for _, t := range tests {
		fields = suite.AppendNew(fields, t.State...)
	}
	for _, t := range tests {
		fields = suite.AppendNew(fields, x.known(t.Test).ways...)
	}
	if len(fields) == 0 || left <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	fields = fields[:min(belowFields, len(fields))]
	again := make(chan []state.Change, 1)
	if x.s.Job.WantsResets() && x.p.Lab.Parallel() > 1 {
		go func() {
			second, err := x.differences(ctx, "", cause, tests[0].Test, fields)
			if err != nil {
				x.s.Log.Info("what is below the state that matters, once more", zap.Error(err))
			}
			again <- second
		}()
	} else {
		again <- nil
	}
	changes, err := x.differences(ctx, "", cause, tests[0].Test, fields)
	second := <-again
	if err != nil {
		x.s.Log.Warn("what is below the state that matters", zap.Error(err))
		return
	}
	x.s.Log.Info("what is below the state that matters", zap.Any("cause", cause), zap.Any("changes", changes))
	here := x.p.About.Local
	for _, t := range tests {
		x.known(t.Test).changes, x.known(t.Test).again = changes, second
		t.Changes = reportedChanges(changes, t.State, here)
		if t.Verdict == suite.Brittle {
			callsLast(t.Changes, t.State)
		}
	}
}

// differences returns what the causes together leave changed in these fields for the test after them,
// in the order of the fields, with or without a patch. What changes in containers is left out.
func (x *Search) differences(ctx context.Context, overlay string, causes suite.Order, test suite.TestID, fields []string) (
	[]state.Change, error) {
	fields = suite.Filter(fields, func(field string) bool { return x.origin(field, test) != project.Container })
	at, err := x.p.Observer()
	if err != nil || len(fields) == 0 {
		return nil, err
	}
	seen, err := at.Observe(ctx, suite.Join(causes, suite.Order{test}), project.Look{Contents: true, Fields: fields, Overlay: overlay})
	if err != nil {
		return nil, err
	}
	return seen.Heap.Below(causes, test, fields), nil
}

// reportedChanges returns the differences in these fields for a report, without paths of this
// machine.
func reportedChanges(changes []state.Change, fields, here []string) []job.StateChange {
	var out []job.StateChange
	for _, field := range fields {
		for _, c := range changes {
			// the path ends with " …" if it only counts further differences
			if c.Field == field && !strings.HasSuffix(c.Path, " …") && len(out) < belowReported {
				out = append(out, job.StateChange{Field: c.Field, Path: withoutLocalPaths(c.Path, here),
					Before: withoutLocalPaths(c.Before, here),
					After:  withoutLocalPaths(c.After, here)})
			}
		}
	}
	return out
}

// callsLast sorts the differences in each field: a brittle test rather needs what its state-setter
// tells a mock to answer than the calls that the mock has seen.
func callsLast(changes []job.StateChange, fields []string) {
	order := func(c job.StateChange) (int, int) {
		calls := 0
		if strings.HasSuffix(c.Path, state.MockCalls) {
			calls = 1
		}
		return slices.Index(fields, c.Field), calls
	}
	slices.SortStableFunc(changes, func(a, b job.StateChange) int {
		fieldA, callsA := order(a)
		fieldB, callsB := order(b)
		return cmp.Or(cmp.Compare(fieldA, fieldB), cmp.Compare(callsA, callsB))
	})
}
