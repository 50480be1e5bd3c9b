package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// polluted returns a world with one polluter, one victim and one cleaner.
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
	// The victim passes there, because it runs after the cleaner. The original order shows the
	// failure.
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

// TestSeenOrdersOfOtherTests checks that an order in which one test failed is not used for other
// tests of that order.
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

func TestVariantsOfAPartialOrderRun(t *testing.T) {
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

func TestFailureIsFoundWithoutSeenOrders(t *testing.T) {
	// The polluter comes after the victim in the original order, and a cleaner comes before it in
	// the reverse order. Only orders of neighbouring classes show the failure.
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
	w.add("z.CleanTest#c", sets("x", 0)) // never runs in between
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

// TestNestedGroupsKeepTogether has a test that fails only where an order leaves a nested class and
// returns to it, which no runner does.
func TestNestedGroupsKeepTogether(t *testing.T) {
	for _, c := range []struct {
		name string
		in   func(in *Input, v suite.TestID)
	}{
		{"one process for all", func(*Input, suite.TestID) {}},
		{"a process for each class", func(in *Input, _ suite.TestID) { in.Isolated = true }},
		{"the seen order is not certain", func(in *Input, _ suite.TestID) { in.Seen[0].Provenance = suite.Partial }},
		{"the seen order lacks the test", func(in *Input, v suite.TestID) {
			in.Seen[0].Order = slices.DeleteFunc(in.Seen[0].Order, func(t suite.TestID) bool { return t == v })
		}},
	} {
		w := newWorld()
		v := w.add("a.OuterTest$Inner#v", needs("returned", 0))
		for i := range 3 {
			w.add(suite.TestID(fmt.Sprintf("a.OuterTest$Inner#n%d", i)), sets("begun", 1))
			w.add(suite.TestID(fmt.Sprintf("a.OuterTest$Other#m%d", i)), func(p *proc) suite.Outcome {
				p.vars["returned"] = p.vars["begun"]
				return suite.Pass
			})
		}
		w.fill("b", 2, 2)
		nested := nestedSuite(w)
		in := Input{Failing: []suite.TestID{v}, Suite: nested, Groups: suite.NewGroups(nested, junitid.Syntax{}), Seen: seen(nested.Order())}
		c.in(&in, v)
		if r := w.diagnose(t, in).Tests[0]; r.Verdict != suite.NotReproduced {
			t.Errorf("%s: %s (%s)", c.name, r.Verdict, r.Reason)
		}
	}
}

// TestMethodsBeforeNestedClasses has tests that fail only after a nested class of their own class.
// JUnit 5 runs a nested class after the methods of the class around it, so they are no victims.
func TestMethodsBeforeNestedClasses(t *testing.T) {
	for _, c := range []struct {
		testsFirst, isolated, cleans, inferred bool
		failing                                int
		want                                   suite.Verdict
	}{
		{true, false, false, false, 1, suite.NotReproduced},
		{true, true, false, false, 1, suite.NotReproduced},
		{true, false, false, false, 4, suite.NotReproduced},
		{true, false, true, false, 4, suite.NotReproduced}, // only single tests directly before them show it
		{true, false, false, true, 1, suite.NotReproduced},
		{false, false, false, false, 1, suite.Victim},
		{false, false, true, false, 4, suite.Victim},
		{false, false, false, true, 1, suite.Victim},
	} {
		w := newWorld()
		var failing suite.Order
		for i := range 4 {
			failing = append(failing, w.add(suite.TestID(fmt.Sprintf("a.OuterTest#v%d", i)), needs("x", 0)))
		}
		w.add("a.OuterTest$Inner#sets", sets("x", 1))
		if c.cleans {
			w.add("a.OuterTest$Inner#cleans", sets("x", 0))
		}
		w.fill("b", 2, 2)
		all := w.suite()
		outer := all.Root.Children[0]
		inner := &suite.Node{Name: "Inner", Children: slices.Clone(outer.Children[4:])}
		outer.Children, outer.TestsFirst = append(outer.Children[:4:4], inner), c.testsFirst
		in := Input{Failing: failing[:c.failing], Suite: all, Groups: suite.NewGroups(all, junitid.Syntax{}), Isolated: c.isolated}
		if c.inferred {
			in.Seen = []suite.Seen{{Source: "the log", Provenance: suite.Inferred, Order: suite.Order{"a.OuterTest$Inner#sets", failing[0]}}}
		}
		for _, r := range w.diagnose(t, in).Tests {
			if r.Verdict != c.want {
				t.Errorf("%+v: %s is %s (%s)", c, r.Test, r.Verdict, r.Reason)
			}
		}
	}
}

// TestHintsThatNoOrderHas checks that tests of nested classes, which run after all failing tests,
// do not keep a polluter hidden in its class from being found.
func TestHintsThatNoOrderHas(t *testing.T) {
	w := newWorld()
	failing := suite.Order{w.add("a.OuterTest#v0", nil)}
	for i := 1; i < 4; i++ {
		failing = append(failing, w.add(suite.TestID(fmt.Sprintf("a.OuterTest#v%d", i)), needs("x", 0)))
	}
	for i := range 3 * maxHints {
		w.add(suite.TestID(fmt.Sprintf("a.OuterTest$Inner#sets%d", i)), sets("x", 1))
	}
	w.add("q.PollTest#clearsFirst", sets("x", 0))
	p := w.add("q.PollTest#pollutes", sets("x", 1))
	w.add("q.PollTest#thenClears", sets("x", 0))
	all := w.suite()
	outer := all.Root.Children[0]
	inner := &suite.Node{Name: "Inner", Children: slices.Clone(outer.Children[4:])}
	outer.Children, outer.TestsFirst = append(outer.Children[:4:4], inner), true
	for i, r := range w.diagnose(t, Input{Failing: failing, Suite: all, Groups: suite.NewGroups(all, junitid.Syntax{})}).Tests {
		if i > 0 && (r.Verdict != suite.Victim || !slices.Equal(r.Polluters[0], suite.Order{p})) {
			t.Errorf("%s is %s by %v", r.Test, r.Verdict, r.Polluters)
		}
	}
}

// nestedSuite is the suite of the world. The first class has two nested classes.
func nestedSuite(w *world) *suite.Suite {
	all := w.suite()
	outer := all.Root.Children[0]
	inner, other := &suite.Node{Name: "Inner"}, &suite.Node{Name: "Other"}
	for _, n := range outer.Children {
		if strings.Contains(string(n.Test), "$Inner") {
			inner.Children = append(inner.Children, n)
		} else {
			other.Children = append(other.Children, n)
		}
	}
	outer.Children = []*suite.Node{inner, other}
	return all
}

// TestCleanerInAnotherNestedClass has a victim that passes where its nested class is left and
// entered again, so that every test outside seems to clean.
func TestCleanerInAnotherNestedClass(t *testing.T) {
	w := newWorld()
	w.add("a.OuterTest$Inner#p", sets("x", 1))
	v := w.add("a.OuterTest$Inner#v", needs("x", 0))
	leaves := func(p *proc) suite.Outcome { p.vars["x"] = 0; return suite.Pass }
	w.add("a.OuterTest$Other#m", leaves)
	for _, c := range []suite.TestID{"b.BTest#b", "c.CTest#c", "d.DTest#d", "e.ETest#e"} {
		w.add(c, leaves)
	}
	nested := nestedSuite(w)
	r := w.diagnose(t, Input{Failing: []suite.TestID{v}, Suite: nested, Groups: suite.NewGroups(nested, junitid.Syntax{}), Seen: seen(nested.Order())}).Tests[0]
	expect(t, r, suite.Victim, "OuterTest$Inner#p")
	if len(r.Cleaners) > 0 {
		t.Errorf("cleaners %v", r.Cleaners)
	}
}

func TestFlakyInOneOrderOnly(t *testing.T) {
	// It is stable alone, and random after the other test.
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

func TestParallelResultsAreDistrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Parallel processes share a file. After a's test, the victim fails in all processes that
		// are not exclusive. The true polluter is another test.
		w, p, v, _ := polluted(4)
		w.tests["c.C003Test#t02"] = sets("ran", 1)
		truth := once(w.tests[v]) // so that no process observes it repeatedly
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

func TestWarmResultsAreDistrusted(t *testing.T) {
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
		t.Error("no note says that results of warm processes were wrong")
	}
	w.holds(t, r)
}
