package detect

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// cohortWorld returns a world of 400 tests and one order, which begins with the last class. In that
// class, the causes set state in turns. 300 tests of the first classes fail after each of them.
func cohortWorld(causes ...string) (w *world, o suite.Order) {
	w = newWorld(slices.Repeat([]int{20}, 20)...)
	w.side, w.flat, w.most = 1, true, 5000
	for i, x := range causes {
		w.tests[id(20, 3+4*i)].sets = x
	}
	for i := range 300 {
		w.tests[id(1+i/20, 1+i%20)].failsIf = causes[i%len(causes)]
	}
	all := w.suite.Order()
	return w, slices.Concat(all[380:], all[:380])
}

// unknown is the known function of Sharpen for tests without a known kind.
func unknown(suite.TestID) bool { return false }

// shows searches with one order. If whole is set, it also distinguishes victims from brittle tests.
func (w *world) shows(t testing.TB, o suite.Order, state *State, whole bool) (*Search, Result) {
	t.Helper()
	s := New(w, Input{
		Tests: w.suite.Order(), Observed: w.observed(), State: state,
		Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}},
	})
	t.Cleanup(s.Close)
	until := time.Now()
	if whole {
		until = farOff
	}
	if done, err := s.Run(t.Context(), until); err != nil || done != whole {
		t.Fatal(done, err)
	}
	if whole {
		if err := s.Sharpen(t.Context(), farOff, unknown); err != nil {
			t.Fatal(err)
		}
	}
	return s, s.Result()
}

// confirmed checks that all finds are real and rest on enough runs.
func (w *world) confirmed(t testing.TB, res Result, finds int) {
	t.Helper()
	if len(res.Finds) != finds {
		t.Errorf("%d finds, want %d; %d not certain, %d flaky", len(res.Finds), finds, len(res.Undecided), len(res.Flaky))
	}
	for i, f := range res.Finds {
		if i%16 == 0 {
			if p, q := w.truth(f.Test); !p || !q {
				t.Errorf("%s is found, and does not both pass and fail", f.Test)
			}
		}
		if f.Failing.Repeats < DefaultRerun || f.Passing.Repeats < DefaultRerun || f.Failing.Order[len(f.Failing.Order)-1] != f.Test {
			t.Errorf("%s rests on %d and %d runs", f.Test, f.Failing.Repeats, f.Passing.Repeats)
		}
	}
}

// TestCohort checks that a few processes confirm hundreds of tests that one order changed, whatever
// number of polluters they have. At the end, each is called a victim.
func TestCohort(t *testing.T) {
	for name, c := range map[string]struct {
		causes    []string
		state     bool
		processes int // the order, those that confirm the cohort, and their counterparts
		held      int // tests in those processes, without the order
	}{
		"one polluter":      {[]string{"x"}, true, 1 + 3 + 3, 3*301 + 3*300},
		"two polluters":     {[]string{"x", "y"}, true, 1 + 3 + 3, 3*302 + 3*300},
		"unknown polluters": {[]string{"x", "y"}, false, 1 + 2 + 3, 2*320 + 3*300},
	} {
		t.Run(name, func(t *testing.T) {
			w, o := cohortWorld(c.causes...)
			state := w.state()
			if !c.state {
				state = nil
			}
			_, res := w.shows(t, o, state, false)
			w.confirmed(t, res, 300)
			if most := 400 + 400 + c.held; w.runs > c.processes || res.Spent.Executions > most {
				t.Errorf("%d processes, %d would do; %d executions, %d would do", w.runs, c.processes, res.Spent.Executions, most)
			}
			for _, f := range res.Finds {
				if f.Kind != Dependent || f.Cohort != "order 1 (one)" {
					t.Fatalf("%s is called %s of %q", f.Test, f.Kind, f.Cohort)
				}
				if f.Shown.Executions != 400+400 || f.After.Executions <= f.Shown.Executions {
					t.Fatalf("%s was first seen to fail after %d executions, and found after %d", f.Test,
						f.Shown.Executions, f.After.Executions)
				}
			}
			w.runs = 0
			_, res = w.shows(t, o, state, true)
			w.confirmed(t, res, 300)
			if most := c.processes + 2*300; w.runs > most || !res.Exhausted {
				t.Errorf("%d processes, %d would do", w.runs, most)
			}
			for t_, kind := range res.kinds() {
				if kind != Victim {
					t.Errorf("%s is called %s", t_, kind)
				}
			}
		})
	}
}

