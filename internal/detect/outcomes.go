package detect

import "github.com/odfix/odfix/internal/suite"

// Outcomes holds the outcomes of each test that a search saw. They help to choose later orders,
// which are to show the missing outcomes. Orders are processed in the order in which they were
// drawn, not in the order in which they ended. A resumed search then draws the same orders.
type Outcomes struct {
	passed, failed map[suite.TestID]bool
	failing        map[suite.TestID]suite.Order // the first order in which it failed, cut after it
	drawn          []*draw                      // not processed yet
	pending        int                          // how many of these may be without results when the next is drawn
	quiet          bool                         // the last processed order of several tests showed nothing new
	divided        bool                         // successive orders hold tests of different processes
}

// draw is an order that was drawn, and the outcomes of its tests.
type draw struct {
	several  bool // it has several tests
	answered bool
	order    suite.Order
	outcomes []suite.Outcome
}

// divide records that an order has no influence on the next one, which the search then draws
// without waiting.
func (s *Outcomes) divide() {
	if s != nil {
		s.divided = true
	}
}

// has reports whether a test both passed and failed.
func (s *Outcomes) has(t suite.TestID) bool { return s != nil && s.passed[t] && s.failed[t] }

// add records that an order with this number of tests was drawn; width is the number of parallel
// processes. While orders show something new, the outcomes of one order make the next shorter and
// better. The search then waits for these outcomes, even if some processes stay idle.
func (s *Outcomes) add(tests, width int) *draw {
	d := &draw{several: tests > 1}
	if s == nil {
		return d
	}
	s.drawn, s.pending = append(s.drawn, d), 0
	most, whole := width-1, 0
	if !s.quiet && !s.divided {
		most = width/2 - 1
	}
	for s.pending < min(len(s.drawn), width-1) {
		if s.drawn[len(s.drawn)-1-s.pending].several {
			if whole++; whole > most {
				break
			}
		}
		s.pending++
	}
	return d
}

// receive stores the outcomes of a drawn order; there are none if it could not run.
func (d *draw) receive(o suite.Order, outcomes []suite.Outcome) {
	if d != nil {
		d.answered, d.order, d.outcomes = true, o, outcomes
	}
}

// ready processes all drawn orders except the last few. It returns false if one of them has no
// results yet; the next order must then be drawn later.
func (s *Outcomes) ready() bool {
	for s != nil && len(s.drawn) > s.pending {
		d := s.drawn[0]
		if !d.answered {
			return false
		}
		s.take(d)
		s.drawn = s.drawn[1:]
	}
	return true
}

func (s *Outcomes) take(d *draw) {
	s.quiet = s.quiet || d.several
	for i, t := range d.order {
		before := s.has(t)
		if d.outcomes[i] == suite.Fail && s.failing[t] == nil {
			if s.failing == nil {
				s.failing = map[suite.TestID]suite.Order{}
			}
			s.failing[t] = d.order[: i+1 : i+1]
		}
		s.see(t, d.outcomes[i])
		if d.several && !before && s.has(t) {
			s.quiet = false
		}
	}
}

// failedIn returns the first drawn order in which a test failed, cut after the test; nil: there is
// none.
func (s *Outcomes) failedIn(t suite.TestID) suite.Order {
	if s == nil {
		return nil
	}
	return s.failing[t]
}

// observe adds the outcomes of the run that was made before the search.
func (s *Outcomes) observe(tests suite.Order, o *Observed) {
	for _, t := range tests {
		s.see(t, o.outcome(t))
	}
}

func (s *Outcomes) see(t suite.TestID, out suite.Outcome) {
	if s == nil {
		return
	}
	if s.passed == nil {
		s.passed, s.failed = map[suite.TestID]bool{}, map[suite.TestID]bool{}
	}
	switch out {
	case suite.Pass:
		s.passed[t] = true
	case suite.Fail:
		s.failed[t] = true
	}
}
