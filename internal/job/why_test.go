package job

import (
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// TestKnownWhy checks that sentences on patches are known, and no others.
func TestKnownWhy(t *testing.T) {
	n := suite.Nouns{Group: "class", Groups: "classes"}
	for _, w := range []Why{
		{Location: patch.PolluterTeardown, Places: 1},
		{Location: patch.PolluterTeardown, Places: 4, Reflects: true},
		{Location: patch.PolluterEnd, Places: 2, All: true},
		{Location: patch.VictimSetup, Places: 1, Brittle: true},
		{Location: patch.VictimSetup, Places: 2, Brittle: true, All: true, Others: true},
		{Location: patch.VictimSetupStart, Places: 1, Brittle: true},
		{Location: patch.VictimSetupStart, Places: 2, Brittle: true, All: true},
		{Location: patch.VictimStart, Places: 1, All: true},
		{Location: patch.VictimBlockSetup, Places: 1},
		{Location: patch.Declaration, Places: 1},
		{Location: patch.Declaration, Places: 1, Pioneer: true},
		{Location: patch.Declaration, Places: 2, Context: true, All: true},
	} {
		p := Patch{Why: w.Sentence(n), Location: w.Location, Also: make([]suite.TestID, w.Places-1), Fixes: []suite.TestID{"a", "b"}}
		switch {
		case w.Pioneer:
			p.Made = &patch.Made{Annotate: []string{"@RestoreSystemProperties"}}
		case w.Context:
			p.Made = &patch.Made{Annotate: []string{patch.DirtiesContext}}
		}
		if p.Why == "" || !KnownWhy(&p, n) {
			t.Errorf("%+v: %q", w, p.Why)
		}
		for name, change := range map[string]func(*Patch){
			"more words":       func(p *Patch) { p.Why += "." },
			"words before":     func(p *Patch) { p.Why = "read: " + p.Why },
			"another location": func(p *Patch) { p.Location = patch.PolluterTeardown + "?" },
			"more places":      func(p *Patch) { p.Also = make([]suite.TestID, 9) },
			"fewer tests":      func(p *Patch) { p.Fixes = p.Fixes[:1] },
			"no annotation":    func(p *Patch) { p.Made = nil },
		} {
			q := p
			same := name == "fewer tests" && !w.All || name == "no annotation" && p.Made == nil
			if change(&q); KnownWhy(&q, n) != same {
				t.Errorf("%+v, %s: %q, %v", w, name, q.Why, !same)
			}
		}
	}
}
