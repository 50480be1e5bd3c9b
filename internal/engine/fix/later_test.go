package fix

import (
	"context"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Cleaners that are found later are in the report, and may help later causes.
func TestCleanersThatAreFoundLater(t *testing.T) {
	own, other := suite.Order{"c.C#cleans"}, suite.Order{"o.O#cleansOther"}
	for _, found := range [][]suite.Cleaner{{{Polluter: suite.Order{"p.P#p"}, Cleaner: own}}, nil} {
		m := &Repairing{s: session.New(job.Job{}, session.Options{}), r: &job.Report{Tests: []job.TestReport{{Test: "v.V#v"}}},
			lent: []suite.Order{other}}
		m.Clean = func(_ context.Context, test suite.TestID) (*diagnose.Result, error) {
			r := diagnose.TestResult{Test: test, Polluters: []suite.Order{{"p.P#p"}}, Cleaners: found, Notes: []string{"later"},
				Evidence: make([]suite.Answer, 4)}
			return &diagnose.Result{Tests: []diagnose.TestResult{r}}, nil
		}
		causes := []repair.Cause{
			{Cases: []repair.Case{{Test: "v.V#v"}}},
			{Cases: []repair.Case{{Test: "u.U#u"}, {Test: "w.W#w"}}, Helpers: []suite.Order{own}},
			{Cases: []repair.Case{{Test: "x.X#x"}}},
		}
		m.later(causes, []diagnose.TestResult{{Test: "v.V#v", CleanersLater: true}, {Test: "w.W#w", CleanersLater: true}, {Test: "x.X#x"}})
		if causes[0].Later == nil || causes[1].Later == nil || causes[2].Later != nil {
			t.Fatalf("searched later: %v, %v, %v", causes[0].Later != nil, causes[1].Later != nil, causes[2].Later != nil)
		}
		if again, err := causes[1].Later(t.Context()); err != nil || !slices.EqualFunc(again, []suite.Order{other}, slices.Equal) {
			t.Errorf("what is known already is found again: %v, %v", again, err)
		}
		helpers, err := causes[0].Later(t.Context())
		want, lent := []suite.Order{own}, 2
		if found == nil {
			want, lent = []suite.Order{other}, 1
		}
		r := m.r.Tests[0]
		if err != nil || !slices.EqualFunc(helpers, want, slices.Equal) || len(r.Cleaners) != len(found) || len(m.lent) != lent {
			t.Errorf("%v: helpers %v, %v; in the report %v; lent %v", found, helpers, err, r.Cleaners, m.lent)
		}
		if len(r.Evidence) != 4 || !slices.Equal(r.Notes, []string{"later"}) {
			t.Errorf("evidence %d, notes %q", len(r.Evidence), r.Notes)
		}
	}
}
