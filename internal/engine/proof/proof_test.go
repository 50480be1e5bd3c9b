package proof

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

func TestWhyOf(t *testing.T) {
	for name, tt := range map[string]struct {
		cases, fixes, also []suite.TestID
		begins             string
		all                bool
	}{
		"one test":       {[]suite.TestID{"a#1"}, []suite.TestID{"a#1"}, nil, "the test that leaves the state changed cleans up", false},
		"all of a cause": {[]suite.TestID{"a#1", "a#2"}, []suite.TestID{"a#2", "a#1"}, nil, "one change fixes all", true},
		"and those of another": {[]suite.TestID{"a#1", "a#2"}, []suite.TestID{"a#1", "b#1", "a#2"},
			nil, "one change fixes all", true},
		"as many, but one is of another": {[]suite.TestID{"a#1", "a#2"}, []suite.TestID{"a#1", "b#1"}, nil,
			"the test that leaves the state changed cleans up", false},
		"all of a cause, in three places": {[]suite.TestID{"a#1", "a#2"}, []suite.TestID{"a#1", "a#2"}, []suite.TestID{"p#2", "p#3"},
			"the same statements at 3 tests fix all", true},
		"some of a cause, in three places": {[]suite.TestID{"a#1", "a#2"}, []suite.TestID{"a#1"}, []suite.TestID{"p#2", "p#3"},
			"the tests that leave the state changed clean up after themselves (the same statements at 3 tests)", false},
	} {
		c := &repair.Candidate{Fixes: tt.fixes, Edit: repair.Edit{Location: patch.PolluterEnd, Also: tt.also}}
		cause := repair.Cause{Polluter: suite.Order{"p#1"}}
		for _, id := range tt.cases {
			cause.Cases = append(cause.Cases, repair.Case{Test: id})
		}
		got := Why(c, cause, (*suite.Groups)(nil).Nouns())
		if !strings.HasPrefix(got, tt.begins) || strings.Contains(got, "all failing tests") != tt.all {
			t.Errorf("%s: %s", name, got)
		}
		p := &job.Patch{Why: got, Location: c.Edit.Location, Also: c.Edit.Also, Fixes: c.Fixes}
		if !job.KnownWhy(p, (*suite.Groups)(nil).Nouns()) {
			t.Errorf("the server does not know: %s", got)
		}
	}
}

// TestWhyOfABrittle: where nobody spoils anything, nobody is said to.
func TestWhyOfABrittle(t *testing.T) {
	c := &repair.Candidate{Fixes: suite.Order{"a#1"}, Edit: repair.Edit{Location: patch.VictimSetup, At: "a#1"}}
	cause := repair.Cause{Cases: []repair.Case{{Test: "a#1"}}}
	for _, polluter := range []suite.Order{nil, {"p#1"}} {
		cause.Polluter = polluter
		if got := Why(c, cause, (*suite.Groups)(nil).Nouns()); strings.Contains(got, "its own state") != (polluter != nil) {
			t.Errorf("polluter %v: %s", polluter, got)
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
		if got := Kind(c.made); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
