package engine

import (
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

// Bounds of describing what exactly a cause leaves changed.
const (
	belowTime   = 60 * time.Second // for all causes, where the job has no end
	belowPart   = 12               // of the time that is left, one in so many
	belowPlaces = 20               // looked below
	belowTold   = 10               // differences in the report of one test
)

// explainChanges says of a cause's tests what exactly it leaves changed in the places that are
// named, by one more process, in which the heap below these places is captured. Not to learn it in
// the time that is left is no error.
func (w *worker) explainChanges(ctx context.Context, p *module, cause suite.TestID, tests []*job.TestReport, left time.Duration) {
	var places []string
	add := func(some []string) {
		for _, place := range some {
			if !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
	}
	for _, t := range tests {
		add(t.State)
	}
	for _, t := range tests {
		add(w.ways[t.Test])
	}
	if len(places) == 0 || left <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	changes, err := p.differences(ctx, suite.Order{cause}, tests[0].Test, places[:min(belowPlaces, len(places))])
	if err != nil {
		w.log.Warn("what is below the state that matters", zap.Error(err))
		return
	}
	w.log.Info("what is below the state that matters", zap.String("cause", string(cause)), zap.Any("changes", changes))
	here := p.about.Local
	for _, t := range tests {
		w.changes[t.Test] = changes
		t.Changes = reportedChanges(changes, t.State, here)
	}
}

// differences are what the causes leave changed for the test after them in these places, in the
// order of the places.
func (p *module) differences(ctx context.Context, causes suite.Order, test suite.TestID, places []string) ([]state.Change, error) {
	at, err := p.observer()
	if err != nil {
		return nil, err
	}
	seen, err := at.Observe(ctx, suite.Join(causes, suite.Order{test}), project.Look{Contents: true, Fields: places})
	if err != nil {
		return nil, err
	}
	var out []state.Change
	for _, c := range causes {
		out = append(out, seen.Heap.Below(c, test, places)...)
	}
	return out, nil
}

// reportedChanges are the differences in these places as a report has them: without what is this
// machine's own.
func reportedChanges(changes []state.Change, places, here []string) []job.StateChange {
	var out []job.StateChange
	for _, place := range places {
		for _, c := range changes {
			if c.Field == place && !strings.HasSuffix(c.Path, " …") && len(out) < belowTold { // not what counts the rest
				out = append(out, job.StateChange{Field: c.Field, Path: withoutLocalPaths(c.Path, here),
					Before: withoutLocalPaths(c.Before, here),
					After:  withoutLocalPaths(c.After, here)})
			}
		}
	}
	return out
}
