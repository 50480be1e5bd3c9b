package accept

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestAttackShortestOrder: the shortest order is made of polluters and state-setters that the
// second runner runs before the test, too. Else the evidence and the command would name tests that
// nobody has tried.
func TestAttackShortestOrder(t *testing.T) {
	const own = suite.TestID("a.V#v")
	p1, p2, s := suite.Order{"a.P#1"}, suite.Order{"a.P#2", "a.P#3"}, suite.Order{"a.S#s"}
	victim := job.TestReport{Test: own, Verdict: suite.Victim, Polluters: []suite.Order{p1, p2}}
	brittle := job.TestReport{Test: own, Verdict: suite.Brittle, StateSetters: []suite.Order{s}}
	both := job.TestReport{Test: own, Verdict: suite.VictimBrittle, Polluters: []suite.Order{p1}, StateSetters: []suite.Order{s}}
	for name, c := range map[string]struct {
		of            job.TestReport
		claimed, want suite.Order
	}{
		"a polluter":           {victim, suite.Order{"a.P#1", own}, suite.Order{"a.P#1", own}},
		"the second polluter":  {victim, suite.Order{"a.P#2", "a.P#3", own}, suite.Order{"a.P#2", "a.P#3", own}},
		"another test":         {victim, suite.Order{"a.Harmless#x", own}, suite.Order{"a.P#1", own}},
		"more than a polluter": {victim, suite.Order{"a.Harmless#x", "a.P#1", own}, suite.Order{"a.P#1", own}},
		"a state-setter":       {brittle, suite.Order{"a.S#s", own}, suite.Order{"a.S#s", own}},
		"a brittle test alone": {brittle, suite.Order{own}, suite.Order{"a.S#s", own}},
		"both":                 {both, suite.Order{"a.S#s", "a.P#1", own}, suite.Order{"a.S#s", "a.P#1", own}},
		"both, alone":          {both, suite.Order{own}, suite.Order{"a.S#s", "a.P#1", own}},
		"both, and another":    {both, suite.Order{"a.Harmless#x", own}, suite.Order{"a.S#s", "a.P#1", own}},
		"a victim alone":       {victim, suite.Order{own}, suite.Order{"a.P#1", own}},
		"of a victim":          {job.TestReport{Test: own, Verdict: suite.Victim, Polluters: []suite.Order{p1}, StateSetters: []suite.Order{s}}, suite.Order{"a.S#s", own}, suite.Order{"a.P#1", own}},
		"no polluter":          {job.TestReport{Test: own, Verdict: suite.Victim, StateSetters: []suite.Order{s}}, suite.Order{own}, nil},
		"a genuine failure":    {job.TestReport{Test: own, Verdict: suite.Genuine}, suite.Order{"a.X#x", own}, suite.Order{"a.X#x", own}},
	} {
		if got := minimal(c.of, c.claimed); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestAttackExcept: statements are left out at tests of the patch only, and only those that the patch has.
func TestAttackExcept(t *testing.T) {
	a := &acceptor{}
	out := &job.Patch{At: "a.P#p", Also: suite.Order{"a.Q#q"}, StatementIDs: []string{"0.0", "0.1"}}
	got := a.except(&job.Patch{Except: map[suite.TestID][]string{"a.P#p": {"0.1", "0.7", "x\ny"}, "a.R#r": {"0.0"}, "": {"0.0"}, "a.Q#q": {}}}, out)
	if len(got) != 1 || !slices.Equal(got["a.P#p"], []string{"0.1"}) {
		t.Errorf("%v", got)
	}
	if got := a.except(&job.Patch{Except: map[suite.TestID][]string{"": {"0.0"}}}, &job.Patch{StatementIDs: []string{"0.0"}}); got != nil {
		t.Errorf("of no test: %v", got)
	}
}
