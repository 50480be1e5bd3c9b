package diagnose

import (
	"context"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// Reasons are read behind "it", whenever the examination ends.
func TestWhatIsSaidOfAnExaminationCutShort(t *testing.T) {
	for alone, want := range map[suite.Outcome]string{
		"":         "was not yet seen often enough by itself; the budget ended before more could be said",
		suite.Pass: "passes alone, and no order in which it fails was found; the budget ended before more could be said",
		suite.Fail: "fails alone, and no order in which it passes was found; the budget ended before more could be said",
	} {
		c := &patient{id: "a.B#c", alone: alone}
		c.abandon(context.DeadlineExceeded)
		if c.res.Verdict != Undecided || c.res.Reason != want || !c.res.Unfinished {
			t.Errorf("alone %q: %s, %q, unfinished %v", alone, c.res.Verdict, c.res.Reason, c.res.Unfinished)
		}
	}
}
