package diagnose

import (
	"context"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// Reasons complete a sentence that begins with "it", whenever the diagnosis ends.
func TestReasonOfAnUnfinishedDiagnosis(t *testing.T) {
	for alone, want := range map[suite.Outcome]string{
		"":         "has not run alone often enough yet; the search ended before more could be found out",
		suite.Pass: "passes alone, and no order in which it fails was found; the search ended before more could be found out",
		suite.Fail: "fails alone, and no order in which it passes was found; the search ended before more could be found out",
	} {
		c := &failingTest{id: "a.B#c", alone: alone}
		(&session{}).abandon(c, context.DeadlineExceeded)
		if c.res.Verdict != suite.Undecided || c.res.Reason != want || !c.res.Unfinished {
			t.Errorf("alone %q: %s, %q, unfinished %v", alone, c.res.Verdict, c.res.Reason, c.res.Unfinished)
		}
	}
}

// TestOrdersThatPassedAreNamed checks that the report names the given order in which the test
// passed.
func TestOrdersThatPassedAreNamed(t *testing.T) {
	given := &tried{Seen: suite.Seen{Source: "order file o.txt", Order: suite.Order{"a.B#d", "a.B#c"}},
		first: map[suite.TestID]int{"a.B#c": 1}}
	c := &failingTest{id: "a.B#c", alone: suite.Pass, passing: given}
	(&session{runs: []*tried{given}}).abandon(c, context.DeadlineExceeded)
	if want := "passes alone and in order file o.txt, and no order in which it fails was found (1 order ran); " +
		"the search ended before more could be found out"; c.res.Reason != want {
		t.Errorf("%q, want %q", c.res.Reason, want)
	}
	for source, want := range map[string]string{"order file o.txt": ", order file o.txt among them", "another": ""} {
		s := &session{in: Input{Seen: []suite.Seen{{Source: source}}}}
		if got := s.amongThem(c, ", %s among them"); got != want {
			t.Errorf("given %s: %q, want %q", source, got, want)
		}
	}
	if got := (&session{in: Input{}}).amongThem(&failingTest{}, ", %s"); got != "" {
		t.Errorf("nothing passed, and %q", got)
	}
}
