package restore

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
	throughCauses = 8   // tests that are a cause together
	throughTests  = 200 // tests of one cause that are observed; the others depend on the same state
	maxShares     = 4   // the largest number of causes among which the time is divided
	throughFields = 5   // fields named for one test
	// throughForeign is the largest number of fields of libraries that are named if there are no
	// others.
	throughForeign = 2
)

// Explain names the static state through which causes affect their tests: fields that the
// cause was seen to change and the test to read. Each cause takes one observed process, in which
// its tests run before it. State that cannot be observed is not named; this is no error.
func (x *Search) Explain(ctx context.Context, reports []job.TestReport, open int) {
	causes := byCause(reports)
	if len(causes) == 0 {
		return
	}
	whole := ctx
	share := 1 + min(open, maxShares-1)
	ctx, cancel := context.WithTimeout(ctx, budget.Share(ctx, throughPart*share))
	defer cancel()
	left := budget.Share(whole, belowPart*share)
	for _, of := range causes {
		c, tests := of.cause, of.tests
		trace, err := x.tracedBefore(ctx, tests[:min(len(tests), throughTests)], c)
		if err != nil {
			x.s.Log.Warn("observing state", zap.Error(err))
			return
		}
		relation := state.Relate(trace)
		x.name(relation, c, tests)
		for _, t := range tests {
			x.known(t.Test).ways = relation.Ways(c, t.Test)
		}
		err = x.findWhatMatters(ctx, relation, c, tests)
		for _, t := range tests {
			if t.StateMatters {
				x.known(t.Test).setUp = x.p.About.SetUps && trace.SetUp(c, t.State)
				x.known(t.Test).writers = relation.Writers(t.State, c)
			}
		}
		began := time.Now()
		x.explainChanges(whole, c, tests, left)
		left -= time.Since(began)
		if err != nil {
			x.s.Log.Warn("which state matters", zap.Error(err))
			return
		}
	}
}

// tracedBefore observes the tests, and then their cause. If no process can run that order, it
// observes only the first test and the cause.
func (x *Search) tracedBefore(ctx context.Context, tests []*job.TestReport, cause suite.Order) (*state.Trace, error) {
	wanted := map[suite.TestID]bool{}
	for _, t := range tests {
		wanted[t.Test] = true
	}
	one := suite.Order{tests[0].Test}
	trace, err := x.traced(ctx, suite.Join(suite.Filter(x.p.Original, func(t suite.TestID) bool { return wanted[t] }), cause))
	for _, o := range []suite.Order{suite.Join(one, cause), suite.Join(cause, one)} {
		if _, ok := errors.AsType[*project.RefusedError](err); !ok {
			break
		}
		trace, err = x.traced(ctx, o)
	}
	return trace, err
}

// ofCause are the tests that have the same first cause: polluters or state-setters.
type ofCause struct {
	cause suite.Order
	tests []*job.TestReport
}

// byCause groups the failing tests by their first cause. A cause of more than throughCauses tests
// is left out: it is hardly the shortest.
func byCause(reports []job.TestReport) []ofCause {
	var out []ofCause
	for i := range reports {
		t := &reports[i]
		causes := t.Polluters
		if t.Verdict == suite.Brittle {
			causes = t.StateSetters
		}
		if !t.Verdict.OrderDependent() || len(causes) == 0 || len(causes[0]) > throughCauses ||
			slices.Contains(causes[0], t.Test) {
			continue
		}
		i := slices.IndexFunc(out, func(o ofCause) bool { return slices.Equal(o.cause, causes[0]) })
		if i < 0 {
			i = len(out)
			out = append(out, ofCause{cause: causes[0]})
		}
		out[i].tests = append(out[i].tests, t)
	}
	return out
}

// name records the fields that the cause was seen to change and that a test reads. Of several tests, one
// may restore what another one has changed, so that only what is proved to matter is named.
func (x *Search) name(r *state.Relation, c suite.Order, tests []*job.TestReport) {
	if len(c) > 1 {
		return
	}
	for _, t := range tests {
		if strength, names := r.Why(c, t.Test); strength == state.Changed || strength == state.Ambient {
			t.State = x.ownFields(names, suite.Join(c, suite.Order{t.Test})...)
		}
	}
}

// ownFields returns the fields that are useful to people: those of the project itself, by their
// origin, or else those that hold its objects. Libraries keep caches that every test fills and reads,
// so other fields of libraries are only named if they are few and there are no others.
func (x *Search) ownFields(fields []string, tests ...suite.TestID) []string {
	of := func(matches func(project.Origin) bool) []string {
		return suite.Filter(fields, func(field string) bool {
			return slices.ContainsFunc(tests, func(t suite.TestID) bool { return matches(x.origin(field, t)) })
		})
	}
	own := of(func(o project.Origin) bool { return o >= project.Own })
	if len(own) == 0 {
		own = of(func(o project.Origin) bool { return o == project.Container })
	}
	if len(own) == 0 && len(fields) <= throughForeign {
		own = fields
	}
	return own[:min(len(own), throughFields)]
}

// SameCause reports whether two reports of a test have the same first cause, as Explain sees it.
func SameCause(a, b job.TestReport) bool {
	same := func(a, b ofCause) bool { return slices.Equal(a.cause, b.cause) }
	return slices.EqualFunc(byCause([]job.TestReport{a}), byCause([]job.TestReport{b}), same)
}
