package fix

import (
	"testing"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/suite"
)

// What an early search found is used only for the verdict and the cause with which it began.
func TestEarlyStateFits(t *testing.T) {
	victim := diagnose.TestResult{Test: "v", Verdict: suite.Victim, Polluters: []suite.Order{{"p"}}}
	e := &earlyState{before: TestReport(victim)}
	more := victim
	more.Polluters = []suite.Order{{"p"}, {"q"}}
	other := victim
	other.Polluters = []suite.Order{{"q"}}
	brittle := diagnose.TestResult{Test: "v", Verdict: suite.Brittle, StateSetters: []suite.Order{{"p"}}}
	for i, c := range []struct {
		now  diagnose.TestResult
		fits bool
	}{{victim, true}, {more, true}, {other, false}, {brittle, false}} {
		if got := e.fits(TestReport(c.now)); got != c.fits {
			t.Errorf("%d: fits %v", i, got)
		}
	}
}
