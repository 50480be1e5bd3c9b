package diagnose

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

func TestCrashingCleanersAreSkippedInProbing(t *testing.T) {
	w := newWorld()
	p := w.add("b.PollTest#p", sets("x", 1))
	v := w.add("b.PollTest#v", needs("x", 0))
	for _, id := range []suite.TestID{"b.PollTest#resetOne", "b.PollTest#resetTwo", "b.PollTest#resetThree"} {
		w.add(id, crashes("exit"))
	}
	c := w.add("b.PollTest#resetX", sets("x", 0))
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(suite.Order{p, v})})
	expect(t, r, suite.Victim)
	if len(r.Cleaners) != 1 || r.Cleaners[0].Cleaner[0] != c {
		t.Errorf("cleaners %v", r.Cleaners)
	}
}

func TestVictimThatCleansUpItself(t *testing.T) {
	w := newWorld()
	w.fill("a", 4, 5)
	p := w.add("b.PollTest#p", sets("x", 1))
	v := w.add("c.VictimTest#v", func(p *proc) suite.Outcome {
		out := passIf(p.vars["x"] == 0)
		p.vars["x"] = 0
		return out
	})
	w.fill("d", 4, 5)
	c1 := w.add("e.CleanTest#one", sets("x", 0))
	c2 := w.add("e.CleanTest#two", sets("x", 0))
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
	expect(t, r, suite.Victim, names(suite.Order{p}))
	var got, likely suite.Order
	for _, x := range r.Cleaners {
		got = append(got, x.Cleaner...)
	}
	for _, x := range r.Likely {
		likely = append(likely, x.Cleaner...)
	}
	if !slices.Equal(got, suite.Order{c1}) || !slices.Equal(likely, suite.Order{c2, v}) {
		t.Errorf("cleaners %v, likely ones %v", got, likely)
	}
	if r.Cost.Questions[suite.Batched] > 4 {
		t.Errorf("%d probing processes for 42 tests", r.Cost.Questions[suite.Batched])
	}
	w.holds(t, r)
}

func TestVictimThatCannotBeProbed(t *testing.T) {
	// The victim passes if it ran before, so repeats show nothing.
	w := newWorld()
	w.fill("a", 4, 5)
	w.add("b.PollTest#p", sets("x", 1))
	v := w.add("c.VictimTest#v", func(p *proc) suite.Outcome {
		out := passIf(p.vars["x"] == 0 || p.vars["ran"] == 1)
		p.vars["ran"] = 1
		return out
	})
	w.fill("d", 4, 5)
	c := w.add("z.LastTest#notEasilyGuessed", sets("x", 0))
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
	expect(t, r, suite.Victim)
	if !slices.ContainsFunc(r.Cleaners, func(x suite.Cleaner) bool { return slices.Equal(x.Cleaner, suite.Order{c}) }) {
		t.Errorf("cleaners %v", r.Cleaners)
	}
	w.holds(t, r)
}

func TestClassSetupIsNoCleaner(t *testing.T) {
	// Entering the class restores x, so any other class in between seems to clean.
	w := newWorld()
	w.fill("a", 4, 3)
	p := w.add("b.OneTest#p", sets("x", 1))
	v := w.add("b.OneTest#v", needs("x", 0))
	c := w.add("b.OneTest#putsRight", sets("x", 0))
	w.fill("c", 4, 3)
	w.setup = map[string]func(*proc){"b.OneTest": func(p *proc) { p.vars["x"] = 0 }}
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
	expect(t, r, suite.Victim, "OneTest#p")
	if len(r.Cleaners) != 1 || !slices.Equal(r.Cleaners[0].Cleaner, suite.Order{c}) || !slices.Equal(r.Polluters[0], suite.Order{p}) {
		t.Errorf("cleaners %v", r.Cleaners)
	}
	if !strings.Contains(strings.Join(r.Notes, " "), "entering it again") {
		t.Errorf("notes %q", r.Notes)
	}
	if r.Cost.Total() > 40 {
		t.Errorf("%d questions", r.Cost.Total())
	}
}

