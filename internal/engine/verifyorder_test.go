package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

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

// TestAttackCohort: a report says of tests that they failed together in an order that it chooses, so
// that they have no failing orders of their own. Each of them is run by itself with the cause that
// the report names, and without it.
func TestAttackCohort(t *testing.T) {
	type order = suite.Order
	many := func(class string) (all order) {
		for i := range 10 {
			all = append(all, suite.TestID(fmt.Sprintf("a.%s#%d", class, i)))
		}
		return all
	}
	victims, brittles := many("V"), many("B")
	p, x, s := order{"a.P#p"}, order{"a.X#x"}, order{"a.S#s"}
	for name, c := range map[string]struct {
		tests   order
		verdict suite.Verdict
		named   []order // polluters, or state-setters
		depend  bool
	}{
		"victims":                              {victims, suite.Victim, []order{p}, true},
		"brittles":                             {brittles, suite.Brittle, []order{s}, true},
		"an innocent test as polluter":         {victims, suite.Victim, []order{x}, false},
		"an innocent one beside the polluter":  {victims, suite.Victim, []order{p, x}, false},
		"a genuine failure as the last":        {suite.Join(victims, order{"a.G#g"}), suite.Victim, []order{p}, false},
		"a test of another cause as the last":  {suite.Join(victims, order{"a.X#y"}), suite.Victim, []order{p}, false},
		"brittle tests called victims":         {brittles, suite.Victim, []order{p}, false},
		"victims called brittle":               {victims, suite.Brittle, []order{x}, false},
		"a victim among brittles, as the last": {suite.Join(brittles, order{"a.V#v"}), suite.Brittle, []order{s}, false},
		"an innocent test as state-setter":     {brittles, suite.Brittle, []order{x}, false},
		"no state-setter":                      {brittles, suite.Brittle, nil, false},
	} {
		r := &job.Report{Cohorts: []job.Cohort{{Tests: c.tests, Failing: suite.Join(x, p, c.tests)}}}
		for _, id := range c.tests {
			of := job.TestReport{Test: id, Verdict: c.verdict, Polluters: c.named}
			if c.verdict == suite.Brittle {
				of.Polluters, of.StateSetters = nil, c.named
			}
			r.Tests = append(r.Tests, of)
		}
		v := &verifier{old: r}
		if err := v.claims(c.tests); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		checks, depend, err := v.dependOnOrder(t.Context(), cohortSite{}, c.tests)
		if err != nil || depend != c.depend || depend && len(checks[0].Orders)+len(checks[1].Orders) != 2*len(c.tests) {
			t.Errorf("%s: %v, %v, %+v", name, depend, err, checks)
		}
	}
}

// TestAttackItself: claims in which a test is part of a group with itself, or has no polluter though it
// needs one, are refused. A test that fails when it runs twice is its own polluter.
func TestAttackItself(t *testing.T) {
	const own, other = suite.TestID("a.V#v"), suite.TestID("a.X#x")
	for name, c := range map[string]struct {
		of job.TestReport
		ok bool
	}{
		"runs twice":           {job.TestReport{Verdict: suite.Victim, Polluters: []suite.Order{{own}}}, true},
		"twice, beside others": {job.TestReport{Verdict: suite.Victim, Polluters: []suite.Order{{own, other}}}, false},
		"its own state-setter": {job.TestReport{Verdict: suite.Brittle, StateSetters: []suite.Order{{own}}}, false},
		"without a polluter":   {job.TestReport{Verdict: suite.VictimBrittle, StateSetters: []suite.Order{{other}}}, false},
		"with one": {job.TestReport{Verdict: suite.VictimBrittle, StateSetters: []suite.Order{{other}},
			Polluters: []suite.Order{{"a.P#p"}}}, true},
	} {
		c.of.Test = own
		if err := (&verifier{old: &job.Report{Tests: []job.TestReport{c.of}}}).claims([]suite.TestID{own}); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
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
