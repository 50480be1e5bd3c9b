package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// polluted is a world with one polluter, one victim and one cleaner.
func polluted(width int) (w *world, p, v, c suite.TestID) {
	w = newWorld()
	w.width = width
	w.fill("a", 6, 5)
	p = w.add("b.PollTest#pollutes", sets("x", 1))
	w.fill("c", 6, 5)
	v = w.add("d.VictimTest#fails", needs("x", 0))
	c = w.add("e.CleanTest#clears", sets("x", 0))
	return w, p, v, c
}

func TestRepeatedAndUnknownFailingTests(t *testing.T) {
	w, _, v, _ := polluted(2)
	res := w.diagnose(t, Input{Failing: []suite.TestID{v, "no.SuchTest#x", v}, Seen: seen(w.all)})
	if len(res.Tests) != 2 {
		t.Fatalf("%d results, want 2", len(res.Tests))
	}
	expect(t, res.Tests[0], suite.Victim)
	expect(t, res.Tests[1], suite.Undecided, "not a test of this suite")
}

func TestSeenOrderWithoutTheVictimAndWithUnknownTests(t *testing.T) {
	w, p, v, _ := polluted(1)
	o := slices.DeleteFunc(slices.Clone(w.all), func(x suite.TestID) bool { return x == v })
	o = append(suite.Order{"old.GoneTest#x", "old.GoneTest#x", o[0]}, o...)
	res := w.diagnose(t, Input{Failing: []suite.TestID{v}, Seen: seen(o)})
	r := res.Tests[0]
	// With the victim after the cleaner it passes there; the original order shows it.
	expect(t, r, suite.Victim)
	if !slices.Equal(r.MinimalOrder, suite.Order{p, v}) {
		t.Errorf("minimal order %v", r.MinimalOrder)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "does not contain the test") {
		t.Errorf("notes %q", r.Notes)
	}
	if !strings.Contains(strings.Join(res.Notes, "\n"), "old.GoneTest#x") {
		t.Errorf("notes %q", res.Notes)
	}
}

// TestSeenOrdersOfOtherTests: a test that stands in one of the orders that were seen is not put into
// those of other tests.
func TestSeenOrdersOfOtherTests(t *testing.T) {
	w, p, v, _ := polluted(1)
	others := slices.DeleteFunc(slices.Clone(w.all), func(x suite.TestID) bool { return x == v })
	res := w.diagnose(t, Input{Failing: []suite.TestID{v}, Seen: []suite.Seen{
		{Source: "of others", Provenance: suite.Exact, Order: others},
		{Source: "its own", Provenance: suite.Exact, Order: suite.Order{p, v}},
	}})
	expect(t, res.Tests[0], suite.Victim)
	if len(res.Tests[0].Notes) > 0 || !slices.Equal(res.Tests[0].MinimalOrder, suite.Order{p, v}) {
		t.Errorf("%v, notes %q", res.Tests[0].MinimalOrder, res.Tests[0].Notes)
	}
}

func TestPartialOrderIsTriedOtherWays(t *testing.T) {
	w := newWorld()
	w.fill("a", 2, 3)
	v := w.add("b.OneTest#victim", needs("x", 0))
	p := w.add("b.OneTest#polluter", sets("x", 1))
	in := Input{Failing: []suite.TestID{v}, Seen: []suite.Seen{{Source: "surefire reports", Provenance: suite.Partial, Order: w.all}}}
	r := w.only(t, in)
	expect(t, r, suite.Victim, "OneTest#polluter")
	if r.FailingOrder == nil || !strings.HasPrefix(r.FailingOrder.Source, "surefire reports, ") ||
		r.FailingOrder.Provenance != suite.Inferred {
		t.Errorf("failing order %+v", r.FailingOrder)
	}
	if !slices.Equal(r.Polluters[0], suite.Order{p}) {
		t.Errorf("polluters %v", r.Polluters)
	}
}

func TestFailureIsFoundWithoutAnyOrder(t *testing.T) {
	// The polluter comes after the victim in the original order, and a cleaner
	// before it in the reverse one: only putting classes side by side shows it.
	w := newWorld()
	w.fill("a", 4, 3)
	v := w.add("b.VictimTest#v", needs("x", 0))
	w.add("b.VictimTest#w", sets("x", 0))
	w.fill("c", 4, 3)
	p := w.add("d.PollTest#p", sets("x", 1))
	w.fill("e", 4, 3)
	r := w.only(t, Input{Failing: []suite.TestID{v}})
	expect(t, r, suite.Victim, "PollTest#p")
	if !slices.Equal(r.Polluters[0], suite.Order{p}) || len(r.Cleaners) != 1 {
		t.Errorf("%+v", r)
	}
	w.holds(t, r)
}