func TestSlowVictimIsObservedSeldom(t *testing.T) {
	w := newWorld()
	w.fill("a", 30, 10)
	w.add("b.PollTest#p", sets("x", 1))
	ran := 0
	v := w.add("c.SlowTest#v", func(p *proc) suite.Outcome { ran++; return passIf(p.vars["x"] == 0) })
	w.nanos = map[suite.TestID]int64{v: int64(2 * time.Second)}
	w.fill("d", 30, 10)
	c := w.add("z.LastTest#notEasilyGuessed", sets("x", 0))
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
	expect(t, r, suite.Victim)
	if len(r.Cleaners) == 0 || !slices.Equal(r.Cleaners[0].Cleaner, suite.Order{c}) {
		t.Errorf("cleaners %v", r.Cleaners)
	}
	if ran > 120 {
		t.Errorf("the victim ran %d times", ran)
	}
}

func TestCleanersThatWorkOnlyTogether(t *testing.T) {
	w := newWorld()
	c1 := w.add("a.CleanTest#first", func(p *proc) suite.Outcome {
		if p.vars["x"] == 1 {
			p.vars["x"] = 2
		}
		return suite.Pass
	})
	w.fill("b", 3, 3)
	c2 := w.add("c.CleanTest#second", func(p *proc) suite.Outcome {
		if p.vars["x"] == 2 {
			p.vars["x"] = 0
		}
		return suite.Pass
	})
	p := w.add("d.PollTest#p", sets("x", 1))
	v := w.add("e.VictimTest#v", needs("x", 0))
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
	expect(t, r, suite.Victim)
	if len(r.Cleaners) != 1 || !slices.Equal(r.Cleaners[0].Cleaner, suite.Order{c1, c2}) ||
		!slices.Equal(r.Cleaners[0].Polluter, suite.Order{p}) {
		t.Errorf("cleaners %v", r.Cleaners)
	}
	w.holds(t, r)
}

func TestFindAll(t *testing.T) {
	w := newWorld()
	w.width = 2
	var polluters, cleaners []suite.TestID
	for _, cl := range []string{"a", "b", "c", "d", "e"} {
		w.fill(cl, 3, 4)
		polluters = append(polluters, w.add(suite.TestID(cl+".PollTest#p"), sets("x", 1)))
	}
	v := w.add("m.VictimTest#v", needs("x", 0))
	polluters = append(polluters, w.add("m.VictimTest#behind", sets("x", 1)))
	for _, cl := range []string{"q", "r", "s", "t", "u"} {
		w.fill(cl, 3, 4)
		cleaners = append(cleaners, w.add(suite.TestID(cl+".CleanTest#c"), sets("x", 0)))
	}
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all), FindAll: true})
	expect(t, r, suite.Victim)
	for _, p := range polluters {
		if !slices.ContainsFunc(r.Polluters, func(o suite.Order) bool { return slices.Equal(o, suite.Order{p}) }) {
			t.Errorf("polluter %s is missing", p)
		}
		for _, c := range cleaners {
			if !slices.ContainsFunc(r.Cleaners, func(x suite.Cleaner) bool { return x.Polluter[0] == p && x.Cleaner[0] == c }) {
				t.Errorf("cleaner %s of %s is missing", c, p)
			}
		}
	}
	if len(r.Polluters) != 6 || len(r.Cleaners) != 30 {
		t.Errorf("%d polluters, %d cleaners", len(r.Polluters), len(r.Cleaners))
	}
	w.holds(t, r)
	w.runs, w.ran = 0, 0
	clear(w.price)
	few := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
	if len(few.Polluters) != handful || len(few.Cleaners) > handful*handful {
		t.Errorf("without FindAll: %d polluters, %d cleaners", len(few.Polluters), len(few.Cleaners))
	}
}
