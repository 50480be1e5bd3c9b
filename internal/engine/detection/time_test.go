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

// TestSearchTakesTheTimeOfRepairs: as long as nothing is found, nothing has to be repaired. A repair
// meanwhile takes no time from the search, unless it takes long.
func TestSearchTakesTheTimeOfRepairs(t *testing.T) {
	for name, c := range map[string]struct {
		fix   bool
		finds int
		took  time.Duration
		want  time.Duration
	}{
		"detect":                          {false, 0, 0, 80 * time.Second},
		"detect, found":                   {false, 2, 0, 80 * time.Second},
		"detect --fix":                    {true, 0, 0, 80 * time.Second},
		"detect --fix, found a few":       {true, 1, 0, 45 * time.Second},
		"detect --fix, repaired one":      {true, 1, 10 * time.Second, 55 * time.Second},
		"detect --fix, repaired for long": {true, 1, time.Minute, 60 * time.Second},
	} {
		d := &detection{began: time.Unix(0, 0), all: 100 * time.Second}
		if c.fix {
			d.repairs = &repairs{took: c.took}
		}
		if got := d.searchUntil(c.finds).Sub(d.began); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
