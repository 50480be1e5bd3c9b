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
		{Location: patch.VictimStart, Places: 1, All: true},
		{Location: patch.VictimBlockSetup, Places: 1},
		{Location: patch.Declaration, Places: 1},
		{Location: patch.Declaration, Places: 1, Pioneer: true},
		{Location: patch.Declaration, Places: 2, Context: true, All: true},
	} {
		text := w.Sentence(n)
		if text == "" || !KnownWhy(text, n) {
			t.Errorf("%+v: %q", w, text)
		}
		if KnownWhy(text+".", n) || KnownWhy("read: "+text, n) {
			t.Errorf("more than %q is known", text)
		}
	}
	if KnownWhy("one change fixes all failing tests of this cause: it is safe", n) {
		t.Error("a stranger's sentence is known")
	}
}
