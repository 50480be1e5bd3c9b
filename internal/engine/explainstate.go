package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Bounds of naming the state between a polluter and its victims.
const (
	throughTime   = 90 * time.Second // where the job has no end
	throughPart   = 6                // of the time that is left, one in so many
	throughTests  = 200              // of one cause that are observed; the others have the same state
	maxShares     = 4                // the time is divided among so many causes at most
	throughPlaces = 5                // named of one test
	// throughForeign is how many places of libraries alone are still worth naming.
	throughForeign = 2
)

// explainState names the static state by which causes reach their tests: what they were seen to
// leave changed, and those to read. Each cause takes one observed process, in which its tests run
// before it. What cannot be observed is not named, which is no error.
func (w *worker) explainState(ctx context.Context, p *module, reports []job.TestReport, open int) {
	causes, order := byCause(reports)
	if len(order) == 0 {
		return
	}
	whole := ctx
	share := 1 + min(open, maxShares-1)
	ctx, cancel := context.WithTimeout(ctx, budget.Share(ctx, throughTime, throughPart*share))
	defer cancel()
	left := budget.Share(whole, belowTime, belowPart*share)
	for _, c := range order {
		tests := causes[c]
		trace, err := p.tracedBefore(ctx, tests[:min(len(tests), throughTests)], c)
		if err != nil {
			w.log.Warn("observing state", zap.Error(err))
			return
		}
		relation := state.Relate(trace)
		p.name(relation, c, tests)
		for _, t := range tests {
			w.ways[t.Test] = relation.Ways(c, t.Test)
		}
		err = w.findWhatMatters(ctx, p, relation, c, tests)
		began := time.Now()
		w.explainChanges(whole, p, c, tests, left)
		left -= time.Since(began)
		if err != nil {
			w.log.Warn("which state matters", zap.Error(err))
			return
		}
	}
}

// tracedBefore observes the tests, and then their cause. Where no process can run that order, one test
// stands for all.
func (p *module) tracedBefore(ctx context.Context, tests []*job.TestReport, cause suite.TestID) (*state.Trace, error) {
	wanted := map[suite.TestID][]string{}
	for _, t := range tests {
		wanted[t.Test] = nil
	}
	one := tests[0].Test
	trace, err := p.traced(ctx, append(p.inOrder(wanted), cause))
	for _, o := range []suite.Order{{one, cause}, {cause, one}} {
		var refused *project.RefusedError
		if !errors.As(err, &refused) {
			break
		}
		trace, err = p.traced(ctx, o)
	}
	return trace, err
}

// byCause are the failing tests by their first polluter, or state-setter, where that is one test by
// itself, and those in their order.
func byCause(reports []job.TestReport) (map[suite.TestID][]*job.TestReport, suite.Order) {
	out, order := map[suite.TestID][]*job.TestReport{}, suite.Order(nil)
	for i := range reports {
		t := &reports[i]
		causes := t.Polluters
		if t.Verdict == suite.Brittle {
			causes = t.StateSetters
		}
		if !t.Verdict.OrderDependent() || len(causes) == 0 || len(causes[0]) != 1 || causes[0][0] == t.Test {
			continue
		}
		c := causes[0][0]
		if out[c] == nil {
			order = append(order, c)
		}
		out[c] = append(out[c], t)
	}
	return out, order
}

// name keeps what the cause was seen to leave changed that a test reads.
func (p *module) name(r *state.Relation, c suite.TestID, tests []*job.TestReport) {
	for _, t := range tests {
		if strength, names := r.Why(c, t.Test); strength == state.Changed || strength == state.Ambient {
			t.State = p.ownPlaces(names, c, t.Test)
		}
	}
}

// ownPlaces are the places that say something to people: those of the project itself, by their
// origin. Libraries keep caches that every test fills and reads; they are named only where they are
// few.
func (p *module) ownPlaces(places []string, tests ...suite.TestID) []string {
	var own []string
	for _, place := range places {
		if slices.ContainsFunc(tests, func(t suite.TestID) bool { return p.origin(place, t) >= project.Own }) {
			own = append(own, place)
		}
	}
	if len(own) == 0 && len(places) <= throughForeign {
		own = places
	}
	return own[:min(len(own), throughPlaces)]
}
