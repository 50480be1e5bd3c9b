package detect

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

var sorted = cmpopts.SortSlices(func(a, b suite.TestID) bool { return a < b })

func TestFindsVictimsAndBrittles(t *testing.T) {
	w := newWorld(3, 4, 2)
	w.tests[id(2, 3)].sets = "x"
	w.tests[id(1, 1)].failsIf = "x" // before the polluter in the original order
	w.tests[id(3, 2)].failsIf = "x" // after it: fails in the original order
	w.tests[id(2, 1)].sets = "y"
	w.tests[id(2, 2)].failsUnless = "y"
	w.tests[id(1, 2)].genuine = true
	res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
	want := map[suite.TestID]Kind{id(1, 1): Victim, id(3, 2): Victim, id(2, 2): Brittle}
	if d := cmp.Diff(want, res.kinds()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]suite.TestID{id(1, 2)}, tests(res.Genuine)); d != "" {
		t.Error(d)
	}
	if !res.Exhausted || res.Pairs.Covered != res.Pairs.Of || len(res.Undecided)+len(res.Flaky) > 0 {
		t.Errorf("%+v", res)
	}
	for _, f := range res.Finds {
		if f.Failing.Repeats < DefaultRerun || f.Passing.Repeats < DefaultRerun {
			t.Errorf("%s was claimed on %d and %d runs", f.Test, f.Failing.Repeats, f.Passing.Repeats)
		}
		for _, s := range []Observation{f.Failing, f.Passing} {
			if s.Order[len(s.Order)-1] != f.Test {
				t.Errorf("an order of %s ends with another test: %v", f.Test, s.Order)
			}
			if n := w.asked[s.Order.Key()]; n < s.Repeats {
				t.Errorf("the order %v was asked %d times", s.Order, n)
			}
		}
	}
}

// TestFlakyIsNotOrderDependent: repeats tell, but for chance. A test that fails
// every other time, and was seen to pass and to fail, does so twice more in its
// order and four times more alone once in 64.
func TestFlakyIsNotOrderDependent(t *testing.T) {
	const worlds = 300
	wrong := 0
	for seed := range uint64(worlds) {
		w := newWorld(3, 3)
		w.side, w.rng = 1, rand.New(rand.NewPCG(seed, 1)) // one at a time, so that a seed says all
		w.tests[id(1, 2)].flaky = 0.5
		w.tests[id(2, 1)].sets = "x"
		w.tests[id(2, 2)].failsIf = "x"
		res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
		if res.kinds()[id(2, 2)] != Victim {
			t.Errorf("seed %d: the victim was not found", seed)
		}
		if len(res.Finds) > 1 {
			wrong++
		} else if d := cmp.Diff([]suite.TestID{id(1, 2)}, tests(res.Flaky)); d != "" {
			t.Errorf("seed %d: flaky: %s", seed, d)
		}
	}
	if wrong > worlds/32 {
		t.Errorf("a flaky test was called order-dependent in %d of %d worlds", wrong, worlds)
	}
}

func TestCrashesAreIsolated(t *testing.T) {
	w := newWorld(3, 3, 2)
	w.tests[id(1, 2)].crashes = true
	w.tests[id(2, 1)].sets = "x"
	w.tests[id(3, 1)].failsIf = "x"
	w.tests[id(3, 2)].exitsUnnoticed = true
	res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
	if d := cmp.Diff(map[suite.TestID]Kind{id(3, 1): Victim}, res.kinds()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]suite.TestID{id(1, 2), id(3, 2)}, tests(res.Left), sorted); d != "" {
		t.Error(d)
	}
	if !res.Exhausted {
		t.Error("not every order was run")
	}
}

// TestOneCrashIsForgiven where the test is well by itself; two are not.
func TestOneCrashIsForgiven(t *testing.T) {
	w := newWorld(3, 3)
	w.tests[id(1, 2)].crashesOnce = true
	w.tests[id(1, 2)].failsIf = "x"
	w.tests[id(2, 1)].sets = "x"
	w.tests[id(2, 3)].crashesIf = "x"
	res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
	if d := cmp.Diff(map[suite.TestID]Kind{id(1, 2): Victim}, res.kinds()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]suite.TestID{id(2, 3)}, tests(res.Left)); d != "" {
		t.Error(d)
	}
}

