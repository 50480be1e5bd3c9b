package diagnose

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// manyVictims returns a world of n victims of one polluter. The polluter is neither first nor last.
// Tests with other verdicts are among the victims.
func manyVictims(width, n int) (w *world, p, c suite.TestID, victims suite.Order, odd map[suite.TestID]suite.Verdict) {
	w, p, v, c := polluted(width)
	truth := w.tests[v]
	victims = suite.Order{v}
	for i := range n - 1 {
		victims = append(victims, w.add(suite.TestID(fmt.Sprintf("m.More%02dTest#t", i)), truth))
	}
	other := w.add("n.OtherTest#pollutes", sets("y", 1))
	w.add("n.OtherTest#clears", sets("y", 0))
	odd = map[suite.TestID]suite.Verdict{
		w.add("o.OddTest#ofAnother", needs("y", 0)): suite.Victim,
		w.add("o.OddTest#genuine", needs("x", 7)):   suite.Genuine,
		w.add("o.OddTest#brittle", needs("z", 1)):   suite.Brittle,
		w.add("o.OddTest#flaky", func(p *proc) suite.Outcome {
			return passIf(p.random() < 0.5)
		}): suite.FlakyOther,
		w.add("o.OddTest#twice", func(p *proc) suite.Outcome {
			p.vars["ran"]++
			return passIf(truth(p) == suite.Pass && p.vars["ran"] < 2)
		}): suite.Victim,
		w.add("o.OddTest#spoilt", func(p *proc) suite.Outcome { // fails in any order of several tests, whichever comes first
			return passIf(truth(p) == suite.Pass && p.vars["more"] < 2)
		}): suite.Victim,
	}
	for _, v := range victims[1:] {
		w.tests[v] = func(p *proc) suite.Outcome { p.vars["more"]++; return truth(p) }
	}
	w.add("q.SetTest#sets", sets("z", 1))
	w.all = append(suite.Order{other}, slices.DeleteFunc(w.all, func(t suite.TestID) bool { return t == other })...)
	return w, p, c, victims, odd
}

// TestVictimsOfACohort checks that many victims of one polluter need four processes each and a few
// that they share, and that every other test gets its true verdict.
func TestVictimsOfACohort(t *testing.T) {
	for _, width := range []int{1, 2} {
		w, p, c, victims, odd := manyVictims(width, 30)
		w.rng = rand.New(rand.NewPCG(1, 3)) // with other seeds, one in thirty makes the flaky test look dependent
		failing := slices.Clone(victims)
		for id := range odd {
			failing = append(failing, id)
		}
		slices.Sort(failing)
		w.cohortWorld = true
		res := w.diagnose(t, Input{Groups: groups, Suite: w.suite(), Failing: failing, Seen: seen(w.all)})
		own := 0
		for _, r := range res.Tests {
			want, is := odd[r.Test]
			if !is {
				want = suite.Victim
			}
			if r.Verdict != want {
				t.Errorf("%d at once: %s is %s: %s", width, r.Test, r.Verdict, r.Reason)
			}
			if r.NonIdempotent != (r.Test == "o.OddTest#twice") {
				t.Errorf("%s: fails when run twice: %v", r.Test, r.NonIdempotent)
			}
			if want != suite.FlakyOther {
				w.holds(t, r)
			}
			if is {
				continue
			}
			if !slices.Equal(r.Polluters[0], suite.Order{p}) ||
				!slices.Equal(r.MinimalOrder, suite.Order{p, r.Test}) || len(r.Cleaners) == 0 ||
				!slices.Equal(r.Cleaners[0].Cleaner, suite.Order{c}) {
				t.Errorf("%s: %v by %v, cleaners %v", r.Test, r.MinimalOrder, r.Polluters, r.Cleaners)
			}
			if r.FailingOrder == nil || r.PassingOrder == nil || r.Failure == nil {
				t.Errorf("%s: %+v", r.Test, r)
			}
			if r.Cost.Total() <= 4 {
				own++
			}
		}
		if own < len(victims)-1 { // the first one is diagnosed separately
			t.Errorf("%d at once: %d of %d took four processes of their own", width, own, len(victims))
		}
	}
}

