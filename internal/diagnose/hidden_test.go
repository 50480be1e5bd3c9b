package diagnose

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

func TestPairHiddenInEveryWholeOrder(t *testing.T) {
	// Two tests of one class pollute together. A cleaner comes before the victim in the original
	// order. In the reverse order, everything comes after the victim.
	w := newWorld()
	p1 := w.add("a.PairTest#arms", sets("armed", 1))
	p2 := w.add("a.PairTest#fires", func(p *proc) suite.Outcome {
		if p.vars["armed"] == 1 {
			p.vars["x"] = 1
		}
		return suite.Pass
	})
	w.fill("b", 3, 3)
	c := w.add("c.CleanTest#clears", func(p *proc) suite.Outcome {
		p.vars["x"], p.vars["armed"] = 0, 0
		return suite.Pass
	})
	v := w.add("d.VictimTest#v", needs("x", 0))
	w.fill("e", 3, 3)
	r := w.only(t, Input{Failing: []suite.TestID{v}})
	expect(t, r, suite.Victim, "PairTest#arms and then PairTest#fires")
	if !slices.Equal(r.MinimalOrder, suite.Order{p1, p2, v}) || len(r.Cleaners) == 0 ||
		!slices.Equal(r.Cleaners[0].Cleaner, suite.Order{c}) {
		t.Errorf("minimal order %v, cleaners %v", r.MinimalOrder, r.Cleaners)
	}
	if !strings.Contains(r.FailingOrder.Source, "right before") {
		t.Errorf("failing order from %q", r.FailingOrder.Source)
	}
	w.holds(t, r)
}

// TestPolluterThatMustComeFirst has a class that keeps the value which it read when it was
// initialised. Almost every test initialises it. Only a test that changes the value and is the
// first of all pollutes.
func TestPolluterThatMustComeFirst(t *testing.T) {
	for _, given := range []bool{true, false} {
		w := newWorld()
		initialises := func(as int) func(*proc) suite.Outcome {
			return func(p *proc) suite.Outcome {
				if p.vars["kept"] == 0 {
					p.vars["kept"] = as
				}
				return passIf(p.vars["kept"] != 2)
			}
		}
		var writers suite.Order
		for i := range 30 {
			for j := range 4 {
				body := initialises(1)
				if i == 11 && j == 2 {
					body = func(p *proc) suite.Outcome { _ = initialises(2)(p); return suite.Pass }
				}
				id := w.add(suite.TestID(fmt.Sprintf("a%d.C%02dTest#t%d", i%3, i, j)), body)
				if i > 3 && j == 2 {
					writers = append(writers, id)
				}
			}
		}
		p, v := suite.TestID("a2.C11Test#t2"), w.add("z.VictimTest#v", initialises(1))
		in, asked := Input{Failing: []suite.TestID{v}}, 0
		if given {
			in.ProcessWriters = func(context.Context) suite.Order { asked++; return writers }
		}
		r := w.only(t, in)
		if !given {
			expect(t, r, suite.NotReproduced)
			continue
		}
		expect(t, r, suite.Victim, "C11Test#t2")
		if !slices.Equal(r.MinimalOrder, suite.Order{p, v}) || !strings.Contains(r.FailingOrder.Source, "as the first test") || asked != 1 {
			t.Errorf("minimal order %v, failing order from %q, asked %d times", r.MinimalOrder, r.FailingOrder.Source, asked)
		}
		w.holds(t, r)
	}
}

func TestPolluterThatWearsOff(t *testing.T) {
	// After one of the candidates, the polluter no longer pollutes in that process. The candidates
	// after it must be probed again.
	w := newWorld()
	w.add("a.PollTest#p", func(p *proc) suite.Outcome {
		if p.vars["immune"] == 0 {
			p.vars["x"] = 1
		}
		return suite.Pass
	})
	v := w.add("a.VictimTest#v", needs("x", 0))
	w.add("b.FirstTest#immunises", sets("immune", 1))
	c1 := w.add("b.FirstTest#clears", sets("x", 0))
	w.fill("c", 8, 5)
	c2 := w.add("d.LastTest#puts", sets("x", 0))
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all), FindAll: true})
	expect(t, r, suite.Victim)
	var got suite.Order
	for _, x := range r.Cleaners {
		got = append(got, x.Cleaner...)
	}
	if !slices.Equal(got, suite.Order{c1, c2}) {
		t.Errorf("cleaners %v", got)
	}
	w.holds(t, r)
}

