package diagnose

import (
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// onceWorld refuses orders in which a test runs twice, or to whose class the order comes back.
func onceWorld() *world {
	w := newWorld()
	w.before = func(_ int, o suite.Order) error {
		seen, left := map[suite.TestID]bool{}, map[string]bool{}
		for i, t := range o {
			if i > 0 && junitid.Launched(o[i-1]) != junitid.Launched(t) {
				left[junitid.Launched(o[i-1])] = true
			}
			if seen[t] || left[junitid.Launched(t)] {
				return fmt.Errorf("%s runs again in %v", t, o)
			}
			seen[t] = true
		}
		return nil
	}
	w.fill("a", 3, 4)
	return w
}

// Where a process runs each test once, hints are cheap, and conclusions rest on new processes.
func TestProcessesThatRunTestsOnce(t *testing.T) {
	w := onceWorld()
	v := w.add("m.MTest#v", needs("x", 0))
	p := w.add("m.MTest#p", sets("x", 1))
	c := w.add("m.MTest#c", sets("x", 0))
	w.fill("z", 3, 4)
	r := w.only(t, Input{Failing: []suite.TestID{v}, Once: true})
	w.holds(t, r)
	if r.Verdict != suite.Victim || !slices.Equal(r.Polluters[0], suite.Order{p}) || len(r.Cleaners) != 1 || !slices.Equal(r.Cleaners[0].Cleaner, suite.Order{c}) {
		t.Errorf("%+v", r)
	}
	// Alone, after the polluter, and with the cleaner: three times each. The failing order, once.
	if n := w.price[suite.Fresh]; n > 10 {
		t.Errorf("%d new processes: %v", n, w.price)
	}
}

// Hints do not hide a failure that new processes show.
func TestWrongHints(t *testing.T) {
	w := onceWorld()
	v := w.add("m.MTest#v", func(p *proc) suite.Outcome { return passIf(p.vars["x"] == 0 || p.price != suite.Fresh) })
	p := w.add("m.MTest#p", sets("x", 1))
	r := w.only(t, Input{Failing: []suite.TestID{v}, Once: true})
	if r.Verdict != suite.Victim || !slices.Equal(r.Polluters[0], suite.Order{p}) {
		t.Errorf("%+v", r)
	}
}

// A test that no order changes is given up after new processes only.
func TestNoVerdictFromHints(t *testing.T) {
	w := onceWorld()
	after := 0
	v := w.add("m.MTest#v", func(p *proc) suite.Outcome {
		if p.price == suite.Fresh && p.vars["ran"] > 0 {
			after++
		}
		return suite.Pass
	})
	w.add("m.MTest#other", sets("ran", 1))
	r := w.only(t, Input{Failing: []suite.TestID{v}, Once: true})
	if r.Verdict != suite.NotReproduced || after == 0 {
		t.Errorf("%s after %d new processes with other tests: %s", r.Verdict, after, r.Reason)
	}
}
