package templates

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestUndecided checks that tests about which nothing is certain are counted apart, and share one
// entry though different numbers of orders ran for them.
func TestUndecided(t *testing.T) {
	r := &job.Report{Tests: []job.TestReport{
		{Test: "a.A#victim", Verdict: suite.Victim, Reason: "passes alone, fails after P#p", Polluters: []suite.Order{{"P#p"}}},
		{Test: "a.A#x", Verdict: suite.Undecided, Reason: "passes alone, and no order in which it fails was found (1 order ran); the time ended"},
		{Test: "a.A#y", Verdict: suite.Undecided, Reason: "passes alone, and no order in which it fails was found (12 orders ran); the time ended"},
	}}
	got := Fix(r, Options{})
	for _, want := range []string{"3 failing tests, 1 cause: 1 order-dependent, 0 with a proved patch, 2 undecided.", "found; the time ended."} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "ran") || strings.Count(got, "●") != 2 {
		t.Errorf("not one entry:\n%s", got)
	}
	r.Tests = append(r.Tests, job.TestReport{Test: "a.A#fine", Verdict: suite.NotReproduced, Passes: true})
	if got, want := Fix(r, Options{}), "4 named tests, 1 of which passes here, 1 cause: 1 order-dependent, 0 with a proved patch, 2 undecided."; !strings.Contains(got, want) {
		t.Errorf("%q is missing in\n%s", want, got)
	}
}
