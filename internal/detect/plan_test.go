package detect

import (
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// TestExposingIsShort: one test that spoils what all others read takes a
// few orders, not one for each of them.
func TestExposingIsShort(t *testing.T) {
	s, err := order.Sizes(30, 20, 10)
	if err != nil {
		t.Fatal(err)
	}
	p, cleaner := id(1, 7), id(2, 3)
	var wanted, touching [][2]suite.TestID
	for _, v := range s.Order() {
		wanted = append(wanted, [2]suite.TestID{p, v})
		touching = append(touching, [2]suite.TestID{cleaner, v})
	}
	seen, n := map[suite.TestID]bool{}, 0
	for o := range exposing(s, order.Relation(wanted), order.Relation(touching)) {
		n++
		spoilt := false
		for _, x := range o {
			if spoilt {
				seen[x] = true
			}
			spoilt = x == p || spoilt && x != cleaner
		}
	}
	if n > 8 || len(seen) != len(s.Order())-1 {
		t.Errorf("%d orders, %d of %d tests ran behind the polluter", n, len(seen), len(s.Order())-1)
	}
}

func TestExposingEnds(t *testing.T) {
	s, _ := order.Sizes(2, 1)
	none := order.Relation([][2]suite.TestID{{"not", "there"}, {id(1, 1), id(1, 1)}})
	n := 0
	for range exposing(s, none, none) {
		if n++; n > 3 {
			t.Fatal("it does not end")
		}
	}
}

// TestAutoUsesState: with what a trace would show, the victims are found at
// once, and without it they are found, too.
func TestAutoUsesState(t *testing.T) {
	spent := func(seed uint64, known bool) int {
		w := newWorld(12, 12, 12, 12)
		w.side = 1
		w.tests[id(2, 5)].sets = "x"
		w.tests[id(2, 6)].clears = "x"
		var reads, written [][2]suite.TestID
		for i := 1; i <= 12; i += 4 {
			w.tests[id(1, i)].failsIf = "x"
			w.tests[id(3, i)].failsIf = "x"
			reads = append(reads, [2]suite.TestID{id(2, 5), id(1, i)}, [2]suite.TestID{id(2, 5), id(3, i)})
			written = append(written, [2]suite.TestID{id(2, 6), id(1, i)}, [2]suite.TestID{id(2, 6), id(3, i)})
		}
		plan := Plan{Technique: Auto, Seed: seed}
		if known {
			plan.State = &State{Tiers: []order.Pairs{order.Relation(reads), order.Relation(written)}, Leaning: []suite.TestID{id(4, 1)}}
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

// TestEveryTechnique can be planned, for odd suites too.
func TestEveryTechnique(t *testing.T) {
	for _, sizes := range [][]int{{1}, {1, 1}, {5}, {3, 2, 7}} {
		s, err := order.Sizes(sizes...)
		if err != nil {
			t.Fatal(err)
		}
		for _, technique := range Techniques() {
			p := Plan{Technique: technique, Random: 3, Pairs: Touching(s, []suite.TestID{id(1, 1)})}
			if technique == order.TechniqueReach {
				if _, _, err := p.Stages(s); err == nil {
					t.Errorf("%v, %s: nobody said what tests leave to each other", sizes, technique)
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