// TestCohortAfterANeighbour checks victims that fail in no whole order, because a cleaner follows
// the polluter in each. They are explained together, too.
func TestCohortAfterANeighbour(t *testing.T) {
	w := newWorld()
	w.width = 2
	w.fill("a", 6, 5)
	w.add("b.PollTest#clearsFirst", sets("x", 0))
	p := w.add("b.PollTest#pollutes", sets("x", 1))
	w.add("b.PollTest#thenClears", sets("x", 0))
	var failing suite.Order
	for i := range 12 {
		failing = append(failing, w.add(suite.TestID(fmt.Sprintf("v.V%02dTest#t", i)), needs("x", 0)))
	}
	w.cohortWorld = true
	for i, r := range w.diagnose(t, Input{Failing: failing, Seen: nil}).Tests {
		if r.Verdict != suite.Victim || !slices.Equal(r.Polluters[0], suite.Order{p}) || len(r.Cleaners) == 0 {
			t.Errorf("%s is %s of %v, cleaners %v", r.Test, r.Verdict, r.Polluters, r.Cleaners)
		}
		w.holds(t, r)
		if n := r.Cost.Total(); i > 0 && n > 4 {
			t.Errorf("%s took %d questions of its own", r.Test, n)
		}
	}
}

// TestEachTestIsConfirmedOnRequest checks that every result is confirmed separately if all causes
// or more repeats are requested.
func TestEachTestIsConfirmedOnRequest(t *testing.T) {
	for _, in := range []Input{{FindAll: true}, {Rerun: DefaultRerun}} {
		w, _, _, victims, _ := manyVictims(2, 12)
		in.Failing, in.Seen = victims, seen(w.all)
		for _, r := range w.diagnose(t, in).Tests {
			if r.Verdict != suite.Victim {
				t.Errorf("%s is %s", r.Test, r.Verdict)
			}
			w.holds(t, r)
		}
	}
}

// TestCohortOfPollutersClass checks that a cleaner of another class is not reported for tests that
// leaving the polluter's class may clean.
func TestCohortOfPollutersClass(t *testing.T) {
	w, _, v, c := polluted(2)
	w.setup = map[string]func(*proc){"p.PollTest": func(p *proc) { p.vars["x"] = 0 }}
	p := w.add("p.PollTest#pollutes", sets("x", 1))
	failing := suite.Order{}
	for i := range 12 {
		failing = append(failing, w.add(suite.TestID(fmt.Sprintf("p.PollTest#v%02d", i)), w.tests[v]))
	}
	for _, r := range w.diagnose(t, Input{Failing: failing, Seen: seen(w.all)}).Tests {
		if r.Verdict != suite.Victim || !slices.Equal(r.Polluters[0], suite.Order{p}) {
			t.Errorf("%s is %s of %v", r.Test, r.Verdict, r.Polluters)
		}
		if slices.ContainsFunc(r.Cleaners, func(x suite.Cleaner) bool { return slices.Contains(x.Cleaner, c) }) {
			t.Errorf("%s: cleaners %v", r.Test, r.Cleaners)
		}
	}
}

// TestHundredsOfVictims checks that, of very many failing tests, only a few run alone before the
// cause is known. Shared orders are enough for the others. Tests without enough time are reported
// as sharing the cause.
func TestHundredsOfVictims(t *testing.T) {
	for _, c := range []struct {
		minutes int
		long    time.Duration // the duration of an order of all tests
	}{{4, 0}, {20, 2 * time.Minute}, {100, 2 * time.Minute}, {100, 0}} {
		synctest.Test(t, func(t *testing.T) {
			w, p, _, victims, odd := manyVictims(2, 300)
			w.rng = rand.New(rand.NewPCG(1, 9)) // see TestVictimsOfACohort
			w.before = func(_ int, o suite.Order) error {
				if len(o) > len(victims)/2 {
					time.Sleep(c.long) // fake time of synctest
				}
				return nil
			}
			failing := slices.Sorted(maps.Keys(odd))
			failing = append(failing, victims...)
			w.takes = 2 * time.Second
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(c.minutes)*time.Minute)
			defer cancel()
			res, err := Diagnose(ctx, w, Input{Groups: groups, Suite: w.suite(), Failing: failing, Seen: seen(w.all), Keep: RepairShare})
			if err != nil {
				t.Fatal(err)
			}
			explained, named, joint := 0, 0, 0
			w.takes, w.cohortWorld = 0, true
			for _, r := range res.Tests {
				want, is := odd[r.Test]
				switch {
				case r.Verdict == suite.Undecided && r.Unfinished:
					if !is && strings.Contains(r.Reason, "PollTest#pollutes") && strings.Contains(r.Reason, "kept to repair") {
						named++
					}
				case !is:
					explained++
					if r.Verdict != suite.Victim || !slices.Equal(r.Polluters[0], suite.Order{p}) || r.Failure == nil {
						t.Errorf("%s is %s of %v", r.Test, r.Verdict, r.Polluters)
					}
					if r.MinimalOrder == nil {
						joint++
						w.shown(t, res, r.Test)
						if n := r.Cost.Total(); n > 0 {
							t.Errorf("%s took %d processes of its own", r.Test, n)
						}
					}
				case r.Verdict != want && c.minutes == 100:
					t.Errorf("%s is %s: %s", r.Test, r.Verdict, r.Reason)
				case r.NonIdempotent != (r.Test == "o.OddTest#twice"):
					t.Errorf("%s fails when run twice: %v", r.Test, r.NonIdempotent)
				}
				if want != suite.FlakyOther {
					w.holds(t, r)
				}
			}
			t.Logf("%d minutes, long orders %v: %d processes, %d explained, %d of them by orders that they share, %d named",
				c.minutes, c.long,
				res.Cost.Total(), explained, joint, named)
			if short := c.minutes == 20; explained+named != len(victims) || short != (named > 0) || !short && joint < 280 {
				t.Errorf("%d are explained and %d named, of %d", explained, named, len(victims))
			}
		})
	}
}

