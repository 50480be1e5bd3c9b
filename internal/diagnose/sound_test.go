package diagnose

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// A test that fails alone and in most runs of an order, but passed once in that order, is not
// genuine.
func TestFlakyTestIsNotGenuine(t *testing.T) {
	w := newWorld()
	w.fill("a", 3, 3)
	runs := 0
	v := w.add("b.FailTest#f", func(p *proc) suite.Outcome {
		if p.vars["began"] == 0 {
			return suite.Fail
		}
		runs++
		return passIf(runs == 2)
	})
	w.tests[w.all[0]] = sets("began", 1)
	// The first whole order fails, and passes when it runs again.
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all), Original: w.all[len(w.all)-1:], Suite: &suite.Suite{}})
	if r.Verdict == suite.Genuine {
		t.Errorf("genuine (%s), although it passed in an order in which it had failed", r.Reason)
	}
}

// A probing process names the first test after which the outcome changed. Two tests together may
// have changed it. The next named test may be the right one.
func TestNeighbourAfterAFalseHint(t *testing.T) {
	w := newWorld()
	w.add("a.FalseTest#half", func(p *proc) suite.Outcome {
		if p.vars["victim"] > 1 {
			p.vars["x"] = 1
		}
		return suite.Pass
	})
	w.add("b.PollTest#p", sets("x", 1))
	w.add("b.PollTest#clean", sets("x", 0)) // hides it in whole orders
	v := w.add("c.VictimTest#v", func(p *proc) suite.Outcome {
		p.vars["victim"]++
		return passIf(p.vars["x"] == 0)
	})
	w.setup = map[string]func(*proc){"c.VictimTest": func(*proc) {}}
	w.all = suite.Order{"b.PollTest#p", "b.PollTest#clean", v}
	w.all = slices.Insert(w.all, 0, suite.TestID("a.FalseTest#half"))
	w.tests["b.PollTest#late"] = sets("x", 0)
	w.all = slices.Insert(w.all, 1, suite.TestID("b.PollTest#late"))
	r := w.only(t, Input{Failing: []suite.TestID{v}})
	expect(t, r, suite.Victim)
	w.holds(t, r)
}

// Parallel processes may slow each other down. An order without a result runs again exclusively.
func TestOrderWithoutResultRunsAgainExclusively(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p, v, _ := polluted(4)
		truth := w.tests[v]
		w.tests[v] = func(p *proc) suite.Outcome {
			if !p.alone && p.vars["x"] == 0 {
				p.crash = &suite.Crash{Kind: "hang"}
				return suite.Unresolved
			}
			return truth(p)
		}
		w.takes = time.Second
		res := w.diagnose(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
		expect(t, res.Tests[0], suite.Victim)
		if !slices.Equal(res.Tests[0].MinimalOrder, suite.Order{p, v}) {
			t.Errorf("minimal order %v", res.Tests[0].MinimalOrder)
		}
		if !res.Sequential {
			t.Error("the result does not report that parallel processes gave wrong results")
		}
	})
}

// A new cause needs an exclusive process, even if parallel processes agreed with exclusive ones
// before.
func TestNewCauseNeedsAnExclusiveResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.width = 4
		w.takes = time.Second
		var failing, minimal []suite.TestID
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			p := w.add(suite.TestID(name+".PollTest#p"), sets(name, 1))
			v := w.add(suite.TestID(name+".VictimTest#v"), needs(name, 0))
			failing, minimal = append(failing, v), append(minimal, p)
		}
		var mu sync.Mutex
		exclusive := map[string]bool{}
		for _, v := range failing {
			truth := w.tests[v]
			w.tests[v] = func(p *proc) suite.Outcome {
				out := truth(p)
				mu.Lock()
				defer mu.Unlock()
				exclusive[string(v)] = exclusive[string(v)] || out == suite.Fail && p.alone && p.price == suite.Fresh
				return out
			}
		}
		res := w.diagnose(t, Input{Failing: failing, Seen: seen(w.all)})
		for i, r := range res.Tests {
			expect(t, r, suite.Victim)
			if !slices.Equal(r.MinimalOrder, suite.Order{minimal[i], failing[i]}) {
				t.Errorf("minimal order %v", r.MinimalOrder)
			}
			if !exclusive[string(failing[i])] {
				t.Errorf("%s: its failure was never seen in a process that ran by itself", failing[i])
			}
		}
	})
}

