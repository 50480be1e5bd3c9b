package diagnose

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

func seen(o suite.Order) []suite.Seen {
	return []suite.Seen{{Source: "log", Provenance: suite.Exact, Order: o}}
}

func expect(t *testing.T, r TestResult, v suite.Verdict, words ...string) {
	t.Helper()
	if r.Verdict != v {
		t.Fatalf("%s: verdict %s (%s), want %s", r.Test, r.Verdict, r.Reason, v)
	}
	for _, w := range words {
		if !strings.Contains(r.Reason, w) {
			t.Errorf("reason %q does not contain %q", r.Reason, w)
		}
	}
}

func TestVictim(t *testing.T) {
	for _, width := range []int{1, 2, 4} {
		w := newWorld()
		w.width = width
		w.fill("a", 10, 5)
		p := w.add("b.PollTest#pollutes", sets("x", 1))
		w.add("b.PollTest#other", nil)
		w.fill("c", 5, 5)
		v := w.add("d.VictimTest#fails", needs("x", 0))
		c := w.add("e.CleanTest#resetX", sets("x", 0))
		r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
		expect(t, r, suite.Victim, "passes alone, fails after PollTest#pollutes")
		if !slices.Equal(r.MinimalOrder, suite.Order{p, v}) || len(r.Polluters) != 1 {
			t.Errorf("minimal order %v, polluters %v", r.MinimalOrder, r.Polluters)
		}
		if len(r.Cleaners) != 1 || !slices.Equal(r.Cleaners[0].Cleaner, suite.Order{c}) {
			t.Errorf("cleaners %v", r.Cleaners)
		}
		if r.FailingOrder == nil || r.FailingOrder.Source != "log" || r.PassingOrder == nil || r.Failure == nil {
			t.Errorf("orders %+v %+v, failure %v", r.FailingOrder, r.PassingOrder, r.Failure)
		}
		if r.NonIdempotent || r.Unfinished {
			t.Errorf("%+v", r)
		}
		w.holds(t, r)
	}
}

// TestQuestions checks the documented bound: about log₂ n questions for one polluter among n, and
// the confirming repeats.
func TestQuestions(t *testing.T) {
	for _, place := range []int{0, 3, 99, 150, 199} {
		for _, cleaner := range []bool{true, false} {
			w := newWorld()
			w.fill("a", 200, 10)
			p := w.all[place*10+4]
			w.tests[p] = sets("x", 1)
			v := w.add("z.VictimTest#fails", needs("x", 0))
			if cleaner {
				w.tests["a.C120Test#t03"] = sets("x", 0)
				if place < 120 { // cleaned before the victim, but not in the seen order
					i := w.all.Index(p)
					w.all = append(append(slices.Delete(slices.Clone(w.all), i, i+1)[:len(w.all)-2:len(w.all)-2], p), v)
				}
			}
			r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
			expect(t, r, suite.Victim)
			if !slices.Equal(r.MinimalOrder, suite.Order{p, v}) || (len(r.Cleaners) > 0) != cleaner {
				t.Fatalf("minimal order %v, cleaners %v", r.MinimalOrder, r.Cleaners)
			}
			// One question for a second run of the same test, one for further polluters, one for
			// each side of the recheck. Without a cleaner, three for the sequences of iFixFlakies
			// and one for a hidden cleaner.
			if n := r.Cost.Questions[suite.Warm]; n > 1+1+2+3 {
				t.Errorf("polluter at class %d: %d questions in the search", place, n)
			}
			// The orders are: alone, minimal order, cleaner, and the seen order. The recheck of a
			// new cause takes no fresh process.
			if f := r.Cost.Questions[suite.Fresh]; f > 3*DefaultRerun+1 {
				t.Errorf("%d fresh questions", f)
			}
			// Three processes locate the polluter, and the rest look for cleaners.
			if b := r.Cost.Questions[suite.Batched]; b > 3+2001/nextRound+3 {
				t.Errorf("%d probing processes", b)
			}
		}
	}
}

