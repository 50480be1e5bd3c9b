package detect

import "github.com/odfix/odfix/internal/suite"

// Outcomes are the tests of which a search has seen that they both pass and fail: what orders are
// still to show is of the others. It is filled in by the order in which runs were drawn, not by
// that in which they ended: a search that is resumed is to draw the same.
type Outcomes struct {
	passed, failed map[suite.TestID]bool
	failing        map[suite.TestID]suite.Order // the first order in which it failed, cut after it
	drawn          []*draw                      // not taken in yet
}

// draw is an order that was drawn, and what became of its tests.
type draw struct {
	several  bool // tests
	answered bool
	order    suite.Order
	outcomes []suite.Outcome
}

// has says whether a test was seen to do both.
func (s *Outcomes) has(t suite.TestID) bool { return s != nil && s.passed[t] && s.failed[t] }

// add notes that an order of so many tests was drawn, whose outcomes come later.
func (s *Outcomes) add(tests int) *draw {
	d := &draw{several: tests > 1}
	if s != nil {
		s.drawn = append(s.drawn, d)
	}
	return d
}

// receive takes what became of the tests of a drawn order; none where it could not be run.
func (d *draw) receive(o suite.Order, outcomes []suite.Outcome) {
	if d != nil {
		d.answered, d.order, d.outcomes = true, o, outcomes
	}
}

// unanswered is how many drawn orders there are from the first on that is not answered yet, and how
// many of these hold several tests.
func (s *Outcomes) unanswered() (n, whole int) {
	if s == nil {
		return 0, 0
	}
	for _, d := range s.drawn {
		switch {
		case d.answered && n == 0:
			continue
		case !d.answered && d.several:
			whole++
		}
		n++
	}
	return n, whole
}

// ready takes in all drawn but the last few, and says whether all of these were answered: if not,
// the next is to be drawn later.
func (s *Outcomes) ready(few int) bool {
	for s != nil && len(s.drawn) > few {
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
	for i, t := range d.order {
		if d.outcomes[i] == suite.Fail && s.failing[t] == nil {
			if s.failing == nil {
				s.failing = map[suite.TestID]suite.Order{}
			}
			s.failing[t] = d.order[: i+1 : i+1]
		}
		s.see(t, d.outcomes[i])
	}
}

// failedIn is the drawn order in which a test was first seen to fail, cut after it; nil: there is
// none.
func (s *Outcomes) failedIn(t suite.TestID) suite.Order {
	if s == nil {
		return nil
	}
	return s.failing[t]
}

// observe takes in the run that was made before the search.
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