func TestTestThatEndsTheProcessIsNamed(t *testing.T) {
	w, _, v, _ := polluted(1)
	k := w.add("b.KillTest#exit", crashes("exit"))
	w.all = slices.Insert(slices.DeleteFunc(w.all, func(t suite.TestID) bool { return t == k }), 0, k)
	res := w.diagnose(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
	expect(t, res.Tests[0], suite.Victim)
	if !slices.Equal(res.Left, []suite.TestID{k}) || !strings.Contains(strings.Join(res.Notes, " "), "left out") {
		t.Errorf("left out %v, notes %q", res.Left, res.Notes)
	}
}

// A budget may end while orders are tried for one test. The other tests have been explained first.
// A cause of one test is tried on all tests before further orders run.
func TestReadyTestsAreExplainedFirst(t *testing.T) {
	w, p, v, _ := polluted(1)
	strange := w.add("y.OtherTest#never", nil) // nothing makes it fail
	alike := w.add("z.AlikeTest#fails", needs("x", 0))
	w.all = slices.DeleteFunc(w.all, func(t suite.TestID) bool { return t == alike })
	w.all = slices.Insert(w.all, 0, alike) // before the polluter, so that it fails in no seen order
	res := w.diagnose(t, Input{Failing: []suite.TestID{strange, alike, v},
		Seen: []suite.Seen{{Source: "log", Provenance: suite.Exact, Order: w.all[1:]}}, MaxQuestions: 60})
	for i, want := range []suite.Verdict{suite.NotReproduced, suite.Victim, suite.Victim} {
		if got := res.Tests[i].Verdict; got != want && !(i == 0 && got == suite.Undecided) {
			t.Errorf("%s: %s (%s)", res.Tests[i].Test, got, res.Tests[i].Reason)
		}
	}
	if o := res.Tests[1].MinimalOrder; !slices.Equal(o, suite.Order{p, alike}) {
		t.Errorf("minimal order %v", o)
	}
	if f := res.Tests[1].FailingOrder; f == nil || f.Source != short(p)+" directly before it" {
		t.Errorf("failing order %+v", f)
	}
}

// A test that pollutes sometimes does not hide one that always pollutes.
func TestFlakyHintIsIgnored(t *testing.T) {
	w, p, v, c := polluted(1)
	n := 0
	w.add("u.NowAndThenTest#n", func(p *proc) suite.Outcome {
		if n++; n%3 != 0 {
			p.vars["y"] = 1
		}
		return suite.Pass
	})
	w.all = append(slices.DeleteFunc(w.all, func(t suite.TestID) bool { return t == v || t == c }), v, c)
	truth := w.tests[v]
	w.tests[v] = func(p *proc) suite.Outcome {
		if p.vars["y"] == 1 {
			return suite.Fail
		}
		return truth(p)
	}
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
	expect(t, r, suite.Victim)
	if !slices.Equal(r.MinimalOrder, suite.Order{p, v}) {
		t.Errorf("minimal order %v (%s)", r.MinimalOrder, r.Reason)
	}
}

// The search for cleaners among slow tests takes no time from other failing tests.
func TestSearchForCleanersIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.takes = 30 * time.Second
		w.fill("a", 40, 10)
		p := w.add("b.PollTest#pollutes", sets("x", 1))
		v := w.add("d.VictimTest#fails", needs("x", 0)) // nothing cleans up
		began := time.Now()
		r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
		expect(t, r, suite.Victim)
		if !slices.Equal(r.MinimalOrder, suite.Order{p, v}) || r.Unfinished {
			t.Errorf("minimal order %v, unfinished %v", r.MinimalOrder, r.Unfinished)
		}
		if !strings.Contains(strings.Join(r.Notes, " "), "was stopped after") {
			t.Errorf("notes %q after %v", r.Notes, time.Since(began))
		}
	})
}

