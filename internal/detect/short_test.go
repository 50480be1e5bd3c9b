package detect

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// state is what observing the suite's own order would show: the writers, the readers, and the tests
// that were not seen to run with another test's state.
func (w *world) state() *State {
	flows := map[string]*order.Flow{}
	pairs := map[string][][2]suite.TestID{}
	at := func(x string) *order.Flow {
		if flows[x] == nil {
			flows[x] = &order.Flow{}
		}
		return flows[x]
	}
	var all [][2]suite.TestID
	tests := w.suite.Order()
	for _, t := range tests {
		b := w.tests[t]
		for _, x := range []string{b.sets, b.clears} {
			if f := at(x); x != "" && !slices.Contains(f.Writers, t) {
				f.Writers, f.Leaders = append(f.Writers, t), append(f.Leaders, t)
			}
		}
		for _, x := range []string{b.failsIf, b.failsUnless, b.reads} {
			if f := at(x); x != "" && !slices.Contains(f.Readers, t) {
				f.Readers, f.Bare = append(f.Readers, t), append(f.Bare, t)
			}
		}
	}
	delete(flows, "")
	for x, f := range flows {
		for _, p := range f.Writers {
			for _, v := range f.Readers {
				if p != v {
					pairs[x] = append(pairs[x], [2]suite.TestID{p, v})
				}
			}
		}
		f.Pairs = order.Relation(pairs[x])
		all = append(all, pairs[x]...)
	}
	var out []order.Flow
	for _, x := range slices.Sorted(keys(flows)) {
		out = append(out, *flows[x])
	}
	slices.SortFunc(all, func(a, b [2]suite.TestID) int { return slices.Compare(a[:], b[:]) })
	return &State{Tiers: []order.Pairs{order.Relation(all)}, Flows: slices.Values(out)}
}

func keys[V any](m map[string]V) iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// observed runs the suite's own order.
func (w *world) observed() *Observed {
	o := &Observed{Later: true}
	run, err := w.answer(w.suite.Order(), false)
	if err != nil {
		panic(err)
	}
	for i, t := range run.Order {
		if run.At(i).Outcome == suite.Fail {
			o.Failed = append(o.Failed, t)
		}
	}
	return o
}

// auto runs a search by Auto with the given number of orders. If spared is set, orders leave out
// tests that they cannot show anything about, the suite's own order comes later, and suspects are
// confirmed by short orders.
func (w *world) auto(t testing.TB, seed uint64, spared bool) Result {
	t.Helper()
	plan := Plan{Technique: Auto, Seed: seed, State: w.state()}
	in := Input{Tests: w.suite.Order(), Observed: w.observed()}
	if spared {
		in.State, in.Outcomes = plan.State, &Outcomes{}
		plan.Outcomes, plan.Observed = in.Outcomes, true
	} else {
		in.Observed.Later = false
	}
	var err error
	if in.Stages, _, err = plan.Stages(w.suite); err != nil {
		t.Fatal(err)
	}
	s := New(w, in)
	defer s.Close()
	if done, err := s.Run(t.Context(), farOff); err != nil || !done {
		t.Fatal(done, err)
	}
	return s.Result()
}

// busyWorld has a few writers of a few fields, many readers of which some are victims or brittle,
// and many independent tests.
func busyWorld(seed uint64) *world {
	rng := rand.New(rand.NewPCG(seed, 11))
	sizes := make([]int, 8+rng.IntN(8))
	for i := range sizes {
		sizes[i] = 2 + rng.IntN(8)
	}
	w := newWorld(sizes...)
	w.side = 1 // one process, so that the scheduler does not affect when something is found
	for _, id := range w.suite.Order() {
		b, x := w.tests[id], string(rune('a'+rng.IntN(3)))
		switch rng.IntN(20) {
		case 0:
			b.sets = x
		case 1:
			b.clears = x
		case 2, 3, 4:
			b.failsIf = x
		case 5:
			b.failsUnless = x
		case 6, 7:
			b.reads = x
		case 8:
			b.genuine = rng.IntN(4) == 0
		}
	}
	return w
}

