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

// Limits for naming the state between a polluter and its victims.
const (
	throughPart   = 6   // one part in this many of the time that is left
	throughTests  = 200 // tests of one cause that are observed; the others depend on the same state
	maxShares     = 4   // the largest number of causes among which the time is divided
	throughFields = 5   // fields named for one test
	// throughForeign is the largest number of fields of libraries that are named if there are no
	// others.
	throughForeign = 2
)

// explainState names the static state through which causes affect their tests: fields that the
// cause was seen to change and the test to read. Each cause takes one observed process, in which
// its tests run before it. State that cannot be observed is not named; this is no error.
func (w *worker) explainState(ctx context.Context, p *module, reports []job.TestReport, open int) {
	causes, order := byCause(reports)
	if len(order) == 0 {
		return
	}
	whole := ctx
	share := 1 + min(open, maxShares-1)
	ctx, cancel := context.WithTimeout(ctx, budget.Share(ctx, throughPart*share))
	defer cancel()
	left := budget.Share(whole, belowPart*share)
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

// forgetState forgets what is known of the state of a test.
func (w *worker) forgetState(t suite.TestID) {
	delete(w.ways, t)
	delete(w.elsewhere, t)
	delete(w.left, t)
	delete(w.changes, t)
	delete(w.again, t)
}

// tracedBefore observes the tests, and then their cause. If no process can run that order, it
// observes only the first test and the cause.
func (p *module) tracedBefore(ctx context.Context, tests []*job.TestReport, cause suite.TestID) (*state.Trace, error) {
	wanted := map[suite.TestID][]string{}
	for _, t := range tests {
		wanted[t.Test] = nil
	}
	one := tests[0].Test
	trace, err := p.traced(ctx, append(p.inOrder(wanted), cause))
	for _, o := range []suite.Order{{one, cause}, {cause, one}} {
		if _, ok := errors.AsType[*project.RefusedError](err); !ok {
			break
		}
		trace, err = p.traced(ctx, o)
	}
	return trace, err
}

// byCause groups the failing tests by their first polluter or state-setter, if this is a single
// test. It also returns these single tests in order.
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

// name records the fields that the cause was seen to change and that a test reads.
func (p *module) name(r *state.Relation, c suite.TestID, tests []*job.TestReport) {
	for _, t := range tests {
		if strength, names := r.Why(c, t.Test); strength == state.Changed || strength == state.Ambient {
			t.State = p.ownFields(names, c, t.Test)
		}
	}
}

// ownFields returns the fields that are useful to people: those of the project itself, by their
// origin. Libraries keep caches that every test fills and reads, so fields of libraries are only
// named if they are few and there are no others.
func (p *module) ownFields(fields []string, tests ...suite.TestID) []string {
	own := suite.Filter(fields, func(field string) bool {
		return slices.ContainsFunc(tests, func(t suite.TestID) bool { return p.origin(field, t) >= project.Own })
	})
	if len(own) == 0 && len(fields) <= throughForeign {
		own = fields
	}
	return own[:min(len(own), throughFields)]
}