// If cleaners are not needed, none are searched. The cost is the same as in a suite without
// candidates.
func TestUnneededCleanersAreNotSearched(t *testing.T) {
	ask := func(in Input) (TestResult, int) {
		w := newWorld()
		w.fill("a", 10, 4)
		w.add("b.PollTest#pollutes", sets("x", 1))
		w.add("c.CleanTest#cleans", sets("x", 0))
		v := w.add("d.VictimTest#fails", needs("x", 0))
		in.Failing, in.Seen = []suite.TestID{v}, seen(suite.Order{"b.PollTest#pollutes", v})
		res := w.diagnose(t, in)
		return res.Tests[0], res.Cost.Total()
	}
	with, expensive := ask(Input{})
	without, cheap := ask(Input{NoCleaners: true})
	all, _ := ask(Input{NoCleaners: true, FindAll: true})
	if len(with.Cleaners) == 0 || len(without.Cleaners) != 0 || len(all.Cleaners) == 0 {
		t.Errorf("cleaners: %v, not needed: %v, with FindAll: %v", with.Cleaners, without.Cleaners, all.Cleaners)
	}
	expect(t, without, suite.Victim)
	if !slices.Equal(with.MinimalOrder, without.MinimalOrder) || cheap >= expensive {
		t.Errorf("%d questions to %v, with cleaners %d to %v", cheap, without.MinimalOrder, expensive, with.MinimalOrder)
	}
}

// A test that fails in half of its runs is rarely reported as order-dependent.
func TestRandomFailureIsRarelyOrderDependent(t *testing.T) {
	wrong := 0
	const worlds = 1000
	for seed := range uint64(worlds) {
		w := newWorld()
		w.rng = rand.New(rand.NewPCG(seed, 1))
		w.fill("a", 6, 4)
		v := w.add("b.DiceTest#v", func(p *proc) suite.Outcome { return passIf(p.random() < 0.5) })
		r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
		if r.orderDependent() {
			wrong++
		}
	}
	if wrong > worlds/100 {
		t.Errorf("%d of %d", wrong, worlds)
	}
	t.Logf("%d of %d", wrong, worlds)
}

// In a suite with few orders, a test that fails at random is rarely reported as not reproduced or
// as genuine.
func TestRandomFailureIsRarelyNotReproduced(t *testing.T) {
	said := map[suite.Verdict]int{}
	const worlds = 1000
	for seed := range uint64(worlds) {
		w := newWorld()
		w.rng, w.width = rand.New(rand.NewPCG(seed, 2)), 2
		w.fill("a", 2, 1)
		v := w.add("b.DiceTest#v", func(p *proc) suite.Outcome { return passIf(p.random() < 0.5) })
		said[w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)}).Verdict]++
	}
	if wrong := worlds - said[suite.FlakyOther]; wrong > worlds/80 {
		t.Errorf("%v", said)
	}
	t.Logf("%v", said)
}

// A failure that cannot be reproduced must not use up the time in which other tests could be
// repaired.
func TestSearchLeavesTimeToRepair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, v, _ := polluted(4)
		w.fill("z", 60, 1)
		stubborn := w.add("zz.StubbornTest#t", nil)
		w.takes = 2 * time.Minute
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began := time.Now()
		res, err := Diagnose(ctx, w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v, stubborn}, Seen: seen(w.all),
			Keep: RepairShare})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, res.Tests[0], suite.Victim)
		expect(t, res.Tests[1], suite.Undecided)
		if !strings.Contains(res.Tests[1].Reason, "kept to repair") || !res.Tests[1].Unfinished {
			t.Errorf("unfinished %v: %s", res.Tests[1].Unfinished, res.Tests[1].Reason)
		}
		if took := time.Since(began); took < 20*time.Minute || took > 45*time.Minute {
			t.Errorf("took %s of an hour", took)
		}
	})
}