// shown checks that a test without a minimal order fails in the two shared orders that the result
// names, and passes without the cause.
func (w *world) shown(t *testing.T, res *Result, id suite.TestID) {
	t.Helper()
	n := 0
	for _, x := range res.Shared {
		if !slices.Contains(x.Tests, id) {
			continue
		}
		n++
		if !slices.Equal(x.Failing, suite.Join(x.Cause, x.Passing)) || x.Repeats < DefaultRerun-1 {
			t.Errorf("shared by %d: %+v", len(x.Tests), x)
		}
		for o, want := range map[*suite.Order]suite.Outcome{&x.Failing: suite.Fail, &x.Passing: suite.Pass} {
			if out := w.process(*o, suite.Fresh, true).At(o.Index(id)).Outcome; out != want {
				t.Errorf("%s: %s in an order, reported as %s", id, out, want)
			}
		}
	}
	if n != 2 {
		t.Errorf("%s is shown by %d orders", id, n)
	}
}

// TestFirstAfterThePolluter checks that the test directly after the polluter in the order of all
// tests is a victim, too.
func TestFirstAfterThePolluter(t *testing.T) {
	for _, n := range []int{7, 13} { // few tests run one by one
		w := newWorld()
		w.width = 2
		w.fill("a", 12, 5)
		for _, id := range w.all {
			w.tests[id] = sets("x", 0)
		}
		p := w.add("b.PollTest#pollutes", sets("x", 1))
		w.add("b.PollTest#thenClears", sets("x", 0))
		failing := suite.Order{w.add("c.VTest#v", needs("x", 0))}
		for i := range n - 1 {
			failing = append(failing, w.add(suite.TestID(fmt.Sprintf("m.More%02dTest#t", i)), needs("x", 0)))
		}
		w.cohortWorld = true
		order := slices.Concat(suite.Order{p, failing[0]}, w.all[:60], failing[1:])
		for _, r := range w.diagnose(t, Input{Failing: failing, Seen: seen(order)}).Tests {
			if r.Verdict != suite.Victim || !slices.Equal(r.Polluters[0], suite.Order{p}) {
				t.Errorf("%d failing: %s is %s: %s", n, r.Test, r.Verdict, r.Reason)
			}
			w.holds(t, r)
		}
	}
}

// TestCleanerByCompanion checks that a cleaner of other victims is not reported for a victim that
// passes only because they pass.
func TestCleanerByCompanion(t *testing.T) {
	w := newWorld()
	w.fill("a", 3, 3)
	w.add("b.PollTest#pollutes", func(p *proc) suite.Outcome { p.vars["x"], p.vars["y"] = 1, 1; return suite.Pass })
	var failing suite.Order
	for i := range 12 {
		if i == 6 {
			failing = append(failing, w.add("m.MiddleTest#y", needs("y", 0)))
		}
		failing = append(failing, w.add(suite.TestID(fmt.Sprintf("m.More%02dTest#t", i)), func(p *proc) suite.Outcome {
			if p.vars["x"] == 0 {
				p.vars["y"] = 0 // only if it runs to the end
				return suite.Pass
			}
			return suite.Fail
		}))
	}
	failing = append(failing, w.add("n.NTest#y", needs("y", 0)))
	w.add("z.CleanTest#c", sets("x", 0))
	w.cohortWorld = true
	for _, r := range w.diagnose(t, Input{Failing: failing, Seen: seen(w.all)}).Tests {
		expect(t, r, suite.Victim)
		w.holds(t, r)
	}
}

