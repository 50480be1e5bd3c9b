package diagnose

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// TestCause checks that the hint of a cause takes few runs, each of a separate order.
func TestCause(t *testing.T) {
	for name, c := range map[string]struct {
		victim func(*proc) suite.Outcome
		want   suite.Outcome
		cause  suite.Order
	}{
		"polluter": {needs("x", 0), suite.Fail, suite.Order{"p.PTest#sets"}},
		"setter":   {needs("x", 1), suite.Pass, suite.Order{"p.PTest#sets"}},
		"none":     {needs("x", 2), suite.Pass, nil},
	} {
		w := newWorld()
		w.fill("a", 4, 3)
		w.add("p.PTest#sets", sets("x", 1))
		w.fill("b", 4, 3)
		o := append(slices.Clone(w.all), w.add("v.VTest#v", c.victim))
		got, err := Cause(t.Context(), w, o, c.want)
		if err != nil || !slices.Equal(got, c.cause) || (got == nil) != (c.cause == nil) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if w.runs != 3 {
			t.Errorf("%s: %d runs", name, w.runs)
		}
	}
}

// TestQuickTestsAreLocatedFirst: where few tests take most of the time, the cause is looked for among
// the others first, which runs none of the slow ones.
func TestQuickTestsAreLocatedFirst(t *testing.T) {
	for _, cause := range []suite.TestID{"b.BTest#t0", "s.SlowTest#t0"} {
		w, ran := newWorld(), 0
		w.fill("a", 2, 3)
		seq := slices.Clone(w.all)
		for _, id := range []suite.TestID{"b.BTest#t0", "s.SlowTest#t0", "b.CTest#t0", "b.CTest#t1", "b.DTest#t0"} {
			seq = append(seq, w.add(id, func(p *proc) suite.Outcome {
				if id == "s.SlowTest#t0" {
					ran++
				}
				if id == cause {
					p.vars["x"] = 1
				}
				return suite.Pass
			}))
		}
		v := w.add("v.VTest#v", needs("x", 0))
		s := newSession(t.Context(), w, Input{Failing: []suite.TestID{v}, Original: w.all, Rerun: 1})
		for _, x := range seq {
			s.facts.nanos[x] = int64(10 * time.Millisecond)
		}
		s.facts.nanos["s.SlowTest#t0"] = int64(5 * time.Second)
		got, err := s.locate(t.Context(), &failingTest{id: v, alone: suite.Pass, res: TestResult{Test: v}}, seq, suite.Fail, nil)
		if err != nil || got != cause || ran > 0 { // the only slow test needs no process, as a hint
			t.Errorf("%q: %q, %v; the slow test ran %d times", cause, got, err, ran)
		}
	}
}

// TestBySpeed: slow tests are few, and take most of the time.
func TestBySpeed(t *testing.T) {
	for _, c := range []struct {
		seconds []int64 // of each test
		slow    int
	}{
		{[]int64{0, 0, 5, 0, 0, 0, 0, 0}, 1},
		{[]int64{5, 0, 0, 0, 0, 0, 5, 0}, 2},
		{[]int64{5, 0, 5, 0, 5, 0, 0, 0}, 0}, // too many
		{[]int64{1, 1, 1, 1, 1, 1, 1, 1}, 0}, // even
		{[]int64{0, 0, 1, 0, 0, 0, 0, 0}, 0}, // short
		{[]int64{0, 0, 0, 0, 0, 0, 0, 0}, 0},
	} {
		s := &session{facts: newFacts(nil)}
		var seq suite.Order
		for i, n := range c.seconds {
			id := suite.TestID(fmt.Sprintf("a.A#t%d", i))
			seq, s.facts.nanos[id] = append(seq, id), n*int64(time.Second)
		}
		quick, slow := s.bySpeed(seq)
		if len(slow) != c.slow || len(quick)+len(slow) != len(seq) {
			t.Errorf("%v: quick %v, slow %v", c.seconds, quick, slow)
		}
	}
}

// TestObservations: one process runs the failing test about √n times, each time for few tests, and
// less often if it is slow.
func TestObservations(t *testing.T) {
	for _, c := range []struct {
		tests int
		took  time.Duration
		want  int
	}{
		{2, 0, 2}, {12, 0, 12}, {13, 0, 4}, {16, 0, 4}, {17, 0, 5}, {100, 0, 10}, {100, time.Second, 10}, {100, 5 * time.Second, 3},
		{100, 20 * time.Second, 0},
	} {
		s, v := &session{facts: newFacts(nil)}, &failingTest{id: "a.A#v"}
		s.facts.nanos[v.id] = int64(c.took)
		if got := s.observations(v, c.tests); got != c.want {
			t.Errorf("%d tests, %v: %d, want %d", c.tests, c.took, got, c.want)
		}
	}
}