// TestAllCrash: an answer comes all the same, and soon.
func TestAllCrash(t *testing.T) {
	w := newWorld(20, 20)
	for _, b := range w.tests {
		b.crashes = true
	}
	s := New(w, Input{Tests: w.suite.Order(), Stages: []Stage{w.stage(t, order.TechniqueIntraClass, order.Options{})}})
	defer s.Close()
	_, err := s.Run(t.Context(), farOff)
	if err == nil || !strings.Contains(err.Error(), "before any test had a result") {
		t.Errorf("got %v", err)
	}
	if w.runs > 20 {
		t.Errorf("%d processes were started", w.runs)
	}
}

func TestVanishedTestsAreLeftOut(t *testing.T) {
	w := newWorld(3, 3)
	w.tests[id(1, 1)].gone = true
	w.tests[id(2, 3)].goneAfter = 4
	w.tests[id(2, 1)].goneOnTheWay = true
	w.tests[id(1, 3)].sets = "x"
	w.tests[id(2, 2)].failsIf = "x"
	res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
	if d := cmp.Diff([]suite.TestID{id(1, 1), id(2, 1), id(2, 3)}, res.Missing, sorted); d != "" {
		t.Error(d)
	}
	if res.kinds()[id(2, 2)] != Victim || len(res.Left) > 0 || !res.Exhausted {
		t.Errorf("%+v", res)
	}
}

// TestUnfitTestsAreLeftOut: they are there, so that they are not called missing.
func TestUnfitTestsAreLeftOut(t *testing.T) {
	w := newWorld(3, 3)
	w.tests[id(1, 1)].unfit = true
	w.tests[id(1, 2)].unfit = true
	w.tests[id(1, 3)].sets = "x"
	w.tests[id(2, 2)].failsIf = "x"
	res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
	var left []suite.TestID
	for _, o := range res.Left {
		if left = append(left, o.Test); o.Why != "its runner does as it likes" {
			t.Errorf("%s is left out, since it %q", o.Test, o.Why)
		}
	}
	if d := cmp.Diff([]suite.TestID{id(1, 1), id(1, 2)}, left, sorted); d != "" {
		t.Error(d)
	}
	if res.kinds()[id(2, 2)] != Victim || len(res.Missing) > 0 || !res.Exhausted {
		t.Errorf("%+v", res)
	}
}

// TestEndedThenNotToBeRun: a test that ended its process, and then is not there or cannot be run
// when it is looked at alone, is looked at once.
func TestEndedThenNotToBeRun(t *testing.T) {
	for _, there := range []bool{false, true} {
		w := newWorld(2, 2)
		b := w.tests[id(1, 2)]
		b.crashesAt = 2
		r := &refusing{world: w, test: id(1, 2), there: there}
		s := New(r, Input{Tests: w.suite.Order(),
			Stages: []Stage{{Name: "same", Total: 1, Orders: slices.Values([]suite.Order{w.suite.Order()})}}})
		done, err := s.Run(t.Context(), farOff)
		res := s.Result()
		s.Close()
		if !done || err != nil || r.alone != 1 || there != (len(res.Left) == 1) || there == (len(res.Missing) == 1) {
			t.Errorf("there %v: %v, %v; asked for alone %d times, %d left out, missing %v", there, done,
				err, r.alone, len(res.Left), res.Missing)
		}
	}
}

// refusing will not run a test alone.
type refusing struct {
	*world
	test  suite.TestID
	there bool
	alone int
}

func (r *refusing) Run(ctx context.Context, o suite.Order, alone bool) (*suite.Run, error) {
	if len(o) == 1 && o[0] == r.test {
		if r.alone++; r.alone > 20 {
			return nil, errors.New("it was asked for alone again and again")
		}
		return nil, &MissingError{Tests: o, Reason: "refused", There: r.there}
	}
	return r.world.Run(ctx, o, alone)
}

