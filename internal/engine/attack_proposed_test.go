package engine

import (
	"testing"

	"github.com/odfix/odfix/internal/patch"
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
