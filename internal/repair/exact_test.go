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
	f.left = nil
	f.asked = 0
	if best := candidates(t, w, cause, f)[0]; best.Edit.Made != nil || f.asked > 0 {
		t.Errorf("without a difference the first patch is %s, after %d searches for others", labels(best), f.asked)
	}
}