// TestQuestionsOfHalving checks the bound for a victim whose repeated runs show nothing, so that no
// process can observe it after several parts of the order.
func TestQuestionsOfHalving(t *testing.T) {
	for _, place := range []int{0, 3, 99, 150, 199} {
		w := newWorld()
		w.fill("a", 200, 10)
		p := w.all[place*10+4]
		w.tests[p] = sets("x", 1)
		v := w.add("z.VictimTest#fails", once(needs("x", 0)))
		r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
		expect(t, r, suite.Victim)
		if !slices.Equal(r.MinimalOrder, suite.Order{p, v}) {
			t.Fatalf("minimal order %v", r.MinimalOrder)
		}
		// ⌈log₂ 2000⌉, two for cuts between uneven classes, one for a second run of the same test,
		// and one for further polluters. The search for cleaners tries whole classes.
		if n := r.Cost.Questions[suite.Warm]; n > bits.Len(2000-1)+2+1+1+202 {
			t.Errorf("polluter at class %d: %d questions in the search", place, n)
		}
	}
}

// once returns a test that is skipped when it runs again in its process.
func once(f func(*proc) suite.Outcome) func(*proc) suite.Outcome {
	return func(p *proc) suite.Outcome {
		if p.vars["once"] == 1 {
			return suite.Skip
		}
		p.vars["once"] = 1
		return f(p)
	}
}

func TestPartition(t *testing.T) {
	w := newWorld()
	w.fill("a", 7, 5)
	w.fill("b", 1, 40)
	w.fill("c", 30, 1)
	for n := range 20 {
		parts := (&session{Groups: suite.NewGroups(w.suite(), nil)}).partition(w.all, n)
		if n == 0 {
			if parts != nil {
				t.Errorf("no parts requested, %d made", len(parts))
			}
			continue
		}
		if !slices.Equal(slices.Concat(parts...), w.all) || len(parts) > n {
			t.Errorf("%d parts requested, %d made, of %d tests in all", n, len(parts), len(slices.Concat(parts...)))
		}
		for _, p := range parts {
			if len(p) > 2*((len(w.all)+n-1)/n) {
				t.Errorf("a part of %d tests where %d parts were requested", len(p), n)
			}
		}
	}
}

func TestPolluterPairAndOrder(t *testing.T) {
	w := newWorld()
	w.fill("a", 8, 4)
	first := w.add("b.OneTest#arms", sets("armed", 1))
	w.fill("c", 8, 4)
	second := w.add("d.TwoTest#fires", func(p *proc) suite.Outcome {
		if p.vars["armed"] == 1 {
			p.vars["x"] = 1
		}
		return suite.Pass
	})
	w.fill("e", 3, 4)
	v := w.add("f.VictimTest#fails", needs("x", 0))
	w.add("g.CleanTest#half", sets("armed", 0))
	w.add("g.CleanTest#clearsX", sets("x", 0))
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
	expect(t, r, suite.Victim, "OneTest#arms and then TwoTest#fires")
	if len(r.Polluters) != 1 || !slices.Equal(r.Polluters[0], suite.Order{first, second}) {
		t.Errorf("polluters %v", r.Polluters)
	}
	if len(r.Cleaners) == 0 {
		t.Error("no cleaner")
	}
	w.holds(t, r)
}

func TestBrittle(t *testing.T) {
	w := newWorld()
	w.fill("a", 10, 4)
	s1 := w.add("b.SetTest#one", sets("a", 1))
	s2 := w.add("b.SetTest#two", func(p *proc) suite.Outcome {
		if p.vars["a"] == 1 {
			p.vars["b"] = 1
		}
		return suite.Pass
	})
	w.fill("c", 4, 4)
	b := w.add("d.BrittleTest#needsBoth", needs("b", 1))
	r := w.only(t, Input{Failing: []suite.TestID{b}})
	expect(t, r, suite.Brittle, "fails alone, passes after SetTest#one and then SetTest#two")
	if len(r.StateSetters) != 1 || !slices.Equal(r.StateSetters[0], suite.Order{s1, s2}) || len(r.Cleaners)+len(r.Polluters) != 0 {
		t.Errorf("%+v", r)
	}
	w.holds(t, r)
}

func TestVictimBrittle(t *testing.T) {
	w := newWorld()
	s := w.add("a.SetTest#sets", sets("x", 1))
	w.fill("b", 6, 4)
	p := w.add("c.PollTest#spoils", sets("x", 2))
	w.fill("d", 6, 4)
	v := w.add("e.BothTest#fails", needs("x", 1))
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
	expect(t, r, suite.VictimBrittle, "SetTest#sets", "PollTest#spoils")
	if show(r.StateSetters) != names(suite.Order{s}) || show(r.Polluters) != names(suite.Order{p}) {
		t.Errorf("setters %v, polluters %v", r.StateSetters, r.Polluters)
	}
	w.holds(t, r)
}