// TestSparing checks that known state leads to the same finds as repeated whole orders, with far
// fewer executions, and that every find rests on as many runs.
func TestSparing(t *testing.T) {
	spent, finds := map[bool]int{}, 0
	for seed := range uint64(12) {
		before := busyWorld(seed).auto(t, seed, false)
		w := busyWorld(seed)
		now := w.auto(t, seed, true)
		if d := cmp.Diff(before.kinds(), now.kinds()); d != "" {
			t.Errorf("seed %d: %s", seed, d)
		}
		if d := cmp.Diff(tests(before.Genuine), tests(now.Genuine)); d != "" {
			t.Errorf("seed %d: genuine: %s", seed, d)
		}
		if len(now.Flaky)+len(now.Undecided) > 0 || now.Pairs.Covered == 0 {
			t.Errorf("seed %d: %+v, %+v", seed, now.Flaky, now.Undecided)
		}
		w.proven(t, now)
		for known, res := range map[bool]Result{false: before, true: now} {
			for _, f := range res.Finds {
				spent[known] += f.After.Executions
			}
		}
		finds += len(now.Finds)
	}
	if finds < 80 {
		t.Fatalf("%d finds are too few", finds)
	}
	t.Logf("%d finds, each after %d executions, %d before", finds, spent[true]/finds, spent[false]/finds)
	if 3*spent[true] > 2*spent[false] {
		t.Errorf("a find comes after %d executions, and with whole orders after %d", spent[true]/finds, spent[false]/finds)
	}
}

// proven checks that the orders of each find ran as often as it reports, with the same outcome each
// time.
func (w *world) proven(t testing.TB, res Result) {
	t.Helper()
	for _, f := range res.Finds {
		for out, s := range map[suite.Outcome]Observation{suite.Fail: f.Failing, suite.Pass: f.Passing} {
			said := w.said[s.Order.Key()]
			if s.Order[len(s.Order)-1] != f.Test || s.Repeats < DefaultRerun-1 || said.outcome() != out || said.runs() < s.Repeats {
				t.Errorf("%s %ss %d times in %v (%s); the answers were %s", f.Test, out, s.Repeats, s.Order, s.Source, said)
			}
		}
	}
}

// TestShortOrdersMayBeWrong checks that suspects are confirmed by their whole orders if the
// observed state is misleading.
func TestShortOrdersMayBeWrong(t *testing.T) {
	w := newWorld(4, 4, 4)
	w.tests[id(2, 1)].sets = "x"
	for i := 1; i <= 4; i++ {
		w.tests[id(1, i)].failsIf, w.tests[id(3, i)].failsIf = "x", "x"
	}
	misled := newWorld(4, 4, 4)
	misled.tests[id(2, 4)].sets = "x"
	for i := 1; i <= 4; i++ {
		misled.tests[id(1, i)].reads, misled.tests[id(3, i)].reads = "x", "x"
	}
	for _, state := range []*State{misled.state(), {Flows: slices.Values([]order.Flow{})}} {
		s := New(w, Input{Tests: w.suite.Order(), State: state, Stages: []Stage{w.stage(t, order.TechniqueIntraClass, order.Options{})}})
		if done, err := s.Run(t.Context(), farOff); err != nil || !done {
			t.Fatal(done, err)
		}
		res := s.Result()
		s.Close()
		if len(res.Finds) != 8 || len(res.Undecided) > 0 {
			t.Errorf("found %v, undecided %v", res.kinds(), res.Undecided)
		}
		w.proven(t, res)
	}
}