func TestBudgetZeroAndSmallBudgets(t *testing.T) {
	w, _, v, _ := polluted(1)
	r, err := Diagnose(t.Context(), w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all),
		MaxQuestions: -1})
	if err != nil || !r.Unfinished || w.runs != 0 || r.Tests[0].Verdict != suite.Undecided || !r.Tests[0].Unfinished {
		t.Fatalf("%+v, %v, %d runs", r, err, w.runs)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r, err = Diagnose(ended, w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all)})
	if err != nil || !r.Unfinished || w.runs != 0 {
		t.Fatalf("%+v, %v, %d runs", r, err, w.runs)
	}
	full := w.diagnose(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)}).Cost.Total()
	for limit := 1; limit < full; limit++ {
		w, p, v, _ := polluted(1)
		res := w.diagnose(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all), MaxQuestions: limit})
		r := res.Tests[0]
		if w.runs > limit || !res.Unfinished {
			t.Errorf("limit %d: %d runs, unfinished %v", limit, w.runs, res.Unfinished)
		}
		switch r.Verdict {
		case suite.Undecided:
			if r.Reason == "" || !r.Unfinished {
				t.Errorf("limit %d: %+v", limit, r)
			}
			if o := r.MinimalOrder; o != nil && (o.Index(p) < 0 || w.ask(o) != suite.Fail) {
				t.Errorf("limit %d: best so far %v", limit, o)
			}
		case suite.Victim:
			w.holds(t, r)
		default:
			t.Errorf("limit %d: verdict %s", limit, r.Verdict)
		}
	}
}

func TestCancelledInTheMiddle(t *testing.T) {
	for stop := 1; stop < 40; stop += 3 {
		w, _, v, _ := polluted(3)
		ctx, cancel := context.WithCancel(t.Context())
		w.before = func(run int, _ suite.Order) error {
			if run == stop {
				cancel()
			}
			return nil
		}
		res, err := Diagnose(ctx, w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all)})
		if err != nil {
			t.Fatalf("stopped at %d: %v", stop, err)
		}
		if stop <= w.runs && !res.Unfinished {
			t.Errorf("stopped at %d of %d: not marked as unfinished", stop, w.runs)
		}
		if r := res.Tests[0]; r.Verdict != suite.Undecided && r.Verdict != suite.Victim {
			t.Errorf("stopped at %d: %s", stop, r.Verdict)
		}
		if now := w.shared.Load(); now != 0 {
			t.Errorf("stopped at %d: %d runs left behind", stop, now)
		}
		cancel()
	}
}