func TestGenuineFlakyAndNotReproduced(t *testing.T) {
	w := newWorld()
	w.fill("a", 3, 3)
	genuine := w.add("b.GenuineTest#fails", func(*proc) suite.Outcome { return suite.Fail })
	flaky := w.add("b.FlakyTest#wavers", func(p *proc) suite.Outcome { return passIf(p.random() < 0.5) })
	fine := w.add("b.FineTest#passes", nil)
	skipped := w.add("b.SkipTest#skipped", func(*proc) suite.Outcome { return suite.Skip })
	gone := w.add("b.ExitTest#exits", crashes("exit"))
	res := w.diagnose(t, Input{Failing: []suite.TestID{genuine, flaky, fine, skipped, gone}, Rerun: 8})
	for i, want := range []suite.Verdict{suite.Genuine, suite.FlakyOther, suite.NotReproduced, suite.Undecided, suite.Undecided} {
		expect(t, res.Tests[i], want)
	}
	if r := res.Tests[4]; !strings.Contains(r.Reason, "exit") {
		t.Errorf("reason %q", r.Reason)
	}
}

func TestNonIdempotent(t *testing.T) {
	twice := func(p *proc) suite.Outcome {
		p.vars["count"]++
		return passIf(p.vars["count"] == 1)
	}
	w := newWorld()
	w.fill("a", 4, 4)
	v := w.add("b.OnceTest#once", twice)
	r := w.only(t, Input{Failing: []suite.TestID{v}})
	expect(t, r, suite.NotReproduced, "twice in one process")
	if !r.NonIdempotent || len(r.Polluters) != 0 {
		t.Errorf("%+v", r)
	}
	// If it ran twice in a seen order, it is its own polluter.
	w = newWorld()
	w.fill("a", 4, 4)
	v = w.add("b.OnceTest#once", twice)
	r = w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(suite.Join(w.all, suite.Order{v}))})
	expect(t, r, suite.Victim, "a second time")
	if !r.NonIdempotent || len(r.Polluters) != 1 || !slices.Equal(r.Polluters[0], suite.Order{v}) {
		t.Errorf("%+v", r)
	}
	w = newWorld()
	w.fill("a", 4, 4)
	v = w.add("b.OnceTest#once", twice)
	p := w.add("b.OnceTest#alsoCounts", func(p *proc) suite.Outcome { p.vars["count"]++; return suite.Pass })
	r = w.only(t, Input{Failing: []suite.TestID{v}})
	expect(t, r, suite.Victim, "OnceTest#alsoCounts")
	if !r.NonIdempotent || !slices.Equal(r.Polluters[0], suite.Order{p}) {
		t.Errorf("%+v", r)
	}
}

func TestManyVictimsShareResults(t *testing.T) {
	for _, width := range []int{1, 2} {
		w := newWorld()
		w.width = width
		w.fill("a", 20, 10)
		p2 := w.add("a.PollTest#pollutesToo", sets("x", 1))
		p := w.add("b.PollTest#pollutes", sets("x", 1))
		c := w.add("b.PollTest#nullX", sets("x", 0))
		var failing []suite.TestID
		for i := range 28 {
			failing = append(failing, w.add(suite.TestID(fmt.Sprintf("c.VictimTest#v%02d", i)), needs("x", 0)))
		}
		o := slices.DeleteFunc(slices.Clone(w.all), func(t suite.TestID) bool { return t == c })
		res := w.diagnose(t, Input{Failing: failing, Seen: seen(o)})
		for i, r := range res.Tests {
			expect(t, r, suite.Victim, "PollTest#pollutes")
			w.cohortWorld = i > 0
			if !slices.Equal(r.Polluters[0], suite.Order{p}) || len(r.Cleaners) == 0 ||
				!slices.Equal(r.Cleaners[0].Cleaner, suite.Order{c}) {
				t.Errorf("%s: polluters %v, cleaners %v", r.Test, r.Polluters, r.Cleaners)
			}
			w.holds(t, r)
		}
		if first := res.Tests[0]; len(first.Polluters) != 2 || !slices.Equal(first.Polluters[1], suite.Order{p2}) {
			t.Errorf("polluters of the first victim: %v", first.Polluters)
		}
		for _, r := range res.Tests[1:] {
			if n := r.Cost.Total(); n > 4 { // alone, after the polluter, with the cleaner, and twice
				t.Errorf("%s took %d questions of its own", r.Test, n)
			}
		}
		if shared := res.Cost.Total() - 4*len(failing); shared > 65 {
			t.Errorf("%d questions beside those of further victims", shared)
		}
	}
}
