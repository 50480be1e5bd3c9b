package detection

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

// TestSearchTakesTheTimeOfRepairs: as long as nothing is found, nothing has to be repaired.
func TestSearchTakesTheTimeOfRepairs(t *testing.T) {
	began := time.Unix(0, 0)
	for name, c := range map[string]struct {
		fix   bool
		finds int
		want  time.Duration
	}{
		"detect":                    {false, 0, 80 * time.Second},
		"detect, found":             {false, 2, 80 * time.Second},
		"detect --fix":              {true, 0, 80 * time.Second},
		"detect --fix, found a few": {true, 1, 45 * time.Second},
	} {
		d := &detection{}
		d.opts.Fix = c.fix
		if got := d.searchUntil(began, 100*time.Second, c.finds).Sub(began); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
