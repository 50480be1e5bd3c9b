package detect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// TestTurns checks that both alternate, and that the rest of either comes at the end.
func TestTurns(t *testing.T) {
	many := func(ids ...suite.TestID) orders { return eachAlone(ids) }
	for _, c := range []struct {
		n             int
		first, others orders
		want          string
	}{
		{2, many("a", "b", "c", "d", "e"), many("1", "2", "3", "4"), "a b 1 c d 2 e 3 4"},
		{1, many("a", "b", "c"), many("1"), "a 1 b c"},
		{3, many("a"), many("1", "2"), "a 1 2"},
		{1, many(), many("1"), "1"},
		{1, many("a"), inSequence(), "a"},
		{1, inSequence(many("a"), many("b")), inSequence(many(), many("1")), "a 1 b"},
	} {
		var got []string
		for o := range inTurns(c.n, 1, c.first, c.others) {
			got = append(got, string(o[0]))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s, not %s", s, c.want)
		}
		for i := range got {
			n := 0
			for range inTurns(c.n, 1, c.first, c.others) {
				if n++; n > i {
					break
				}
			}
		}
	}
}

// TestMaybeBrittleByPromise checks that tests of the flows with the fewest pairs run alone first.
func TestMaybeBrittleByPromise(t *testing.T) {
	s := &State{
		MaybeBrittle: []suite.TestID{"a", "b", "c", "d"},
		Flows: slices.Values([]order.Flow{{Bare: []suite.TestID{"c", "x"}, Pairs: order.Relation(nil)},
			{Bare: []suite.TestID{"b", "c"}, Pairs: order.Relation(nil)}}),
	}
	if got := s.maybeBrittle(); !slices.Equal(got, []suite.TestID{"c", "b", "a", "d"}) {
		t.Error(got)
	}
}

// TestMaybeBrittleFirst checks that a few tests that may be brittle run alone before all orders of
// many tests, and that the rest alternate with these orders.
func TestMaybeBrittleFirst(t *testing.T) {
	s, err := order.Sizes(10, 10, 10, 10)
	if err != nil {
		t.Fatal(err)
	}
	tests := s.Order()
	flow := order.Flow{Writers: tests[:1], Readers: tests[1:], Leaders: tests[:1], Pairs: func(yield func(p, v suite.TestID) bool) {
		for _, v := range tests[1:] {
			if !yield(tests[0], v) {
				return
			}
		}
	}}
	plan := Plan{Technique: Auto, State: &State{Flows: slices.Values([]order.Flow{flow}), MaybeBrittle: tests[10:30]}}
	stages, _, err := plan.Stages(s)
	if err != nil {
		t.Fatal(err)
	}
	alone := 0
	for o := range stages[0].Orders {
		if len(o) > 1 {
			break
		}
		alone++
	}
	if alone != len(tests)/everyAlone {
		t.Errorf("%d tests run alone before the first order of %d", alone, len(tests))
	}

	// Where orders of all tests cost little, they come first.
	plan.Quick = true
	if stages, _, err = plan.Stages(s); err != nil {
		t.Fatal(err)
	}
	whole := 0
	for o := range stages[0].Orders {
		if len(o) < len(tests) {
			break
		}
		whole++
	}
	if whole != 1+someRandom {
		t.Errorf("%d orders of all tests come first", whole)
	}
}

