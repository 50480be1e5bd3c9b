package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// passesAfter is a project whose last test passes only after some orders.
type passesAfter map[string]bool

func (s passesAfter) Run(_ context.Context, o suite.Order) (*suite.Run, error) {
	run := &suite.Run{Order: o}
	for i, t := range o {
		r := suite.Result{Test: t, Outcome: suite.Pass}
		if i == len(o)-1 && !s[o.Key()] {
			r.Outcome = suite.Fail
		}
		run.Results = append(run.Results, r)
	}
	return run, nil
}

func (s passesAfter) Alone() repair.Site { return s }
func (s passesAfter) Parallel() int      { return 1 }
func (s passesAfter) Close() error       { return nil }

// TestAttackGenuineFailure: a report calls a test that always fails a victim, or brittle, and its
// patch makes it pass. Nothing is proved, since the test passes in no order without the patch.
func TestAttackGenuineFailure(t *testing.T) {
	const own = suite.TestID("a.V#v")
	setter := suite.Order{"a.S#s"}
	alone, after := suite.Order{own}.Key(), suite.Join(setter, suite.Order{own}).Key()
	for name, c := range map[string]struct {
		of     job.TestReport
		passes passesAfter
		ok     bool
	}{
		"a victim":                {job.TestReport{Verdict: suite.Victim}, passesAfter{alone: true}, true},
		"called a victim":         {job.TestReport{Verdict: suite.Victim}, passesAfter{}, false},
		"a brittle":               {job.TestReport{Verdict: suite.Brittle, StateSetters: []suite.Order{setter}}, passesAfter{after: true}, true},
		"called brittle":          {job.TestReport{Verdict: suite.Brittle, StateSetters: []suite.Order{setter}}, passesAfter{}, false},
		"brittle without setters": {job.TestReport{Verdict: suite.Brittle}, passesAfter{alone: true}, false},
	} {
		c.of.Test = own
		v := &verifier{old: &job.Report{Tests: []job.TestReport{c.of}}}
		check, err := v.dependsOnOrder(t.Context(), c.passes, []suite.TestID{own})
		if err != nil || check.OK != c.ok || !c.ok && check.Detail == "" {
			t.Errorf("%s: %+v, %v", name, check, err)
		}
	}
}

// TestAttackOtherPolluter: a report says that a test failed only together with others, so that the
// polluter that it names would not be run again.
func TestAttackOtherPolluter(t *testing.T) {
	const own = suite.TestID("a.V#v")
	for polluter, ok := range map[suite.TestID]bool{"a.P#p": true, "a.Innocent#x": false} {
		r := &job.Report{Tests: []job.TestReport{{Test: own, Verdict: suite.Victim, Polluters: []suite.Order{{polluter}}}},
			Cohorts: []job.Cohort{{Tests: []suite.TestID{own}, Failing: suite.Order{"a.P#p", own, "a.Innocent#x"}}}}
		if err := (&verifier{old: r}).claims([]suite.TestID{own}); (err == nil) != ok {
			t.Errorf("%s: %v", polluter, err)
		}
	}
}

// cohortSite is a project in which a.P#p makes every test of class V fail, and a.G#g always fails.
type cohortSite struct{}

func (cohortSite) Run(_ context.Context, o suite.Order) (*suite.Run, error) {
	run, polluted := &suite.Run{Order: o}, false
	for _, t := range o {
		r := suite.Result{Test: t, Outcome: suite.Pass}
		polluted = polluted || t == "a.P#p"
		if t == "a.G#g" || polluted && strings.HasPrefix(string(t), "a.V#") {
			r.Outcome = suite.Fail
		}
		run.Results = append(run.Results, r)
	}
	return run, nil
}

func (s cohortSite) Alone() repair.Site { return s }
func (cohortSite) Parallel() int        { return 1 }
func (cohortSite) Close() error         { return nil }

// TestAttackCohort: a report says of many tests that they failed together in one order. That order
// does not show which test before them is the polluter, and only some of them run alone.
func TestAttackCohort(t *testing.T) {
	var victims suite.Order
	for i := range cohort.Sample + 2 {
		victims = append(victims, suite.TestID(fmt.Sprintf("a.V#v%d", i)))
	}
	genuine := suite.Join(victims, suite.Order{"a.G#g"})
	for name, c := range map[string]struct {
		tests, passing suite.Order
		polluter       suite.TestID
		own            bool // the first test has a failing order of its own
		order, after   bool // whether the checks hold
		runs           int
	}{
		"all are victims":              {victims, victims, "a.P#p", false, true, true, cohort.Sample + 1},
		"one has its own order":        {victims, victims, "a.P#p", true, true, true, cohort.Sample + 2},
		"an innocent test as polluter": {victims, victims, "a.X#x", false, true, false, cohort.Sample + 1},
		"a genuine failure beyond":     {genuine, genuine, "a.P#p", false, false, true, 1},
		"without an order that passes": {victims, nil, "a.P#p", false, true, true, cohort.Sample + 2},
		"a genuine failure not in it":  {genuine, victims, "a.P#p", false, false, true, cohort.Sample + 2},
		"an order that does not pass":  {victims, suite.Join(suite.Order{"a.P#p"}, victims), "a.P#p", false, false, true, 1},
	} {
		r := &job.Report{Cohorts: []job.Cohort{{Tests: c.tests, Failing: suite.Join(suite.Order{"a.X#x", "a.P#p"}, c.tests), Passing: c.passing}}}
		for _, id := range c.tests {
			r.Tests = append(r.Tests, job.TestReport{Test: id, Verdict: suite.Victim, Polluters: []suite.Order{{c.polluter}}})
		}
		if c.own {
			r.Tests[0].MinimalOrder = suite.Order{c.polluter, c.tests[0]}
		}
		v := &verifier{old: r}
		if err := v.claims(c.tests); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		order, err := v.dependsOnOrder(t.Context(), cohortSite{}, c.tests)
		if err != nil || order.OK != c.order || len(order.Orders) != c.runs {
			t.Errorf("%s: %v %v %s, %d runs", name, err, order.OK, order.Detail, len(order.Orders))
		}
		after, err := v.failAfterPolluters(t.Context(), cohortSite{}, c.tests)
		if err != nil || after.OK != c.after || c.own && len(after.Orders) > 0 {
			t.Errorf("%s: %v %v %s, %d runs", name, err, after.OK, after.Detail, len(after.Orders))
		}
	}
}

// TestKindOf: a report does not say whether statements reflect.
func TestKindOf(t *testing.T) {
	for name, c := range map[string]struct {
		made *patch.Made
		want string
	}{
		"of a helper":      {nil, job.FromHelper},
		"reset":            {&patch.Made{Statements: []string{"A.reset();"}}, job.FromReset},
		"known to reflect": {&patch.Made{Reflects: true, Statements: []string{"x();"}}, job.FromReflection},
		"with a blank":     {&patch.Made{Statements: []string{"f.setAccessible (true);"}}, job.FromReflection},
		"that looks up":    {&patch.Made{Statements: []string{`context.lookup("x").reset();`}}, job.FromReset},
		"that reflects":    {&patch.Made{Statements: []string{`A.class.getDeclaredField("x").setAccessible(true);`}}, job.FromReflection},
	} {
		if got := kindOf(c.made); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
