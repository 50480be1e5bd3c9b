package detect

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

// cohorts is a world of 400 tests, of which 300 in the first classes fail after either of two of
// the last one's, in turns; it is asked one order, which begins with the last class.
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

// unknown is for a Sharpen of all.
func unknown(suite.TestID) bool { return false }

// shows searches with one order; whole says that victims and brittle tests are distinguished, too.
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

// confirmed fails where a find of the world is not one, or does not rest on enough runs.
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

// TestCohort: hundreds who behave otherwise in one order are confirmed by a handful of processes,
// however many polluters they have; then, at the end, each is called a victim.
func TestCohort(t *testing.T) {
	for name, c := range map[string]struct {
		causes    []string
		state     bool
		processes int // the order, what shows the cohort again, its counterpart
		held      int // tests in those but the order
	}{
		"one polluter":               {[]string{"x"}, true, 1 + 3 + 3, 3*301 + 3*300},
		"two polluters":              {[]string{"x", "y"}, true, 1 + 3 + 3, 3*302 + 3*300},
		"nobody knows the polluters": {[]string{"x", "y"}, false, 1 + 2 + 3, 2*320 + 3*300},
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

// TestCohortCounterpart: what a cohort failed in, and its counterpart, differ in the likely causes
// only.
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

// TestCohortWithoutACounterpart: where leaving out the likely causes changes nothing, the suite's
// own order shows it; where that does not either, nothing is claimed, no more than a few processes
// are spent on it before the end, and then they are called genuine.
func TestCohortWithoutACounterpart(t *testing.T) {
	w, o := cohortWorld("x")
	for i := range 20 {
		w.tests[id(20, i+1)].sets = "x" // all of them, of which few are known
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
		w.tests[id(1+i/20, 1+i%20)].genuine = true // passed only while somebody looked on
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

// TestBrittleCohort: hundreds who need what one test leaves, and do not get it in an order, are
// confirmed by that order and the suite's own.
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

// TestFlakyInACohort: a test that fails every other time is called order-dependent among a cohort
// no more than once in 16 times: each of the two orders bears that out twice more. That is counted
// of those that the order turned.
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

// TestCohortInTrouble: processes that end early, tests that vanish and answers that hold only with
// nothing beside, at any moment, keep nobody else of a cohort from being found.
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
				continue // then the only order there is lacks it
			}
			trouble(w)
			observed := &Observed{Later: true}
			s := New(w, Input{Tests: w.suite.Order(), Observed: observed, State: w.state(),
				Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}}})
			if _, err := s.Run(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
			s.Close()
			// where 42 of them stand in front of a process's end, they are asked for alone
			if res := s.Result(); len(res.Finds) < 299 || w.runs > 110 {

				t.Errorf("%s, at run %d: %d finds by %d processes, %d not certain, %d flaky, left out %v",
					name, at, len(res.Finds), w.runs, len(res.Undecided), len(res.Flaky), tests(res.Left))
			}
		}
	}
}

// keeping gives what it answered before again, once each, and is interrupted after so many other
// answers.
type keeping struct {
	*world
	mu       sync.Mutex
	kept     map[string][]*suite.Run // not given yet
	answered []*suite.Run
	most     int // 0: it is not interrupted
	stop     context.CancelFunc
}

func (k *keeping) Run(ctx context.Context, o suite.Order, alone bool) (*suite.Run, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old := k.kept[o.Key()]; len(old) > 0 {
		k.kept[o.Key()] = old[1:]
		return old[0], nil
	}
	if k.most > 0 && len(k.answered) == k.most {
		k.stop()
		return nil, ctx.Err()
	}
	run, err := k.world.Run(ctx, o, alone)
	if err == nil {
		k.answered = append(k.answered, run)
	}
	return run, err
}

// TestCohortResumed: interrupted anywhere, a search that gets again what was answered before asks
// only for the rest, and comes to the same end. Where runs go side by side, those that were under
// way are asked for again.
func TestCohortResumed(t *testing.T) {
	for side := 1; side <= 3; side++ {
		resumed(t, side)
	}
}