// TestManyVanishedTests: those after them get their turn in the same order, however many there are.
func TestManyVanishedTests(t *testing.T) {
	for _, thorough := range []bool{false, true} {
		w := newWorld(2*maxCut, 1)
		w.thorough, w.side = thorough, 1
		var gone []suite.TestID
		for i := 2; i <= 2*maxCut; i++ {
			gone = append(gone, id(1, i))
			w.tests[id(1, i)].goneOnTheWay = true
		}
		w.tests[id(2, 1)].genuine = true
		res := w.search(t, Input{Tests: w.suite.Order(), Observed: nil})
		if d := cmp.Diff(gone, res.Missing, sorted); d != "" {
			t.Error(d)
		}
		most := 5 // the order twice, once more for what is missing, and the failing test alone
		if !thorough {
			most += len(gone)
		}
		if w.asked[suite.Order{id(1, 1), id(2, 1)}.Key()] < 2 || res.Spent.Orders != 2 || w.runs > most {
			t.Errorf("%d runs, %+v", w.runs, res)
		}
	}
}

// TestVanishedFromARepetition: an order of which a test is gone is asked for without it, and who
// fails in it is found.
func TestVanishedFromARepetition(t *testing.T) {
	for _, early := range []bool{true, false} {
		w := newWorld(1, 1, 1)
		w.side = 1
		if b := w.tests[id(2, 1)]; early {
			b.goneAfter = 2
		} else {
			b.goneLater = 2
		}
		w.tests[id(1, 1)].sets = "x"
		w.tests[id(3, 1)].failsIf = "x"
		res := w.search(t, Input{Tests: w.suite.Order()})
		if res.kinds()[id(3, 1)] != Victim || !slices.Equal(res.Missing, []suite.TestID{id(2, 1)}) || len(res.Undecided) > 0 {
			t.Errorf("early %v: %+v", early, res)
		}
	}
}

// TestOthersBesideAreNoOrder: tests that fail when another process runs beside are
// steady one at a time, and depend on nothing.
func TestOthersBesideAreNoOrder(t *testing.T) {
	w := newWorld(3, 3)
	w.gate = make(chan struct{})
	w.tests[id(1, 2)].byCohort = true
	w.tests[id(2, 1)].sets = "x"
	w.tests[id(2, 2)].failsIf = "x"
	res := w.detect(t, w.stage(t, order.TechniqueInterClass, order.Options{}))
	if d := cmp.Diff(map[suite.TestID]Kind{id(2, 2): Victim}, res.kinds()); d != "" {
		t.Error(d)
	}
	if !res.Sequential || len(res.Flaky) > 0 || len(res.Notes) == 0 {
		t.Errorf("%+v", res)
	}
}

func TestSkippedAndTinySuites(t *testing.T) {
	w := newWorld(1)
	if res := w.detect(t, w.stage(t, order.TechniqueIntraClass, order.Options{})); len(res.Finds) > 0 ||
		!res.Exhausted || res.Pairs.Of != 0 {
		t.Errorf("one test: %+v", res)
	}
	if res := w.search(t, Input{Tests: w.suite.Order(), Stages: []Stage{w.stage(t, order.TechniqueAlone, order.Options{})},
		Observed: &Observed{Later: true}}); res.Spent.Orders != 1 || res.Of != 1 {
		t.Errorf("one test, observed: %d of %d orders", res.Spent.Orders, res.Of)
	}
	w = newWorld(2)
	w.tests[id(1, 1)].skips = true
	if res := w.detect(t, w.stage(t, order.TechniqueAlone, order.Options{})); len(res.Finds)+len(res.Undecided) > 0 {
		t.Errorf("skipped: %+v", res)
	}
	s := New(w, Input{})
	if done, err := s.Run(t.Context(), farOff); err != nil || !done {
		t.Errorf("no test: %v, %v", done, err)
	}
}

// TestAloneTechniqueFindsBrittles without running anything twice that it has seen.
func TestAloneTechniqueFindsBrittles(t *testing.T) {
	w := newWorld(2, 2)
	w.tests[id(1, 1)].sets = "x"
	w.tests[id(2, 2)].failsUnless = "x"
	res := w.detect(t, w.stage(t, order.TechniqueAlone, order.Options{}))
	if d := cmp.Diff(map[suite.TestID]Kind{id(2, 2): Brittle}, res.kinds()); d != "" {
		t.Error(d)
	}
	if n := w.asked[suite.Order{id(2, 2)}.Key()]; n != DefaultRerun+2 {
		t.Errorf("the brittle ran alone %d times", n)
	}
}