// A confirmed shared cause is reported even if no time is left.
func TestSharedCauseIsReportedWhenTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p, v, _ := polluted(4)
		truth := w.tests[v]
		failing := []suite.TestID{v}
		for _, name := range []string{"m.OneTest#a", "m.TwoTest#b", "m.ThreeTest#c", "m.FourTest#d", "m.FiveTest#e"} {
			failing = append(failing, w.add(suite.TestID(name), truth))
		}
		w.takes = time.Minute
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Minute)
		defer cancel()
		res, err := Diagnose(ctx, w, Input{Groups: groups, Suite: w.suite(), Failing: failing, Seen: seen(w.all), Keep: RepairShare})
		if err != nil {
			t.Fatal(err)
		}
		unfinished := 0
		for _, r := range res.Tests {
			if r.Verdict == suite.Victim && !slices.Equal(r.MinimalOrder, suite.Order{p, r.Test}) {
				t.Errorf("%s: minimal order %v", r.Test, r.MinimalOrder)
			}
			if r.Verdict != suite.Victim || !r.Unfinished {
				continue
			}
			unfinished++
			for _, o := range []suite.Order{{r.Test}, r.MinimalOrder} {
				if !slices.ContainsFunc(r.Evidence,
					func(a suite.Answer) bool { return slices.Equal(a.Order, o) && a.Repeats >= DefaultRerun }) {
					t.Errorf("%s: nothing confirms %v", r.Test, o)
				}
			}
		}
		if unfinished == 0 {
			t.Errorf("no cause was reported when time was short: %v", res.Tests)
		}
	})
}

// Without repair, no time is kept for it.
func TestAllTimeIsForTheSearchWithoutRepair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, v, _ := polluted(4)
		w.fill("z", 60, 1)
		stubborn := w.add("zz.StubbornTest#t", nil)
		w.takes = 2 * time.Minute
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began := time.Now()
		res, err := Diagnose(ctx, w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v, stubborn}, Seen: seen(w.all)})
		if err != nil {
			t.Fatal(err)
		}
		if r := res.Tests[1]; strings.Contains(r.Reason, "repair") || (r.Unfinished && time.Since(began) < time.Hour) {
			t.Errorf("after %s: %s", time.Since(began), r.Reason)
		}
	})
}

// A new cause is rechecked in cheap processes, and in fresh ones if the cheap ones disagree with
// earlier fresh results.
func TestRecheckUsesFreshProcessesAfterDisagreement(t *testing.T) {
	for quick, name := range []string{"cheap processes agree", "cheap processes do not"} {
		w := newWorld()
		w.varies = quick == 1 // a question that was asked ahead may be answered before it is not needed any more
		w.fill("a", 3, 3)
		w.add("p.PolluterTest#pollutes", sets("x", 1))
		v := w.add("z.VictimTest#fails", func(p *proc) suite.Outcome {
			return passIf(p.vars["x"] == 0 && (p.price == suite.Fresh || quick == 0))
		})
		r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
		expect(t, r, suite.Victim)
		for _, e := range r.Evidence {
			if want := DefaultRerun + quick*extraAnswers; len(e.Order) == 1 && e.Repeats != want {
				t.Errorf("%s: %d fresh answers to the test alone, want %d", name, e.Repeats, want)
			}
		}
		if len(r.Evidence) < 2 {
			t.Errorf("%s: evidence %v", name, r.Evidence)
		}
	}
}

// A test that fails only in processes of another price is not flaky.
func TestOnlyFreshProcessesMakeFlaky(t *testing.T) {
	w := newWorld()
	w.fill("a", 2, 1)
	v := w.add("b.T#v", func(p *proc) suite.Outcome { return passIf(p.price != suite.Warm) })
	expect(t, w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)}), suite.NotReproduced)
}

// Known results are reported even if no questions are left for repeats.
func TestGenuineWithoutFurtherRepeats(t *testing.T) {
	for questions := 10; questions <= 20; questions++ {
		w := newWorld()
		w.width = 2
		w.fill("a", 2, 1)
		v := w.add("b.T#v", needs("q", 4))
		expect(t, w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all), MaxQuestions: questions}), suite.Genuine)
	}
}
