package detect

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

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

// TestUnfitTestsAreLeftOut checks that such tests exist, and are not reported as missing.
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

// TestCrashedTestThatCannotRunAlone checks a test that ended its process and is then missing, or cannot run
// alone. It is tried alone only once.
func TestCrashedTestThatCannotRunAlone(t *testing.T) {
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
			t.Errorf("there %v: %v, %v; ran alone %d times, %d left out, missing %v", there, done,
				err, r.alone, len(res.Left), res.Missing)
		}
	}
}

// refusing refuses to run a test alone.
type refusing struct {
	*world
	test  suite.TestID
	there bool
	alone int
}

func (r *refusing) Run(ctx context.Context, o suite.Order, alone bool) (*suite.Run, error) {
	if len(o) == 1 && o[0] == r.test {
		if r.alone++; r.alone > 20 {
			return nil, errors.New("it was run alone repeatedly")
		}
		return nil, &MissingError{Tests: o, Reason: "refused", There: r.there}
	}
	return r.world.Run(ctx, o, alone)
}

// TestManyVanishedTests checks that the tests after any number of missing tests run in the same
// order.
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
		most := 5 // the order twice, once more without the missing tests, and the failing test alone
		if !thorough {
			most += len(gone)
		}
		if w.asked[suite.Order{id(1, 1), id(2, 1)}.Key()] < 2 || res.Spent.Orders != 2 || w.runs > most {
			t.Errorf("%d runs, %+v", w.runs, res)
		}
	}
}

// TestVanishedFromARepetition checks that an order runs again without a missing test, and that the
// failing test in it is found.
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
