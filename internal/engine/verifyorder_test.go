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
		"with a false setter":     {job.TestReport{Verdict: suite.Brittle, StateSetters: []suite.Order{setter, {"a.X#x"}}}, passesAfter{after: true}, false},
	} {
		c.of.Test = own
		v := &verifier{old: &job.Report{Tests: []job.TestReport{c.of}}}
		checks, ok, err := v.dependOnOrder(t.Context(), c.passes, []suite.TestID{own})
		if err != nil || ok != c.ok || len(checks) != 1 || !c.ok && checks[0].Detail == "" {
			t.Errorf("%s: %+v, %v", name, checks, err)
		}
	}
}

// cohortSite is a project in which a.P#p makes every test of class V fail, a.S#s makes those of B pass,
// and a.G#g always fails.
type cohortSite struct{}

func (cohortSite) Run(_ context.Context, o suite.Order) (*suite.Run, error) {
	run, ran := &suite.Run{Order: o}, map[suite.TestID]bool{}
	for _, t := range o {
		r := suite.Result{Test: t, Outcome: suite.Pass}
		ran[t] = true
		class, _, _ := strings.Cut(string(t), "#")
		if t == "a.G#g" || class == "a.V" && ran["a.P#p"] || class == "a.B" && !ran["a.S#s"] {
			r.Outcome = suite.Fail
		}
		run.Results = append(run.Results, r)
	}
	return run, nil
}

func (s cohortSite) Alone() repair.Site { return s }
func (cohortSite) Parallel() int        { return 1 }
func (cohortSite) Close() error         { return nil }

// TestAttackCohort: a report says of tests that they failed together in one order, so that they have
// no failing orders of their own. The cohort's two orders must show the cause that the report names, and
// do so.
func TestAttackCohort(t *testing.T) {
	type order = suite.Order
	many := func(class string) (all order) {
		for i := range cohort.Sample + 2 {
			all = append(all, suite.TestID(fmt.Sprintf("a.%s#%d", class, i)))
		}
		return all
	}
	victims, brittles := many("V"), many("B")
	genuine := suite.Join(victims, order{"a.G#g"})
	p, x, s := order{"a.P#p"}, order{"a.X#x"}, order{"a.S#s"}
	for name, c := range map[string]struct {
		cohort  job.Cohort
		verdict suite.Verdict
		named   []order // polluters, or state-setters
		claims  bool    // whether the orders can show it
		depend  bool    // whether they do
		runs    int
	}{
		"victims":  {job.Cohort{Tests: victims, Cause: p, Failing: suite.Join(p, victims), Passing: victims}, suite.Victim, []order{p}, true, true, 1},
		"brittles": {job.Cohort{Tests: brittles, Cause: s, Failing: brittles, Passing: suite.Join(s, brittles)}, suite.Brittle, []order{s}, true, true, 1 + cohort.Sample},
		"an innocent test beside the polluter": {job.Cohort{Tests: victims, Cause: x, Failing: suite.Join(x, p, victims), Passing: victims},
			suite.Victim, []order{x}, false, false, 0},
		"an innocent test, and the polluter in both orders": {job.Cohort{Tests: victims, Cause: x, Failing: suite.Join(x, p, victims),
			Passing: suite.Join(p, victims)}, suite.Victim, []order{x}, true, false, 1},
		"another polluter than the cause": {job.Cohort{Tests: victims, Cause: p, Failing: suite.Join(p, victims), Passing: victims},
			suite.Victim, []order{x}, false, false, 0},
		"a further polluter":                    {job.Cohort{Tests: victims, Cause: p, Failing: suite.Join(p, victims), Passing: victims}, suite.Victim, []order{p, x}, false, false, 0},
		"the cause comes last":                  {job.Cohort{Tests: victims, Cause: p, Failing: suite.Join(victims, p), Passing: victims}, suite.Victim, []order{p}, false, false, 0},
		"no order that passes":                  {job.Cohort{Tests: victims, Cause: p, Failing: suite.Join(p, victims)}, suite.Victim, []order{p}, false, false, 0},
		"a genuine failure among them":          {job.Cohort{Tests: genuine, Cause: p, Failing: suite.Join(p, genuine), Passing: genuine}, suite.Victim, []order{p}, true, false, 1},
		"victims called brittle":                {job.Cohort{Tests: victims, Cause: x, Failing: suite.Join(p, victims), Passing: suite.Join(x, p, victims)}, suite.Brittle, []order{x}, true, false, 1},
		"victims, the polluter in one order":    {job.Cohort{Tests: victims, Cause: x, Failing: suite.Join(p, victims), Passing: suite.Join(x, victims)}, suite.Brittle, []order{x}, false, false, 0},
		"tests that always pass called brittle": {job.Cohort{Tests: victims, Cause: x, Failing: victims, Passing: suite.Join(x, victims)}, suite.Brittle, []order{x}, true, false, 2},
		"of both kinds":                         {job.Cohort{Tests: victims, Cause: p, Failing: suite.Join(p, victims), Passing: victims}, suite.VictimBrittle, []order{p}, false, false, 0},
	} {
		r := &job.Report{Cohorts: []job.Cohort{c.cohort}}
		for _, id := range c.cohort.Tests {
			of := job.TestReport{Test: id, Verdict: c.verdict, Polluters: c.named}
			if c.verdict == suite.Brittle {
				of.Polluters, of.StateSetters = nil, c.named
			}
			r.Tests = append(r.Tests, of)
		}
		v := &verifier{old: r}
		if err := v.claims(c.cohort.Tests); (err == nil) != c.claims {
			t.Errorf("%s: claims: %v", name, err)
		}
		if !c.claims {
			continue
		}
		checks, depend, err := v.dependOnOrder(t.Context(), cohortSite{}, c.cohort.Tests)
		runs := 0
		for _, check := range checks {
			runs += len(check.Orders)
		}
		if err != nil || depend != c.depend || runs != c.runs {
			t.Errorf("%s: %v, %v, %d runs, %+v", name, err, depend, runs, checks)
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
