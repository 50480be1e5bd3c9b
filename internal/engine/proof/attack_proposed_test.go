package proof

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// TestAttackPartsOfProposals: a patch consists of whole proposals. Each of its parts is in one of them,
// as it stands there.
func TestAttackPartsOfProposals(t *testing.T) {
	reset := patch.Import{Name: "reset", Module: "cart.js"}
	proposals := []patch.Made{
		{Resets: "cart", Statements: []string{"reset()"}, Imports: []patch.Import{reset}},
		{Resets: "mode", Fields: []string{"kept = mode"}, Statements: []string{"mode = kept"}, Reflects: true},
		{Resets: "flag", Statements: []string{"flag = 1"}},
	}
	for name, c := range map[string]struct {
		made   patch.Made
		resets string // "": refused
	}{
		"a whole one":          {proposals[0], "cart"},
		"two":                  {patch.Made{Resets: "anything", Statements: []string{"flag = 1", "reset()"}, Imports: proposals[0].Imports}, "cart, flag"},
		"another name":         {patch.Made{Statements: []string{"reset()"}, Imports: []patch.Import{{Name: "{ evil }", As: "reset", Module: "cart.js"}, reset}}, ""},
		"another module":       {patch.Made{Statements: []string{"reset()"}, Imports: []patch.Import{{Name: "reset", Module: "evil.js"}}}, ""},
		"without its import":   {patch.Made{Statements: []string{"reset()"}}, ""},
		"a field alone":        {patch.Made{Fields: []string{"kept = mode"}, Statements: []string{"flag = 1"}}, ""},
		"a statement alone":    {patch.Made{Statements: []string{"mode = kept"}}, ""},
		"a statement and code": {patch.Made{Statements: []string{"flag = 1", "evil()"}}, ""},
	} {
		parts := &partsOf{want: &c.made}
		for _, m := range proposals {
			parts.add(m)
		}
		if parts.whole() != (c.resets != "") {
			t.Errorf("%s: missing is %q", name, parts.missing())
		} else if got := parts.made(); c.resets != "" && got.Resets != c.resets {
			t.Errorf("%s: it restores %q", name, got.Resets)
		}
	}
}

// TestAttackManyCauses: only so many causes of a report are looked at, and none without tests.
func TestAttackManyCauses(t *testing.T) {
	none, q, s := suite.Order{}, suite.Order{"q"}, suite.Order{"s"}
	old := &job.Report{Tests: []job.TestReport{
		{Test: "other", Verdict: suite.Victim, Polluters: []suite.Order{q}},
		{Test: "v", Verdict: suite.Victim, Polluters: []suite.Order{q, none, s, q, q, q, q, q, q, q}},
		{Test: "b", Verdict: suite.Brittle, StateSetters: []suite.Order{none, s}},
		{Test: "e", Verdict: suite.Brittle, StateSetters: []suite.Order{none}},
	}}
	v := &verifier{old: old}
	got := v.causes(job.Patch{Fixes: suite.Order{"v"}, WidenedFor: []suite.Order{{"x", "w", "v"}, {"v"}, {"v", "other"}}})
	if len(got) != proposeCauses || !slices.Equal(got[0].Polluter, q) || !slices.Equal(got[1].Polluter, suite.Order{"w"}) || !slices.Equal(got[2].Polluter, s) {
		t.Errorf("%+v", got)
	}
	got = v.causes(job.Patch{Fixes: suite.Order{"b", "e"}})
	if len(got) != 1 || len(got[0].Helpers) != 1 || got[0].Cases[0].Test != "b" {
		t.Errorf("%+v", got)
	}
}
