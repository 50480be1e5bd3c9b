package engine

import (
	"strings"
	"testing"
	"time"
)

// The budget that the error names is enough for several runs, however short the first one was.
func TestTooSlowNamesABudget(t *testing.T) {
	for over, want := range map[time.Duration]string{
		25 * time.Second:  "--budget 10m.",
		309 * time.Second: "--budget 60m.",
	} {
		if e := tooSlow(3269, over); !strings.Contains(e.Hint, want) || e.Code != "budget" {
			t.Errorf("after %s: %s, %s", over, e.Message, e.Hint)
		}
	}
	e := tooSlow(3269, 309*time.Second)
	if want := "the time ended before the tests ran once: running all 3269 takes longer than 5m9s here"; e.Message != want {
		t.Errorf("%q", e.Message)
	}
}
