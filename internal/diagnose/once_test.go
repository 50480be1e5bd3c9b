package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// onceWorld refuses orders in which a test runs twice or a class runs in two parts.
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

// If a process runs each test once, hints are cheap, and conclusions rest on new processes.
func TestProcessesThatRunTestsOnce(t *testing.T) {
	w := onceWorld()
	v := w.add("m.MTest#v", needs("x", 0))
	p := w.add("m.MTest#p", sets("x", 1))
	c := w.add("m.MTest#c", sets("x", 0))
	w.fill("z", 3, 4)
	r := w.only(t, Input{Failing: []suite.TestID{v}, Once: true})
	w.holds(t, r)
	if r.Verdict != suite.Victim || !slices.Equal(r.Polluters[0], suite.Order{p}) || len(r.Cleaners) != 1 ||
		!slices.Equal(r.Cleaners[0].Cleaner, suite.Order{c}) {
		t.Errorf("%+v", r)
	}
	// The cost: alone, after the polluter, and with the cleaner, three times each, and the failing
	// order once.
	if n := w.price[suite.Fresh]; n > 10 {
		t.Errorf("%d new processes: %v", n, w.price)
	}
}

// A cause is confirmed in new processes only for tests that hints show to have it.
func TestHintsOfOtherCauses(t *testing.T) {
	w := onceWorld()
	var victims []suite.TestID
	for i := range 12 {
		x := fmt.Sprintf("x%d", i/2) // two victims of each polluter
		if i%2 == 0 {
			w.add(suite.TestID(fmt.Sprintf("m.MTest#p%02d", i)), sets(x, 1))
		}
		victims = append(victims, w.add(suite.TestID(fmt.Sprintf("m.MTest#v%02d", i)), needs(x, 0)))
	}
	got, err := Diagnose(t.Context(), w, Input{Groups: groups, Suite: w.suite(), Failing: victims, Once: true, NoCleaners: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range got.Tests {
		if p := fmt.Sprintf("m.MTest#p%02d", i/2*2); r.Verdict != suite.Victim || string(r.Polluters[0][0]) != p {
			t.Errorf("%s: %s, %s", r.Test, r.Verdict, r.Reason)
		}
		w.holds(t, r)
	}
	// Alone and after its polluter, each victim runs three times. They all fail in one long order.
	if n := w.price[suite.Fresh]; n > 6*len(victims)+1 {
		t.Errorf("%d new processes for %d victims: %v", n, len(victims), w.price)
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

// Hints of failures that do not exist make no verdict and appear in no order of a result.
func TestInventedFailures(t *testing.T) {
	for name, fails := range map[string]func(p *proc) bool{
		"directly after a test":         func(p *proc) bool { return p.vars["last"] == 1 },
		"after a test that ran first":   func(p *proc) bool { return p.vars["last"] == 1 && p.vars["ran"] == 1 },
		"after many tests":              func(p *proc) bool { return p.vars["ran"] > 3 },
		"after any test, but not alone": func(p *proc) bool { return p.vars["ran"] > 0 },
	} {
		t.Run(name, func(t *testing.T) {
			w := onceWorld()
			p := w.add("m.MTest#p", nil)
			v := w.add("m.MTest#v", nil)
			w.add("m.MTest#q", nil)
			w.fill("z", 3, 4)
			for _, id := range w.all {
				w.tests[id] = func(proc *proc) suite.Outcome {
					proc.vars["last"] = 0
					if id == p {
						proc.vars["last"] = 1
					}
					proc.vars["ran"]++
					return suite.Pass
				}
			}
			w.tests[v] = func(p *proc) suite.Outcome { return passIf(p.price == suite.Fresh || !fails(p)) }
			r := w.only(t, Input{Failing: []suite.TestID{v}, Once: true, Seen: seen(w.all)})
			if r.Verdict != suite.NotReproduced || r.FailingOrder != nil {
				t.Errorf("%s: %s; %+v", r.Verdict, r.Reason, r.FailingOrder)
			}
		})
	}
}

// Hints that are the opposite of the truth cost time only, and no note says that the test is flaky.
func TestOppositeHints(t *testing.T) {
	w := onceWorld()
	v := w.add("m.MTest#v", func(p *proc) suite.Outcome { return passIf((p.vars["x"] == 0) == (p.price == suite.Fresh)) })
	p := w.add("m.MTest#p", sets("x", 1))
	w.fill("z", 3, 4)
	r := w.only(t, Input{Failing: []suite.TestID{v}, Once: true})
	w.holds(t, r)
	if r.Verdict != suite.Victim || !slices.Equal(r.Polluters[0], suite.Order{p}) {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	if notes := strings.Join(r.Notes, "\n"); strings.Contains(notes, "passes and fails") || strings.Contains(notes, "sometimes") {
		t.Errorf("notes %q", r.Notes)
	}
}

// A diagnosis that ends early names no order in which only hints show the outcome.
func TestHintsOfAnUnfinishedDiagnosis(t *testing.T) {
	for limit := 1; limit < 40; limit++ {
		w := onceWorld()
		v := w.add("m.MTest#v", func(p *proc) suite.Outcome { return passIf(p.vars["ran"] == 0 || p.price != suite.Fresh) })
		for _, id := range w.all {
			if id != v {
				w.tests[id] = sets("ran", 1)
			}
		}
		in := Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Once: true, MaxQuestions: limit}
		res, err := Diagnose(t.Context(), w, in)
		if err != nil {
			t.Fatal(err)
		}
		r := res.Tests[0]
		if r.PassingOrder != nil && w.ask(r.PassingOrder.Order) != suite.Pass {
			t.Errorf("limit %d: it fails in %s; %s", limit, r.PassingOrder.Source, r.Reason)
		}
		if strings.Contains(r.Reason, "passes alone and in") {
			t.Errorf("limit %d: %s", limit, r.Reason)
		}
	}
}

// The failing order of a victim-brittle is one in which it fails, not one in which only hints show
// a failure.
func TestHintsOfAVictimBrittle(t *testing.T) {
	w := onceWorld()
	setter := w.add("m.MTest#s", sets("s", 1))
	p := w.add("m.MTest#p", func(p *proc) suite.Outcome { p.vars["x"], p.vars["was"] = 1, 1; return suite.Pass })
	w.add("m.MTest#c", sets("x", 0))
	v := w.add("m.MTest#v", func(p *proc) suite.Outcome {
		return passIf(p.vars["s"] == 1 && p.vars["x"] == 0 && (p.vars["was"] == 0 || p.price == suite.Fresh))
	})
	r := w.only(t, Input{Failing: []suite.TestID{v}, Once: true})
	w.holds(t, r)
	if r.Verdict != suite.VictimBrittle || !slices.Equal(r.StateSetters[0], suite.Order{setter}) ||
		!slices.Equal(r.Polluters[0], suite.Order{p}) {
		t.Fatalf("%s: %s", r.Verdict, r.Reason)
	}
	if w.ask(r.FailingOrder.Order) != suite.Fail || w.ask(r.PassingOrder.Order) != suite.Pass {
		t.Errorf("failing order %+v, passing order %+v", r.FailingOrder, r.PassingOrder)
	}
}

// A test whose outcome no order changes is given up only after runs in new processes.
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