// TestCohortCounterpart checks that the order in which a cohort failed and its counterpart differ
// only in the likely causes.
func TestCohortCounterpart(t *testing.T) {
	w, o := cohortWorld("x", "y")
	_, res := w.shows(t, o, w.state(), false)
	for _, f := range res.Finds {
		var more suite.Order
		for _, x := range f.Failing.Order {
			if !slices.Contains(f.Passing.Order, x) {
				more = append(more, x)
			}
		}
		if !slices.Equal(more, suite.Order{id(20, 3), id(20, 7)}) || len(f.Passing.Order) != len(f.Failing.Order)-2 {
			t.Fatalf("%s fails after %v, and passes in %s", f.Test, more, f.Passing.Source)
		}
		if !strings.HasSuffix(f.Passing.Source, " without g20.t3, g20.t7") {
			t.Fatal(f.Passing.Source)
		}
	}
}

// TestCohortWithoutACounterpart checks a cohort whose outcomes stay the same without the likely
// causes. The suite's own order then confirms it. If that order does not confirm it either, nothing
// is claimed, and only few processes run before the end. The tests are then genuine.
func TestCohortWithoutACounterpart(t *testing.T) {
	w, o := cohortWorld("x")
	for i := range 20 {
		w.tests[id(20, i+1)].sets = "x" // all tests of the class, of which few are known
	}
	known := newWorld(slices.Repeat([]int{20}, 20)...)
	known.tests[id(20, 20)].sets = "x"
	for i := range 300 {
		known.tests[id(1+i/20, 1+i%20)].failsIf = "x"
	}
	_, res := w.shows(t, o, known.state(), false)
	w.confirmed(t, res, 300)
	if most := 1 + 3 + 3; w.runs > most {
		t.Errorf("%d processes, %d would do", w.runs, most)
	}

	w, o = cohortWorld("x")
	s := New(w, Input{Tests: w.suite.Order(), Observed: &Observed{Later: true}, State: w.state(),
		Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}}})
	defer s.Close()
	for i := range 300 {
		w.tests[id(1+i/20, 1+i%20)].genuine = true // it passed only in the observed run
	}
	if done, err := s.Run(t.Context(), time.Now()); err != nil || done {
		t.Fatal(done, err)
	}
	if res := s.Result(); len(res.Finds) > 0 || len(res.Undecided) != 300 || w.runs > 10 {
		t.Errorf("%d finds, %d not certain, %d processes", len(res.Finds), len(res.Undecided), w.runs)
	}
	if done, err := s.Run(t.Context(), farOff); err != nil || !done {
		t.Fatal(done, err)
	}
	if res := s.Result(); len(res.Finds) > 0 || len(res.Genuine) != 300 || !res.Exhausted {
		t.Errorf("%d finds, %d genuine", len(res.Finds), len(res.Genuine))
	}
}

// TestBrittleCohort checks hundreds of tests that need another test's state and fail in an order
// without it. That order and the suite's own confirm them.
func TestBrittleCohort(t *testing.T) {
	w, _ := cohortWorld("")
	for i := range 300 {
		w.tests[id(2+i/20, 1+i%20)].failsIf, w.tests[id(2+i/20, 1+i%20)].failsUnless = "", "x"
		w.tests[id(1+i/20, 1+i%20)].failsIf = ""
	}
	w.tests[id(1, 7)].sets = "x"
	all := w.suite.Order()
	o := slices.Concat(all[20:], all[:20])
	_, res := w.shows(t, o, w.state(), false)
	w.confirmed(t, res, 300)
	if most := 1 + 2 + 3 + 1; w.runs > most {
		t.Errorf("%d processes, %d would do", w.runs, most)
	}
	_, res = w.shows(t, o, w.state(), true)
	w.confirmed(t, res, 300)
	for t_, kind := range res.kinds() {
		if kind != Brittle {
			t.Errorf("%s is called %s", t_, kind)
		}
	}
}

