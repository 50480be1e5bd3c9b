package repair

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// A cleaner's only statement makes the victims pass, and leaves a test's own data. A reset method
// restores what was there before, so it comes first, although the cleaner's patch is as short.
func TestExactRestoreBeforeAnotherTestsData(t *testing.T) {
	w, cause := uncleaned()
	own := suite.Order{"C#clean"}
	cause.Helpers = []suite.Order{own}
	w.scripts[own.Key()] = []Statement{{ID: "ownData", Role: "body"}}
	w.effects["ownData"] = w.effects["Registry.reset();"]
	f := &thinker{made: calls("Registry.reset();"), left: func(overlay string) int {
		if slices.Contains(w.edits[overlay].Keep, "ownData") {
			return 2
		}
		return 0
	}}
	all := candidates(t, w, cause, f)
	if best := all[0]; best.Edit.Made == nil || best.Left != 0 || best.Edit.Location != patch.PolluterTeardown {
		t.Fatalf("first: %s, which leaves %d", labels(best), best.Left)
	}
	for _, c := range all {
		if c.Edit.Made == nil && c.Left != 2 {
			t.Errorf("%s: the cleaner's statement counts as exact", labels(c))
		}
	}
	if n := len(all); n != 2 { // one location of each
		t.Errorf("%d candidates: a later location of a single statement restores no more than the first", n)
	}
	f.left = nil
	f.asked = 0
	if best := candidates(t, w, cause, f)[0]; best.Edit.Made != nil || f.asked > 0 {
		t.Errorf("without a difference the first patch is %s, after %d searches for others", labels(best), f.asked)
	}
}

// A new Spring context comes after every other patch that fixes as much, and does not end the
// search for one.
func TestNewContextComesLast(t *testing.T) {
	w, cause := uncleaned()
	f := &thinker{made: append(calls("Registry.other();"),
		patch.Made{Annotate: []string{patch.DirtiesContext}, Resets: "dirty"})}
	only := candidates(t, w, cause, f)
	if len(only) == 0 || !only[0].Edit.Made.RenewsContext() || only[0].Edit.At != "P#pollute" {
		t.Fatalf("nothing else helps: %+v", only)
	}
	two := []patch.Made{{Statements: []string{"Registry.open();", "Registry.reset();"}, Resets: "Registry.state"}}
	w.effects["Registry.reset();"] = w.effects["reset"]
	w.effects["Registry.open();"] = w.effects["open"]
	f.made = slices.Concat(calls("Registry.other();"), []patch.Made{{Annotate: []string{patch.DirtiesContext}, Resets: "dirty"}}, two)
	if best := candidates(t, w, cause, f)[0]; best.Edit.Made.RenewsContext() {
		t.Errorf("first: %s, although two statements restore the state", labels(best))
	}
}
