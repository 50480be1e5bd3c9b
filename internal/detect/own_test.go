package detect

import (
	"testing"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// A class with a process of its own runs apart from the others, and never twice in one order
// without need.
func TestIsolatedClassesRunApart(t *testing.T) {
	w := newWorld(1, 3, 1)
	w.tests[id(2, 3)].sets = "x"
	w.tests[id(2, 1)].failsIf = "x"
	w.tests[id(1, 1)].sets = "x" // in another process
	w.tests[id(3, 1)].genuine = true
	groups := suite.NewGroups(w.suite, nil)
	random := w.stage(t, order.TechniqueRandom, order.Options{Seed: 1, Random: endless})
	res := w.search(t, Input{Tests: w.suite.Order(), Stages: []Stage{random}, Isolated: true})
	if len(res.Finds) != 1 || res.Finds[0].Test != id(2, 1) || res.Finds[0].Kind != Victim || !res.Exhausted {
		t.Errorf("found %v, ended %v", res.kinds(), res.Exhausted)
	}
	if len(res.Genuine) != 1 || res.Genuine[0].Test != id(3, 1) {
		t.Errorf("genuine %v", res.Genuine)
	}
	for _, o := range w.began {
		if len(groups.Split(o)) != 1 {
			t.Errorf("%v holds tests of two processes", o)
		}
	}
	if n := w.asked[suite.Order{id(1, 1)}.Key()]; n != 1 {
		t.Errorf("the only test of a class ran %d times", n)
	}
	if res.Pairs.Covered != 6 || res.Pairs.Of != 6 {
		t.Errorf("%+v of the pairs ran", res.Pairs)
	}
}

// An order may begin with a test that the suite does not hold.
func TestOwnOfUnknownTest(t *testing.T) {
	w := newWorld(2, 1)
	s := New(w, Input{Tests: w.suite.Order(), Groups: suite.NewGroups(w.suite, nil), Isolated: true})
	defer s.Close()
	if o := s.ownOf("unknown"); len(o.order) != 0 {
		t.Errorf("%v", o.order)
	}
	if o := s.ownOf(id(2, 1)); len(o.order) != 1 {
		t.Errorf("%v", o.order)
	}
}