func resumed(t *testing.T, side int) {
	t.Helper()
	search := func(k *keeping) (found []suite.TestID) {
		w, o := cohortWorld("x", "y")
		w.side = side
		k.world = w
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		k.stop = stop
		s := New(k, Input{Tests: w.suite.Order(), Observed: w.observed(), State: w.state(),
			Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}}})
		defer s.Close()
		if _, err := s.Run(ctx, time.Now()); err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Result().Finds {
			found = append(found, f.Test)
		}
		slices.Sort(found)
		return found
	}
	first := &keeping{}
	want := search(first)
	whole := len(first.answered)
	if len(want) != 300 || whole < 5 {
		t.Fatal(len(want), whole)
	}
	for cut := 1; cut < whole; cut++ {
		before := &keeping{most: cut}
		search(before)
		after := &keeping{kept: map[string][]*suite.Run{}}
		for _, run := range before.answered {
			after.kept[run.Order.Key()] = append(after.kept[run.Order.Key()], run)
		}
		got := search(after)
		if all := len(before.answered) + len(after.answered); !slices.Equal(want, got) || all > whole+side-1 {
			t.Errorf("%d at once, cut after %d: %d finds; %d and %d runs of %d", side, cut, len(got),
				len(before.answered), len(after.answered), whole)
		}
	}
}

// lingering answers long orders later than others that were asked after them.
type lingering struct {
	*world
	after func() // after every answer; it may be nil
}

func (l *lingering) Run(ctx context.Context, o suite.Order, alone bool) (*suite.Run, error) {
	if len(o) > 1 {
		time.Sleep(time.Millisecond) // of the bubble
	}
	if l.after != nil {
		defer l.after()
	}
	return l.world.Run(ctx, o, alone)
}

// TestCohortAtTheEnd: while the experiment on a cohort is under way, nobody of it is asked for
// alone for want of anything else to do.
func TestCohortAtTheEnd(t *testing.T) {
	for _, side := range []int{1, 2, 4} {
		for _, known := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				w, o := cohortWorld("x")
				w.side = side
				var state *State
				if known {
					state = w.state()
				}
				s := New(&lingering{world: w}, Input{
					Tests: w.suite.Order(), Observed: w.observed(), State: state,
					Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}},
				})
				defer s.Close()
				until := time.Now().Add(time.Hour)
				done, err := s.Run(t.Context(), until)
				res := s.Result()
				if err != nil || !done || !res.Exhausted || len(res.Finds) != 300 || w.runs > 10 {
					t.Errorf("%d at once, causes known %v: %v, %v, %d finds after %d processes", side,
						known, done, err, len(res.Finds), w.runs)
				}
				cause := res.Finds[0].Test // it is known from elsewhere
				if err := s.Sharpen(t.Context(), until, func(t suite.TestID) bool { return t == cause }); err != nil || w.runs > 620 {
					t.Errorf("%d at once, causes known %v: %v after %d processes", side, known, err, w.runs)
				}
				for _, f := range s.Result().Finds {
					if f.Cohort == "" || (f.Kind == Victim) == (f.Test == cause) {
						t.Fatalf("%d at once, causes known %v: %+v", side, known, f)
					}
				}
			})
		}
	}
}

// TestSharpeningInterrupted: as long as it is not known of all who are victims, they can be asked
// for again, and nothing that was found is lost.
func TestSharpeningInterrupted(t *testing.T) {
	w, o := cohortWorld("x")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := &lingering{world: w}
	l.after = func() {
		if w.runs == 40 {
			cancel()
		}
	}
	s := New(l, Input{
		Tests: w.suite.Order(), Observed: w.observed(), State: w.state(),
		Stages: []Stage{{Name: "one", Total: 1, Orders: slices.Values([]suite.Order{o})}},
	})
	defer s.Close()
	if done, err := s.Run(ctx, farOff); !done || err != nil {
		t.Fatal(done, err)
	}
	sharp := func() (n int) {
		for _, k := range s.Result().kinds() {
			if k == Victim {
				n++
			}
		}
		return n
	}
	if err := s.Sharpen(ctx, farOff, unknown); err != nil || len(s.Result().Finds) != 300 || sharp() >= 40 {
		t.Errorf("%v, %d finds, %d of them victims", err, len(s.Result().Finds), sharp())
	}
	if err := s.Sharpen(t.Context(), farOff, unknown); err != nil || len(s.Result().Finds) != 300 || sharp() != 300 {
		t.Errorf("%v, %d finds, %d of them victims", err, len(s.Result().Finds), sharp())
	}
}

// TestCohortOnce: where one process is enough for each claim, nobody waits for a repetition that is
// not asked for.
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