// TestSlowTestsAreNotLocated: a test that one process observes only twice is left to delta debugging,
// whose processes run side by side.
func TestSlowTestsAreNotLocated(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		want suite.TestID
		runs bool
	}{{time.Second, "p.PTest#sets", true}, {6 * time.Second, "", false}} {
		w := newWorld()
		w.fill("a", 4, 3)
		w.add("p.PTest#sets", sets("x", 1))
		seq := slices.Clone(w.all)
		v := w.add("v.VTest#v", needs("x", 0))
		s := newSession(t.Context(), w, Input{Failing: []suite.TestID{v}, Original: w.all, Rerun: 1})
		s.facts.nanos[v] = int64(c.took)
		got, err := s.locate(t.Context(), &failingTest{id: v, alone: suite.Pass, res: TestResult{Test: v}}, seq, suite.Fail, nil)
		if err != nil || got != c.want || (w.runs > 0) != c.runs {
			t.Errorf("%v: %q, %v, %d runs", c.took, got, err, w.runs)
		}
	}
}

// TestAfter checks which tests run between a sequence, found from the end, and the last test.
func TestAfter(t *testing.T) {
	o := func(s string) (out suite.Order) {
		for _, r := range s {
			out = append(out, suite.TestID(r))
		}
		return out
	}
	for _, c := range []struct{ order, seq, want string }{
		{"apbcv", "p", "bc"}, {"apbpcv", "p", "c"}, {"apbqcv", "pq", "c"}, {"aqbpcv", "pq", ""}, {"pv", "p", ""}, {"abv", "p", ""},
		{"pbv", "p", "b"}, {"abcvp", "p", ""}, {"pqbv", "pq", "b"}, {"pbqpv", "pq", "p"},
	} {
		if got := after(o(c.order), o(c.seq)); !slices.Equal(got, o(c.want)) {
			t.Errorf("%s after %s: %v, want %s", c.order, c.seq, got, c.want)
		}
	}
}

// TestCrashersAreLeftOut: as many tests that end the process as may be left out do not hide the
// failure in the order in which it was seen; one more does.
func TestCrashersAreLeftOut(t *testing.T) {
	for more, source := range []string{"order file o.txt", ""} {
		w := newWorld()
		for i := range maxCrashers + more {
			w.add(suite.TestID(fmt.Sprintf("a.C%dTest#exits", i)), crashes("exit"))
		}
		w.add("b.PTest#sets", sets("x", 1))
		v := w.add("c.VTest#v", needs("x", 0))
		s := newSession(t.Context(), w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v},
			Seen: []suite.Seen{{Source: "order file o.txt", Provenance: suite.Exact, Order: w.all}}})
		cases := s.admit()
		if err := s.reproduce(t.Context(), cases); err != nil {
			t.Fatal(err)
		}
		got := ""
		if cases[0].failing != nil {
			got = cases[0].failing.Source
		}
		if got != source || len(s.left) != maxCrashers+more {
			t.Errorf("%d crashers: fails in %q, %d left out", maxCrashers+more, got, len(s.left))
		}
	}
}

// TestNoRepeatsInKeptTime: a test without a cause runs alone again until twelve results agree,
// but not in the time that is kept for the work after the diagnosis.
func TestNoRepeatsInKeptTime(t *testing.T) {
	for _, c := range []struct {
		finish    time.Time
		elsewhere int
		want      int // runs
	}{
		{time.Time{}, 0, sure}, {time.Time{}, sure - 2, 2}, {time.Time{}, sure, 0},
		{time.Now().Add(-time.Second), 0, 0}, {time.Now().Add(time.Hour), 0, sure},
	} {
		w := newWorld()
		v := w.add("a.ATest#v", needs("x", 1))
		s := newSession(t.Context(), w, Input{Groups: groups, Suite: w.suite(), Failing: []suite.TestID{v}})
		if !c.finish.IsZero() {
			s.finishFrom = constant(c.finish)
		}
		if flaky, err := s.disagrees(t.Context(), s.admit()[0], c.elsewhere); flaky || err != nil || w.runs != c.want {
			t.Errorf("%+v: %d runs, flaky %v, %v", c, w.runs, flaky, err)
		}
	}
}
