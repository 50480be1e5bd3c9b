package detection

import (
	"errors"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// TestPlanOfPairs: pairs of other tests are left out, which is said; where there are only such,
// nothing is run.
func TestPlanOfPairs(t *testing.T) {
	tests, err := order.Sizes(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	ours, foreign := [2]suite.TestID{"g1.t2", "g2.t1"}, [2]suite.TestID{"g1.t1", "g3.t1"}
	for name, c := range map[string]struct {
		pairs [][2]suite.TestID
		held  int
		note  string
	}{
		"ours":  {[][2]suite.TestID{ours}, 1, ""},
		"both":  {[][2]suite.TestID{foreign, ours}, 1, "1 of the 2 pairs of --pairs are left out"},
		"other": {[][2]suite.TestID{foreign}, 0, ""},
	} {
		d := &detection{tests: tests, r: &job.Report{}, out: &job.Detection{},
			opts: job.DetectOptions{Technique: string(order.TechniqueTarget), Pairs: c.pairs}}
		plan, err := d.plan(t.Context())
		if c.held == 0 {
			var e *job.Error
			if !errors.As(err, &e) || e.Code != "bad-pairs" || !strings.Contains(e.Message, "g1.t1 and g3.t1") || e.Hint == "" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		held := 0
		for range plan.Pairs {
			held++
		}
		if err != nil || held != c.held || !strings.Contains(strings.Join(d.r.Notes, "\n"), c.note) ||
			len(d.r.Notes) > 0 != (c.note != "") {
			t.Errorf("%s: %v, %d pairs, notes %q", name, err, held, d.r.Notes)
		}
	}
}

// TestGuaranteesLeaveOutKeptOrders: nothing is claimed for tests of classes that keep their order.
func TestGuaranteesLeaveOutKeptOrders(t *testing.T) {
	kinds := []order.Kind{order.Groups, order.Siblings, order.Within, order.Given}
	n := junitid.Syntax{}.Nouns()
	for i, g := range guarantees(kinds, coverage{guided: true, kept: true}, n) {
		if excepts := strings.HasSuffix(g, ", except in classes that keep their order"); excepts != (kinds[i] != order.Groups) {
			t.Errorf("%s: %q", kinds[i], g)
		}
	}
	for _, g := range guarantees(kinds, coverage{guided: true}, n) {
		if strings.Contains(g, "except") {
			t.Errorf("no class keeps its order: %q", g)
		}
	}
}
