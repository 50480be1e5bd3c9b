package repair

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// armed is a world in which V#one fails only after both R#writes and S#arms. S#arms changes nothing
// that a statement could reset; Registry.reset() after it helps, too.
func armed() (*world, Cause) {
	w, cause := uncleaned()
	w.tests["R#writes"] = w.tests["P#pollute"]
	w.tests["S#arms"] = func(s map[string]bool) bool { s["armed"] = true; return true }
	w.tests["V#one"] = func(s map[string]bool) bool { return !s["dirty"] || !s["armed"] }
	both := suite.Order{"R#writes", "S#arms"}
	cause.Polluter = both
	cause.Cases = []Case{{Test: "V#one", Failing: []suite.Order{suite.Join(both, suite.Order{"V#one"})}}}
	return w, cause
}

// TestTheWriterCleansUp: of several polluters, the one that changes the state that matters cleans
// up, where that is known. Otherwise it is the last one. If the statements do not fit there, another
// polluter cleans up.
func TestTheWriterCleansUp(t *testing.T) {
	for _, c := range []struct {
		writers     suite.Order
		unfit, want suite.TestID
	}{
		{suite.Order{"R#writes"}, "", "R#writes"},
		{nil, "", "S#arms"},
		{suite.Order{"R#writes", "S#arms"}, "", "S#arms"},
		{suite.Order{"R#writes"}, "R#writes", "S#arms"},
	} {
		w, cause := armed()
		cause.Writers = c.writers
		w.unfit = func(e Edit) string {
			if e.At == c.unfit || e.Location.AtVictim() {
				return "the class cannot be edited"
			}
			return ""
		}
		got := candidates(t, w, cause, &thinker{made: calls("Registry.reset();")})
		if got[0].Edit.Location != patch.PolluterTeardown || got[0].Edit.At != c.want {
			t.Errorf("written by %v: %s at %s", c.writers, labels(got[0]), got[0].Edit.At)
		}
	}
}

// TestFurtherPollutersTogether: where two further polluters act only together and the last one cannot
// clean up, the other one does.
func TestFurtherPollutersTogether(t *testing.T) {
	for unfit, want := range map[suite.TestID][]suite.TestID{"": {"S#arms"}, "S#arms": {"R#writes"}} {
		w, cause := armed()
		w.tests["P#pollute"] = func(s map[string]bool) bool { s["dirty"], s["armed"] = true, true; return true }
		w.unfit = func(e Edit) string {
			if slices.Contains(e.spots(), unfit) {
				return "the class cannot be edited"
			}
			return ""
		}
		cause.Whole = []suite.Order{{"R#writes", "S#arms", "V#one"}}
		cause.Polluter = suite.Order{"P#pollute"}
		cause.Cases[0].Failing = []suite.Order{{"P#pollute", "V#one"}}
		best := candidates(t, w, cause, &thinker{made: calls("Registry.reset();")})[0]
		if best.Edit.At != "P#pollute" || !slices.Equal(best.Edit.Also, want) || len(best.Fixes) != 1 {
			t.Errorf("without %q: %s at %v, fixes %v", unfit, labels(best), best.Edit.spots(), best.Fixes)
		}
	}
}
