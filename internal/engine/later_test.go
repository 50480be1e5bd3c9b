package engine

import (
	"context"
	"slices"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Cleaners that are found later are in the report, and may help later causes.
func TestCleanersThatAreFoundLater(t *testing.T) {
	own, other := suite.Order{"c.C#cleans"}, suite.Order{"o.O#cleansOther"}
	for _, found := range [][]suite.Cleaner{{{Polluter: suite.Order{"p.P#p"}, Cleaner: own}}, nil} {
		m := &repairing{w: &worker{log: zap.NewNop(), report: func(job.Event) {}}, r: &job.Report{Tests: []job.TestReport{{Test: "v.V#v"}}},
			lent: []suite.Order{other}}
		m.clean = func(_ context.Context, test suite.TestID) (confirmed, likely []suite.Cleaner, err error) {
			return found, nil, nil
		}
		causes := []repair.Cause{
			{Cases: []repair.Case{{Test: "v.V#v"}}},
			{Cases: []repair.Case{{Test: "w.W#w"}}, Helpers: []suite.Order{other}},
			{Cases: []repair.Case{{Test: "x.X#x"}}},
		}
		m.later(causes, []diagnose.TestResult{{Test: "v.V#v", CleanersLater: true}, {Test: "w.W#w", CleanersLater: true}, {Test: "x.X#x"}})
		if causes[0].Later == nil || causes[1].Later != nil || causes[2].Later != nil {
			t.Fatalf("searched later: %v, %v, %v", causes[0].Later != nil, causes[1].Later != nil, causes[2].Later != nil)
		}
		helpers, err := causes[0].Later(t.Context())
		want, lent := []suite.Order{own}, 2
		if found == nil {
			want, lent = []suite.Order{other}, 1
		}
		if err != nil || !slices.EqualFunc(helpers, want, slices.Equal) || len(m.r.Tests[0].Cleaners) != len(found) || len(m.lent) != lent {
			t.Errorf("%v: helpers %v, %v; in the report %v; lent %v", found, helpers, err, m.r.Tests[0].Cleaners, m.lent)
		}
	}
}