func TestOneFailureAmongManyRunsIsFlaky(t *testing.T) {
	for k := 1; k <= 5; k++ {
		w := newWorld()
		w.fill("a", 3, 3)
		w.add("b.SetTest#s", sets("x", 1))
		n := 0
		v := w.add("c.VictimTest#v", func(p *proc) suite.Outcome {
			p.vars["ran"]++
			if p.vars["x"] == 0 || p.vars["ran"] > 1 { // probing runs it many times, and gives only hints
				return suite.Pass
			}
			n++
			return passIf(n != k)
		})
		r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all)})
		if n < k {
			t.Fatalf("only %d runs after the other test", n)
		}
		if r.Verdict != suite.FlakyOther || len(r.Polluters) > 0 || !strings.Contains(r.Reason, "runs failed") {
			t.Errorf("failure in run %d: %s (%s)", k, r.Verdict, r.Reason)
		}
	}
}

func TestProgress(t *testing.T) {
	w, p, v, c := polluted(2)
	var said, best []string
	last := 0
	r := w.only(t, Input{Failing: []suite.TestID{v}, Seen: seen(w.all), Progress: func(e Event) {
		said, best = append(said, e.Message), append(best, e.Best)
		if e.Questions < last {
			t.Errorf("%d questions after %d", e.Questions, last)
		}
		last = e.Questions
	}})
	expect(t, r, suite.Victim)
	if all := strings.Join(said, "\n"); !strings.Contains(all, "running log") || !strings.Contains(all, "parts of the order") {
		t.Errorf("progress %q", said)
	}
	if all := strings.Join(best, "\n"); !strings.Contains(all, "one of 11 tests") || !strings.Contains(all, short(p)) ||
		!strings.Contains(all, short(c)+" cleans up") {
		t.Errorf("best %q", best)
	}
}

func BenchmarkDiagnose(b *testing.B) {
	w := newWorld()
	w.width = 2
	w.fill("a", 200, 10)
	w.tests[w.all[77]] = sets("x", 1)
	v := w.add("z.VictimTest#fails", needs("x", 0))
	w.add("z.VictimTest#clears", sets("x", 0))
	in := Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}, Seen: seen(w.all)}
	b.ReportAllocs()
	for b.Loop() {
		res, err := Diagnose(b.Context(), w, in)
		if err != nil || res.Tests[0].Verdict != suite.Victim {
			b.Fatal(res, err)
		}
		b.ReportMetric(float64(res.Cost.Total()), "questions")
	}
}

// One test opens a store, and another test breaks the open store. Any of many classes can open it.
// The breaking test is in another class, which comes first in the suite's own order.
func TestPollutersInTwoClasses(t *testing.T) {
	w := newWorld()
	spoils := w.add("a.MakesTest#spoils", func(p *proc) suite.Outcome {
		if p.vars["open"] == 1 {
			p.vars["x"] = 1
		}
		return suite.Pass
	})
	for i := range 60 {
		w.add(suite.TestID(fmt.Sprintf("b.User%dTest#opens", i)), sets("open", 1))
	}
	v := w.add("c.VictimTest#v", func(p *proc) suite.Outcome {
		p.vars["open"] = 1
		if p.vars["x"] == 1 {
			return suite.Fail
		}
		return suite.Pass
	})
	r := w.only(t, Input{Failing: []suite.TestID{v}})
	expect(t, r, suite.Victim)
	if len(r.MinimalOrder) != 3 || r.MinimalOrder[1] != spoils {
		t.Errorf("minimal order %v", r.MinimalOrder)
	}
	if !strings.HasPrefix(r.FailingOrder.Source, "random order") || !strings.HasSuffix(r.FailingOrder.Source, "c.VictimTest last") {
		t.Errorf("failing order from %q", r.FailingOrder.Source)
	}
	w.holds(t, r)
}
