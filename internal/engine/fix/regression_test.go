package fix

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// A test is compared in an order in which it was seen to fail.
func TestFailingOrder(t *testing.T) {
	f := &fixing{r: &job.Report{Cohorts: []job.Cohort{
		{Tests: []suite.TestID{"v.V#other"}, Cause: suite.Order{"p.P#p"}, Failing: suite.Order{"p.P#p", "v.V#joint", "v.V#other"}},
		{Tests: []suite.TestID{"v.V#joint"}, Cause: suite.Order{"p.P#p"}, Failing: suite.Order{"a.A#a", "p.P#p", "v.V#joint", "v.V#other"}},
	}}}
	pair := []suite.Order{{"p.P#p", "v.V#joint"}}
	for name, c := range map[string]struct {
		of   repair.Case
		want suite.Order
	}{
		"an order of its own": {repair.Case{Test: "v.V#joint", Failing: pair}, pair[0]},
		"one that it shares":  {repair.Case{Test: "v.V#joint", Failing: pair, Joint: true}, suite.Order{"a.A#a", "p.P#p", "v.V#joint"}},
		"none that is known":  {repair.Case{Test: "v.V#unknown", Failing: pair, Joint: true}, nil},
	} {
		if got := f.failingOrder(repair.Cause{Cases: []repair.Case{c.of}}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := f.failingOrder(repair.Cause{}); got != nil {
		t.Errorf("without a test: %v", got)
	}
}