// TestSlices: a search that is stopped and goes on ends like one that was not.
func TestSlices(t *testing.T) {
	w := newWorld(4, 4)
	w.tests[id(2, 1)].sets = "x"
	w.tests[id(1, 4)].failsIf = "x"
	stage := w.stage(t, order.TechniqueInterClass, order.Options{})
	s := New(w, Input{Tests: w.suite.Order(), Stages: []Stage{stage}})
	defer s.Close()
	done, rounds := false, 0
	for ; !done && rounds < 1000; rounds++ {
		ctx, cancel := context.WithCancel(t.Context())
		if rounds%3 == 1 {
			cancel()
		}
		w.mu.Lock()
		began := w.runs
		w.mu.Unlock()
		until := time.Now()
		if rounds%3 == 2 {
			until = farOff
			s.in.Progress = func(Progress) {
				w.mu.Lock()
				defer w.mu.Unlock()
				if w.runs > began+3 {
					cancel()
				}
			}
		}
		var err error
		if done, err = s.Run(ctx, until); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	res := s.Result()
	if !done || rounds < 4 || res.Pairs.Covered != res.Pairs.Of || res.kinds()[id(1, 4)] != Victim {
		t.Errorf("done %v after %d rounds: %+v", done, rounds, res)
	}
}

// TestRandomWorlds: with every pair covered, exactly what pairs and being alone
// show is found.
func TestRandomWorlds(t *testing.T) {
	found := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 7))
		sizes := make([]int, 1+rng.IntN(4))
		for i := range sizes {
			sizes[i] = 1 + rng.IntN(5)
		}
		w := newWorld(sizes...)
		w.side = 1 + rng.IntN(3)
		for _, id := range w.suite.Order() {
			b, at := w.tests[id], string(rune('a'+rng.IntN(3)))
			switch rng.IntN(8) {
			case 0:
				b.sets = at
			case 1:
				b.clears = at
			case 2:
				b.failsIf = at
			case 3:
				b.failsUnless = at
			case 4:
				b.genuine = rng.IntN(3) == 0
			}
		}
		res := w.detect(t, w.stage(t, order.TechniqueAlone, order.Options{}), w.stage(t, order.TechniqueInterClass, order.Options{}))
		for _, id := range w.suite.Order() {
			passes, fails := w.truth(id)
			_, was := res.kinds()[id]
			if passes && fails {
				found++
			}
			if (passes && fails) != was && !(was && hidden(res, id)) {
				t.Errorf("seed %d: %s passes %v, fails %v, found %v", seed, id, passes, fails, was)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d order-dependent tests in all worlds", found)
	}
}

// hidden reports whether a find rests on more than one test before it, which
// pairs do not show.
func hidden(res Result, id suite.TestID) bool {
	i := slices.IndexFunc(res.Finds, func(f Find) bool { return f.Test == id })
	return len(res.Finds[i].Failing.Order) > 2 || len(res.Finds[i].Passing.Order) > 2
}

// TestHundredThousand tests are searched within bounds; pairs are not counted,
// which is said.
func TestHundredThousand(t *testing.T) {
	sizes := make([]int, 1000)
	for i := range sizes {
		sizes[i] = 100
	}
	w := newWorld(sizes...)
	w.flat = true
	w.tests[id(900, 3)].sets = "x"
	w.tests[id(2, 5)].failsIf = "x"
	stages, _, err := Plan{Technique: Auto, Seed: 1}.Stages(w.suite)
	if err != nil {
		t.Fatal(err)
	}
	s := New(w, Input{Tests: w.suite.Order(), Stages: stages})
	defer s.Close()
	if _, err := s.Run(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.Run(t.Context(), time.Now().Add(time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
	res := s.Result()
	if res.kinds()[id(2, 5)] != Victim || res.Pairs.Of != 0 || len(res.Notes) == 0 {
		t.Errorf("%v, %+v, %v", res.kinds(), res.Pairs, res.Notes)
	}
}