// TestFlakyInACohort checks that a test which fails in half of its runs is called order-dependent
// at most once in 16 times, counted among the tests whose outcome the order changed. Each of the
// two orders runs twice more.
func TestFlakyInACohort(t *testing.T) {
	const coins = 40
	turned, wrong := 0, 0
	for seed := range uint64(12) {
		w, o := cohortWorld("x")
		w.rng, w.side = rand.New(rand.NewPCG(seed, 4)), 1
		for i := range coins {
			w.tests[id(16+i/20, 1+i%20)].flaky = 0.5
		}
		observed := &Observed{Later: true}
		for i := range coins {
			if i%2 == 0 {
				observed.Failed = append(observed.Failed, id(16+i/20, 1+i%20))
			}
		}
		s := New(w, Input{Tests: w.suite.Order(), Observed: observed, State: w.state(),
			Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}}})
		if _, err := s.Run(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		for _, r := range s.records[300 : 300+coins] {
			if r.turned != nil {
				turned++
			}
		}
		right := 0
		for _, f := range s.Result().Finds {
			if w.tests[f.Test].flaky > 0 {
				wrong++
			} else {
				right++
			}
		}
		if right != 300 {
			t.Errorf("seed %d: %d of the 300 are found", seed, right)
		}
	}
	t.Logf("%d of %d are called order-dependent", wrong, turned)
	if wrong*16 > turned {
		t.Errorf("%d of %d are called order-dependent", wrong, turned)
	}
}

// TestCohortInTrouble checks that other tests of a cohort are found if processes end early, tests
// are missing, or outcomes need exclusive runs, at any moment.
func TestCohortInTrouble(t *testing.T) {
	for at := 1; at <= 9; at++ {
		for name, trouble := range map[string]func(w *world){
			"a polluter ends its process": func(w *world) { w.tests[id(20, 3)].crashesAt = at },
			"a member ends its process":   func(w *world) { w.tests[id(3, 3)].crashesAt = at },
			"one always does":             func(w *world) { w.tests[id(3, 3)].crashes = true },
			"a member vanishes":           func(w *world) { w.tests[id(3, 3)].goneAfter = at },
			"one is not there on the way": func(w *world) { w.tests[id(3, 3)].goneLater = at },
			"others beside matter":        func(w *world) { w.side, w.gate, w.tests[id(3, 3)].besideAfter = 2, make(chan struct{}), at },
		} {
			w, o := cohortWorld("x", "y")
			if name == "a polluter ends its process" && at == 1 {
				continue // otherwise the only order lacks the test
			}
			trouble(w)
			observed := &Observed{Later: true}
			s := New(w, Input{Tests: w.suite.Order(), Observed: observed, State: w.state(),
				Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}}})
			if _, err := s.Run(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
			s.Close()
			// 42 of them run before the end of a process, and run alone instead
			if res := s.Result(); len(res.Finds) < 299 || w.runs > 110 {

				t.Errorf("%s, at run %d: %d finds by %d processes, %d not certain, %d flaky, left out %v",
					name, at, len(res.Finds), w.runs, len(res.Undecided), len(res.Flaky), tests(res.Left))
			}
		}
	}
}

// TestCohortOnce checks that no test waits for a repetition if one process is enough for each
// claim.
func TestCohortOnce(t *testing.T) {
	w, o := cohortWorld("x")
	s := New(w, Input{
		Tests: w.suite.Order(), Observed: w.observed(), State: w.state(), Rerun: 1,
		Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}},
	})
	defer s.Close()
	if done, err := s.Run(t.Context(), farOff); !done || err != nil || !s.Result().Exhausted || len(s.Result().Finds) != 300 {
		t.Errorf("%v, %v, exhausted %v, %d finds", done, err, s.Result().Exhausted, len(s.Result().Finds))
	}
}
