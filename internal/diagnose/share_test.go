package diagnose

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestTwoCauses checks that tests of another cause do not all run directly after the first cause.
// They passed after it together, and some of them directly after it, too. If one of these fails
// there, a test before it has cleaned, and all of them run.
func TestTwoCauses(t *testing.T) {
	for _, c := range []struct {
		name   string
		cleans bool
		most   int // tests that run directly after the first cause, besides its victim
		first  int // tests in the first delivery
	}{
		{"nobody cleans", false, maxPassing, 1},
		{"one cleans", true, 20, 21},
	} {
		w := newWorld()
		w.width = 2
		w.fill("a", 3, 3)
		first := w.add("b.PollTest#pollutes", sets("x", 1))
		failing := suite.Order{w.add("c.VictimTest#t", needs("x", 0))}
		other := w.add("d.OtherTest#pollutes", sets("y", 1))
		for i := range 20 {
			failing = append(failing, w.add(suite.TestID(fmt.Sprintf("v.V%02dTest#t", i)), func(p *proc) suite.Outcome {
				if c.cleans && i == 0 {
					defer func() { p.vars["x"] = 0 }()
				}
				return passIf(p.vars["y"] == 0 && (!c.cleans || p.vars["x"] == 0))
			}))
		}
		var mu sync.Mutex
		asked := map[suite.TestID]bool{}
		w.before = func(_ int, o suite.Order) error {
			mu.Lock()
			defer mu.Unlock()
			if len(o) == 2 && o[0] == first && o[1] != failing[0] {
				asked[o[1]] = true
			}
			return context.Cause(t.Context())
		}
		w.cohortWorld = true
		var delivered []int
		res := w.diagnose(t, Input{Groups: groups, Suite: w.suite(), Failing: failing, CleanersLater: true,
			Seen: seen(w.all), Explained: func(_ context.Context, sofar *Result) error {
				delivered = append(delivered, len(sofar.Tests))
				return nil
			}})
		if len(delivered) == 0 || delivered[0] != c.first {
			t.Errorf("%s: %d tests in deliveries, want %d in the first", c.name, delivered, c.first)
		}
		for _, r := range res.Tests {
			if r.Verdict != suite.Victim {
				t.Errorf("%s: %s is %s: %s", c.name, r.Test, r.Verdict, r.Reason)
			}
		}
		by := suite.Order{other}
		if c.cleans {
			by = suite.Order{first}
		}
		if r := res.Tests[20]; !slices.Equal(r.Polluters[0], by) {
			t.Errorf("%s: %s is a victim of %v", c.name, r.Test, r.Polluters)
		}
		if n := len(asked); n > c.most {
			t.Errorf("%s: %d tests ran directly after %s, want at most %d", c.name, n, first, c.most)
		}
	}
}
