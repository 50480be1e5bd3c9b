package diagnose

import (
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// TestExploringInParallel checks that orders without success run in parallel, in fewer rounds than
// there are orders.
func TestExploringInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.width = 4
		w.fill("z", 20, 2)
		v := w.add("zz.SteadyTest#t", nil)
		w.takes = time.Minute
		began := time.Now()
		r := w.only(t, Input{Failing: []suite.TestID{v}})
		expect(t, r, suite.NotReproduced)
		if rounds, runs := int(time.Since(began)/time.Minute), w.runs; runs < 30 || rounds > runs/2 || int(w.worst.Load()) != w.width {
			t.Errorf("%d runs in %d rounds, up to %d at once", runs, rounds, w.worst.Load())
		}
	})
}

// TestFailureInParallelOnly checks that a failure that occurs only in parallel processes is not
// attributed to the order.
func TestFailureInParallelOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.width = 4
		w.fill("z", 20, 2)
		w.add("y.ServerTest#port", sets("server", 1))
		v := w.add("zz.ClientTest#t", func(p *proc) suite.Outcome { return passIf(p.alone || p.vars["server"] == 0) })
		w.takes = time.Minute
		res := w.diagnose(t, Input{Failing: []suite.TestID{v}})
		expect(t, res.Tests[0], suite.NotReproduced)
		if !res.Sequential || !strings.Contains(strings.Join(res.Notes, " "), "one at a time") {
			t.Errorf("one at a time from there on: %v; notes %q", res.Sequential, res.Notes)
		}
	})
}

// TestForgottenResultsRunAgain checks parallel orders of which one shows that they disturb each
// other. The correct result of another one is not lost.
func TestForgottenResultsRunAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.width, w.takes = 2, time.Minute
		server, spoiler := w.add("y.ServerTest#port", sets("server", 1)), w.add("y.SpoilTest#sets", sets("x", 1))
		disturbed := w.add("zz.ClientTest#t", func(p *proc) suite.Outcome { return passIf(p.alone || p.vars["server"] == 0) })
		spoilt := w.add("zz.VictimTest#t", func(p *proc) suite.Outcome { return passIf(p.vars["x"] == 0) })
		s := newSession(t.Context(), w, Input{Failing: []suite.TestID{disturbed, spoilt}, Suite: w.suite()})
		s.noHints = true
		cases := []*failingTest{{id: disturbed, alone: suite.Pass}, {id: spoilt, alone: suite.Pass}}
		orders := func(yield func(candidate) bool) {
			for _, o := range []suite.Order{{server, spoilt}, {server, disturbed}, {spoiler, spoilt}} { // the first runs alone
				if !yield(candidate{Seen: suite.Seen{Source: "an order", Order: o}}) {
					return
				}
			}
		}
		next, stop := iter.Pull(iter.Seq[candidate](orders))
		defer stop()
		for _, size := range []int{1, 2} {
			if err := s.runWave(t.Context(), s.wave(cases, next, size)); err != nil {
				t.Fatal(err)
			}
		}
		if s.parallel() != 1 || cases[0].failing != nil || cases[1].failing == nil {
			t.Errorf("%d at once; the disturbed one fails in %v, the spoilt one in %v", s.parallel(), cases[0].failing, cases[1].failing)
		}
	})
}

// TestOrdersRunAsHintsFirst checks that one of many orders runs in a new process only if a hint
// shows that it makes a test fail, and until a hint was wrong.
func TestOrdersRunAsHintsFirst(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		w := newWorld()
		w.width = 2
		w.fill("a", 4, 2)
		pass := w.add("y.OtherTest#t", nil)
		sets := w.add("y.SetTest#sets", sets("x", 1))
		v := w.add("zz.VictimTest#t", func(p *proc) suite.Outcome {
			return passIf(p.vars["x"] == 0 || wrong && p.price == suite.Fresh)
		})
		s := newSession(t.Context(), w, Input{Failing: []suite.TestID{v}, Suite: w.suite()})
		c := &failingTest{id: v, alone: suite.Pass}
		wave := func(orders ...suite.Order) {
			var fs []following
			for _, o := range orders {
				fs = append(fs, following{candidate: candidate{Seen: suite.Seen{Order: o}}, unsettled: []*failingTest{c}})
			}
			if err := s.runWave(t.Context(), fs); err != nil {
				t.Fatal(err)
			}
		}
		wave(suite.Order{pass, v}, suite.Order{sets, v})
		if w.price[suite.Batched] != 2 || w.price[suite.Fresh] != 1 || (c.failing == nil) != wrong || s.noHints != wrong {
			t.Errorf("%v; fails in %v; no more hints: %v", w.price, c.failing, s.noHints)
		}
		wave(suite.Order{w.all[0], v}, suite.Order{w.all[1], v})
		if want := map[bool]int{false: 1, true: 3}[wrong]; w.price[suite.Fresh] != want {
			t.Errorf("wrong hint %v: %v, want %d fresh", wrong, w.price, want)
		}
	}
}
