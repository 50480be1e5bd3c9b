package detect

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// TestOneRepetitionServesAll checks that a run is repeated once for all tests that behaved
// differently in it, up to the last of them.
func TestOneRepetitionServesAll(t *testing.T) {
	const victims = 30
	w := newWorld(victims, 2)
	w.tests[id(2, 2)].sets = "x"
	for i := range victims {
		w.tests[id(1, i+1)].failsIf = "x"
	}
	res := w.detect(t, w.stage(t, order.TechniqueReverse, order.Options{}))
	if len(res.Finds) != victims {
		t.Fatalf("%d finds", len(res.Finds))
	}
	// The cost: the original order twice, the failing order and its repetition, and each victim
	// twice alone.
	if most := 4*(victims+2) + 2*victims; res.Spent.Executions > most {
		t.Errorf("%d executions, want at most %d", res.Spent.Executions, most)
	}
}

// TestObservedRunReplacesTheSecondOne checks that an observed run replaces the second run of the suite's own
// order, unless they differ.
func TestObservedRunReplacesTheSecondOne(t *testing.T) {
	for _, c := range []struct {
		name     string
		observed *Observed
		runs     int
		alone    int // of tests that failed, or were observed to
	}{
		{"not observed", nil, 2, 1},
		{"agrees", &Observed{Failed: []suite.TestID{id(1, 2)}}, 1, 1},
		{"a test failed that passes", &Observed{Failed: []suite.TestID{id(1, 2), id(2, 1)}}, 2, 2},
		{"a test passed that fails", &Observed{}, 2, 1},
	} {
		w := newWorld(2, 2)
		w.tests[id(1, 2)].genuine = true
		s := New(w, Input{Tests: w.suite.Order(), Observed: c.observed})
		if done, err := s.Run(t.Context(), farOff); !done || err != nil {
			t.Fatal(done, err)
		}
		res := s.Result()
		executions := c.runs*4 + c.alone
		if c.observed != nil {
			executions += 4
		}
		if res.Spent.Orders != c.runs || res.Of != c.runs || res.Spent.Executions != executions || len(res.Genuine) != 1 {
			t.Errorf("%s: %+v", c.name, res)
		}
	}
}

// TestRepetitionsRunInParallel checks that all repetitions of a suspect run at once. Otherwise an
// order of all tests would run at the same time.
func TestRepetitionsRunInParallel(t *testing.T) {
	w := newWorld(5, 5, 5)
	w.tests[id(3, 5)].sets = "x"
	w.tests[id(1, 1)].failsIf = "x"
	back := slices.Clone(w.suite.Order())
	slices.Reverse(back)
	s := New(w, Input{
		Tests: w.suite.Order(), Observed: w.observed(),
		Stages: []Stage{{Name: "back", Total: 20, Orders: slices.Values(slices.Repeat([]suite.Order{back}, 20))}},
	})
	defer s.Close()
	next := func() *task {
		c := s.choose(farOff)
		s.begun(c, 1)
		return c
	}
	answered := func(c *task) {
		var err error
		if c.run, err = w.Run(t.Context(), c.order, c.exclusive); err == nil {
			err = s.receive(t.Context(), c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	first := next()
	for ; first.what != repeat; first = next() {
		answered(first)
	}
	second, third := next(), next()
	if second.what != repeat || third.what == repeat {
		t.Fatalf("during a repetition %q of %d tests runs, then %q of %d", second.name,
			len(second.order), third.name, len(third.order))
	}
	answered(second)
	answered(first)
	if f := s.Result().Finds; len(f) != 1 || f[0].Failing.Repeats != DefaultRerun {
		t.Errorf("%+v", f)
	}
}