// TestTwiceHiddenByCompanions checks that a test that fails when it runs twice is recognised, even
// if earlier tests hide it.
func TestTwiceHiddenByCompanions(t *testing.T) {
	w := newWorld()
	w.fill("a", 3, 3)
	w.add("b.PollTest#pollutes", sets("x", 1))
	var failing suite.Order
	for i := range 12 {
		failing = append(failing, w.add(suite.TestID(fmt.Sprintf("m.More%02dTest#t", i)), func(p *proc) suite.Outcome {
			p.vars["init"]++
			return passIf(p.vars["x"] == 0)
		}))
	}
	failing = append(failing, w.add("n.NTest#twice", func(p *proc) suite.Outcome {
		out := passIf(p.vars["x"] == 0 && p.vars["mine"] == 0)
		if p.vars["init"] == 0 {
			p.vars["mine"] = 1
		}
		return out
	}))
	for _, r := range w.diagnose(t, Input{Failing: failing, Seen: seen(w.all)}).Tests {
		if again := w.ask(suite.Order{r.Test, r.Test}) == suite.Fail; r.NonIdempotent != again {
			t.Errorf("%s fails after itself: %v, in truth %v", r.Test, r.NonIdempotent, again)
		}
	}
}

// TestCohortCutShort checks that every test that ran before the budget ended is explained.
func TestCohortCutShort(t *testing.T) {
	w, _, _, victims, _ := manyVictims(2, 40)
	whole := w.diagnose(t, Input{Failing: victims, Seen: seen(w.all)}).Cost.Total()
	for _, cut := range []int{50, 60, 70} { // afterwards come the cleaners, and the tests that run twice
		w, p, _, victims, _ := manyVictims(2, 40)
		explained := 0
		for _, r := range w.diagnose(t, Input{Failing: victims, Seen: seen(w.all), MaxQuestions: whole - cut}).Tests {
			if r.Verdict == suite.Victim && slices.Equal(r.Polluters[0], suite.Order{p}) {
				explained++
			}
		}
		if explained < len(victims)-cut+40 {
			t.Errorf("%d runs before the end %d of %d are explained", cut, explained, len(victims))
		}
	}
}

// TestHundredsOfCauses checks that the result of an order also counts for tests that have not run
// alone yet.
func TestHundredsOfCauses(t *testing.T) {
	for _, n := range []int{45, 100} {
		w := newWorld()
		w.width = 2
		w.fill("b", 70, 1)
		for _, x := range w.all {
			w.tests[x] = sets("last", 0)
		}
		failing := suite.Order{w.add("c.FineTest#t", sets("last", 0))}
		for i := range n {
			failing = append(failing, w.add(suite.TestID(fmt.Sprintf("m.More%03dTest#t", i)), func(p *proc) suite.Outcome {
				ran := fmt.Sprint("ran", i)
				ok := p.vars["last"] != i+1 && p.vars[ran] == 0
				p.vars["last"], p.vars[ran] = 0, 1
				return passIf(ok)
			}))
			w.add(suite.TestID(fmt.Sprintf("m.Poll%03dTest#a", i)), sets("last", i+1))
		}
		victims := 0
		for _, r := range w.diagnose(t, Input{Failing: failing, Rerun: 1}).Tests {
			if r.Verdict == suite.Victim {
				victims++
			}
		}
		if victims != n {
			t.Errorf("%d of %d victims", victims, n)
		}
	}
}

// TestUnrelatedTestsAreNoCohort checks that many failing tests with separate causes are all
// explained.
func TestUnrelatedTestsAreNoCohort(t *testing.T) {
	w := newWorld()
	var failing suite.Order
	for i := range cohort.Sample + 1 {
		x := fmt.Sprintf("x%d", i)
		w.add(suite.TestID(fmt.Sprintf("p%d.ATest#p", i)), sets(x, 1))
		w.add(suite.TestID(fmt.Sprintf("p%d.BTest#p", i)), sets(x, 1))
		failing = append(failing, w.add(suite.TestID(fmt.Sprintf("v%d.VTest#v", i)), needs(x, 0)))
	}
	for _, r := range w.diagnose(t, Input{Failing: failing, Seen: seen(w.all)}).Tests {
		if len(r.Polluters) != 2 {
			t.Errorf("%s: polluters %v", r.Test, r.Polluters)
		}
		w.holds(t, r)
	}
}
