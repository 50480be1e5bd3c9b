package proof

import (
	"context"
	"reflect"
	"testing"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
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
		check, err := v.passInAnOrder(t.Context(), c.passes, []suite.TestID{own})
		if err != nil || check.OK != c.ok || !c.ok && check.Detail == "" {
			t.Errorf("%s: %+v, %v", name, check, err)
		}
	}
}

// TestAttackCohort: a report says of tests that they failed together in an order that it chooses, so
// that they have no failing orders of their own. The verifier proves each in orders of its own, with
// and without the patch.
func TestAttackCohort(t *testing.T) {
	const own, other = suite.TestID("a.V#v"), suite.TestID("a.X#x")
	group := []job.Cohort{{Tests: suite.Order{own}, Cause: suite.Order{other}, Failing: suite.Order{other, "a.P#p", own}, Passing: suite.Order{own}}}
	r := &job.Report{Tests: []job.TestReport{{Test: own, Verdict: suite.Victim, Polluters: []suite.Order{{other}}}}, Cohorts: group,
		Detection: &job.Detection{Cohorts: group}}
	v := &verifier{s: session.New(job.Job{}, session.Options{}), p: &session.Module{Lab: &session.Lab{Base: enginetest.StandIn{}}}, old: r}
	in := v.proofInput([]suite.TestID{own})
	if want := []suite.Order{{other, own}}; !reflect.DeepEqual(in.Minimal, want) || len(in.Shared) != 2 {
		t.Errorf("the orders %v, shared %v", in.Minimal, in.Shared)
	}
	if len(r.SharedOrders()) != 2 || len(apart(r).SharedOrders()) > 0 {
		t.Error("the report has lost its cohorts")
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