// TestAutoUsesState checks that victims are found at once if the state is known, and also without
// it.
func TestAutoUsesState(t *testing.T) {
	spent := func(seed uint64, known bool) int {
		w := newWorld(12, 12, 12, 12)
		w.side = 1
		w.tests[id(2, 5)].sets = "x"
		w.tests[id(2, 6)].clears = "x"
		var reads [][2]suite.TestID
		var readers []suite.TestID
		for i := 1; i <= 12; i += 4 {
			w.tests[id(1, i)].failsIf = "x"
			w.tests[id(3, i)].failsIf = "x"
			reads = append(reads, [2]suite.TestID{id(2, 5), id(1, i)}, [2]suite.TestID{id(2, 5), id(3, i)})
			readers = append(readers, id(1, i), id(3, i))
		}
		plan := Plan{Technique: Auto, Seed: seed}
		if known {
			x := order.Flow{Writers: []suite.TestID{id(2, 5), id(2, 6)}, Readers: readers,
				Pairs: order.Relation(reads), Leaders: []suite.TestID{id(2, 5), id(2, 6)}}
			plan.State = &State{Tiers: []order.Pairs{order.Relation(reads)}, Flows: slices.Values([]order.Flow{x}),
				MaybeBrittle: []suite.TestID{id(4, 1)}}
		}
		stages, kinds, err := plan.Stages(w.suite)
		if err != nil || len(kinds) == 0 {
			t.Fatal(kinds, err)
		}
		res := w.detect(t, stages...)
		last := 0
		for _, f := range res.Finds {
			last = max(last, f.After.Executions)
		}
		if len(res.Finds) != len(reads) {
			t.Errorf("known %v: %d of %d found", known, len(res.Finds), len(reads))
		}
		return last
	}
	with, without := 0, 0
	for seed := range uint64(20) {
		with += spent(seed, true)
		without += spent(seed, false)
	}
	if with >= without {
		t.Errorf("all found after %d executions with state, %d without, on average", with/20, without/20)
	}
}

// TestEveryTechnique checks that each technique can be planned, also for unusual suites.
func TestEveryTechnique(t *testing.T) {
	for _, sizes := range [][]int{{1}, {1, 1}, {5}, {3, 2, 7}} {
		s, err := order.Sizes(sizes...)
		if err != nil {
			t.Fatal(err)
		}
		for _, technique := range Techniques() {
			p := Plan{Technique: technique, Random: 3, Pairs: order.Touching(s, id(1, 1))}
			if technique == order.TechniqueReach {
				if _, _, err := p.Stages(s); err == nil {
					t.Errorf("%v, %s: the state that tests leave to each other is unknown", sizes, technique)
				}
				flow := order.Flow{Writers: []suite.TestID{id(1, 1)}, Pairs: p.Pairs}
				p.State = &State{Flows: slices.Values([]order.Flow{flow})}
			}
			stages, _, err := p.Stages(s)
			if err != nil {
				t.Errorf("%v, %s: %v", sizes, technique, err)
			}
			for _, st := range stages {
				n := 0
				for o := range st.Orders {
					if n++; len(o) == 0 {
						t.Errorf("%v, %s: an empty order", sizes, technique)
					}
				}
				if st.Total > 0 && n != st.Total {
					t.Errorf("%v, %s: %d orders, %d were promised", sizes, technique, n, st.Total)
				}
			}
		}
		if err := Check("luck"); err == nil || fmt.Sprint(err) == "" {
			t.Error("any name is a technique")
		}
	}
}

// TestSuspectsOfOneRunConfirmEachOther checks that many suspects of one run are confirmed in fewer runs, and that
// suspects of other runs are not.
func TestSuspectsOfOneRunConfirmEachOther(t *testing.T) {
	w := newWorld(10, 1, 1, 1)
	w.tests[id(2, 1)].sets = "x"
	inCohort := suite.Order{id(2, 1)}
	for i := 1; i <= 10; i++ {
		w.tests[id(1, i)].failsIf = "x"
		inCohort = append(inCohort, id(1, i))
	}
	w.tests[id(3, 1)].failsIf, w.tests[id(4, 1)].sets = "y", "y"
	res := w.detect(t, Stage{Name: "both", Orders: slices.Values([]suite.Order{inCohort, {id(4, 1), id(3, 1)}})})
	if len(res.Finds) != 11 {
		t.Fatalf("%d finds", len(res.Finds))
	}
	for _, f := range res.Finds {
		if want := DefaultRerun; f.Test == id(3, 1) && (f.Failing.Repeats < want || f.Passing.Repeats < want+2) {
			t.Errorf("%s is the only suspect of its run, and %d and %d runs agreed", f.Test, f.Failing.Repeats, f.Passing.Repeats)
		} else if f.Test != id(3, 1) && (f.Failing.Repeats < want-1 || f.Passing.Repeats != want-1) {
			t.Errorf("%s is one of ten, and %d and %d runs agreed", f.Test, f.Failing.Repeats, f.Passing.Repeats)
		}
	}
}