func TestRunnerFault(t *testing.T) {
	w, _, v, _ := polluted(2)
	fault := errors.New("no space left on device")
	w.before = func(run int, _ suite.Order) error {
		if run > 6 {
			return fault
		}
		return nil
	}
	res, err := Diagnose(t.Context(), w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all)})
	if !errors.Is(err, fault) || res == nil || res.Tests[0].Verdict != suite.Undecided ||
		!strings.Contains(res.Tests[0].Reason, "no space left") {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestCrashingTestsDoNotHideTheRest(t *testing.T) {
	for _, kind := range []string{"exit", "hang", "killed"} {
		w := newWorld()
		w.fill("a", 3, 3)
		x1 := w.add("b.ExitTest#one", crashes(kind))
		w.fill("c", 3, 3)
		p := w.add("d.PollTest#p", sets("x", 1))
		x2 := w.add("d.PollTest#exits", crashes(kind))
		w.fill("e", 3, 3)
		v := w.add("f.VictimTest#v", needs("x", 0))
		c := w.add("g.CleanTest#clears", sets("x", 0))
		res := w.diagnose(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
		r := res.Tests[0]
		expect(t, r, suite.Victim, "PollTest#p")
		if !slices.Equal(r.MinimalOrder, suite.Order{p, v}) || len(r.Cleaners) != 1 || r.Cleaners[0].Cleaner[0] != c {
			t.Errorf("%+v", r)
		}
		for _, x := range []suite.TestID{x1, x2} {
			if !strings.Contains(strings.Join(res.Notes, "\n"), string(x)+" ends the process ("+kind) {
				t.Errorf("notes %q do not name %s", res.Notes, x)
			}
		}
		w.holds(t, r)
	}
}

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
	var got suite.Order
	for _, x := range r.Cleaners {
		got = append(got, x.Cleaner...)
	}
	if !slices.Equal(got, suite.Order{c1, c2, v}) {
		t.Errorf("cleaners %v", got)
	}
	if r.Cost.Questions[suite.Batched] > 4 {
		t.Errorf("%d probing processes for 42 tests", r.Cost.Questions[suite.Batched])
	}
	w.holds(t, r)
}

func TestVictimThatCannotBeProbed(t *testing.T) {
	// The victim passes whenever it ran before, so that repeats show nothing.
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
	// Entering the class puts x right, so that any other class between "cleans".
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

func TestFindAllStateSetters(t *testing.T) {
	w := newWorld()
	w.fill("a", 5, 5)
	s1 := w.add("b.SetTest#one", sets("x", 1))
	b := w.add("c.BrittleTest#b", needs("x", 1))
	s2 := w.add("d.SetTest#two", sets("x", 1))
	r := w.only(t, Input{Failing: []suite.TestID{b}, FindAll: true})
	expect(t, r, suite.Brittle)
	if show(r.StateSetters) != names(suite.Order{s1})+"; "+names(suite.Order{s2}) {
		t.Errorf("state-setters %v", r.StateSetters)
	}
	w.holds(t, r)
}

func TestIsolatedClasses(t *testing.T) {
	w := newWorld()
	w.add("a.PollTest#p", sets("x", 1))
	v := w.add("b.VictimTest#a", needs("x", 0))
	p := w.add("b.VictimTest#b", sets("x", 1))
	c := w.add("b.VictimTest#c", sets("x", 0))
	w.add("z.CleanTest#c", sets("x", 0)) // never runs between
	other := w.add("d.OtherTest#v", needs("x", 0))
	res := w.diagnose(t, Input{Failing: []suite.TestID{v, other}, Seen: seen(w.all), Isolated: true})
	r := res.Tests[0]
	expect(t, r, suite.Victim, "VictimTest#b")
	if len(r.Polluters) != 1 || !slices.Equal(r.Polluters[0], suite.Order{p}) || len(r.Cleaners) != 1 || r.Cleaners[0].Cleaner[0] != c {
		t.Errorf("%+v", r)
	}
	expect(t, res.Tests[1], suite.NotReproduced)
	if !strings.Contains(strings.Join(res.Notes, " "), "process of its own") {
		t.Errorf("notes %q", res.Notes)
	}
}

func TestFlakyInOneOrderOnly(t *testing.T) {
	// Steady alone; after the other test it is a coin's throw.
	for seed := range uint64(12) {
		w := newWorld()
		w.rng.Uint64N(seed + 1)
		for range seed {
			w.rng.Float64()
		}
		w.fill("a", 4, 4)
		w.add("b.NoiseTest#n", sets("x", 1))
		v := w.add("c.VictimTest#v", func(p *proc) suite.Outcome {
			return passIf(p.vars["x"] == 0 || p.random() < 0.5)
		})
		r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all), Rerun: 10})
		if r.Verdict != suite.FlakyOther {
			t.Errorf("seed %d: %s (%s)", seed, r.Verdict, r.Reason)
		}
		if len(r.Polluters) > 0 {
			t.Errorf("seed %d: polluters %v of a flaky test", seed, r.Polluters)
		}
	}
}

func TestSideBySideAnswersAreDistrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Processes side by side share a file: after a's test the victim fails
		// in all but exclusive processes. The true polluter is another.
		w, p, v, _ := polluted(4)
		w.tests["c.C003Test#t02"] = sets("ran", 1)
		truth := once(w.tests[v]) // so that no process observes it again and again
		w.tests[v] = func(p *proc) suite.Outcome {
			if !p.alone && p.vars["ran"] == 1 {
				return suite.Fail
			}
			return truth(p)
		}
		w.takes = time.Second
		res := w.diagnose(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
		expect(t, res.Tests[0], suite.Victim)
		if !slices.Equal(res.Tests[0].MinimalOrder, suite.Order{p, v}) {
			t.Errorf("minimal order %v", res.Tests[0].MinimalOrder)
		}
		if !strings.Contains(strings.Join(res.Notes, " "), "one at a time") {
			t.Errorf("notes %q", res.Notes)
		}
		w.holds(t, res.Tests[0])
	})
}

func TestWarmAnswersAreDistrusted(t *testing.T) {
	w, p, v, _ := polluted(1)
	w.tests["c.C003Test#t02"] = sets("ran", 1)
	truth := w.tests[v]
	w.tests[v] = func(p *proc) suite.Outcome {
		if p.price == suite.Warm && p.vars["ran"] == 1 {
			return suite.Fail
		}
		return truth(p)
	}
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
	expect(t, r, suite.Victim)
	if !slices.Equal(r.MinimalOrder, suite.Order{p, v}) {
		t.Errorf("minimal order %v", r.MinimalOrder)
	}
	if len(r.Notes) == 0 {
		t.Error("no note says that warm processes were not believed")
	}
	w.holds(t, r)
}

// TestTimeLimitOfARunner: a Runner that gives up within the time of the diagnosis is at fault.
func TestTimeLimitOfARunner(t *testing.T) {
	w := newWorld()
	w.fill("a", 2, 2)
	v := w.add("b.VTest#v", needs("x", 0))
	w.before = func(int, suite.Order) error { return fmt.Errorf("starting a process: %w", context.DeadlineExceeded) }
	_, err := Diagnose(t.Context(), w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}