// TestShortOrdersAndVanishingTests checks that a test that is missing from any moment on, or ends
// its process, neither stops the search nor prevents its end.
func TestShortOrdersAndVanishingTests(t *testing.T) {
	for at := 1; at <= 60; at++ {
		for side := 1; side <= 2; side++ {
			w := newWorld(6, 6, 6)
			w.side, w.most = side, 3000
			w.tests[id(2, 1)].sets, w.tests[id(2, 2)].sets = "x", "x"
			for _, v := range []suite.TestID{id(1, 3), id(2, 4), id(3, 3), id(3, 4)} {
				w.tests[v].failsIf = "x"
			}
			state := w.state()
			w.tests[id(3, 1)].crashesAt = at
			w.tests[id(2, 1)].goneAfter = at
			plan := Plan{Technique: Auto, Seed: uint64(at), State: state, Outcomes: &Outcomes{}, Observed: true}
			stages, _, err := plan.Stages(w.suite)
			if err != nil {
				t.Fatal(err)
			}
			s := New(w, Input{Tests: w.suite.Order(), Stages: stages, State: state, Outcomes: plan.Outcomes,
				Observed: &Observed{Later: true}})
			if done, err := s.Run(t.Context(), farOff); err != nil || !done {
				t.Fatalf("gone after %d runs: %v, %v", at, done, err)
			}
			res := s.Result()
			s.Close()
			// If several processes run at once, a repetition may wait until no order is left that
			// shows the same.
			if side == 1 && len(res.Finds) != 4 || len(res.Undecided)+len(res.Flaky) > 0 {
				t.Errorf("gone after %d runs, %d at once: found %v, undecided %v", at, side, res.kinds(), res.Undecided)
			}
		}
	}
}

// drawn returns the orders that a guided search of a busy world draws for width processes, if side
// processes run at once.
func drawn(t *testing.T, seed uint64, side, width int) []string {
	t.Helper()
	w := busyWorld(seed)
	w.side = side
	plan := Plan{Technique: Auto, Seed: seed, State: w.state(), Outcomes: &Outcomes{}, Observed: true}
	stages, _, err := plan.Stages(w.suite)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	first := stages[0].Orders
	stages[0].Orders = func(yield func(suite.Order) bool) {
		for o := range first {
			if out = append(out, fmt.Sprint(o)); !yield(o) {
				return
			}
		}
	}
	s := New(w, Input{Tests: w.suite.Order(), Stages: stages[:1], State: plan.State, Outcomes: plan.Outcomes,
		Observed: w.observed(), Width: width})
	defer s.Close()
	if done, err := s.Run(t.Context(), farOff); err != nil || !done {
		t.Fatal(done, err)
	}
	return out
}

// TestDrawsDoNotDependOnTiming checks that drawn orders depend on the results of earlier orders,
// and not on when these ended or on the number of processes. A resumed search then draws the same
// orders.
func TestDrawsDoNotDependOnTiming(t *testing.T) {
	differs := false
	for seed := range uint64(6) {
		want := drawn(t, seed, 3, 3)
		for _, side := range []int{3, 3, 1, 4} {
			if d := cmp.Diff(want, drawn(t, seed, side, 3)); d != "" {
				t.Fatalf("seed %d, %d processes: %s", seed, side, d)
			}
		}
		differs = differs || !slices.Equal(want, drawn(t, seed, 1, 1))
	}
	if !differs {
		t.Error("for one process the same is drawn anyway: this shows nothing")
	}
}

// TestOriginalOrderRunsLater checks that the observed suite's own order runs exclusively, in turn with other
// orders.
func TestOriginalOrderRunsLater(t *testing.T) {
	w := busyWorld(3)
	res := w.auto(t, 3, true)
	if w.asked[w.suite.Order().Key()] == 0 {
		t.Error("the suite's own order was not run")
	}
	for _, f := range res.Finds {
		if f.After.Executions < len(w.suite.Order()) {
			t.Errorf("%s: what was observed does not count", f.Test)
		}
	}
}
