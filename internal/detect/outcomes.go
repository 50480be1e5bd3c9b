package detect

import "github.com/odfix/odfix/internal/suite"

// Outcomes are what a search saw of each test: later orders are to show it of the others. Orders are
// taken in as they were drawn, and not as they ended: a search that is resumed is to draw the same.
type Outcomes struct {
	passed, failed map[suite.TestID]bool
	failing        map[suite.TestID]suite.Order // the first order in which it failed, cut after it
	drawn          []*draw                      // not taken in yet
	pending        int                          // how many of these may be unanswered when the next is drawn
	quiet          bool                         // the order of several tests taken in last showed nothing
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

// add notes that an order of so many tests was drawn, whose outcomes come later, for so many
// processes side by side. While orders show something, what the one before showed makes the next
// shorter and better, so that it is waited for rather than all processes be kept busy.
func (s *Outcomes) add(tests, width int) *draw {
	d := &draw{several: tests > 1}
	if s == nil {
		return d
	}
	s.drawn, s.pending = append(s.drawn, d), 0
	most, whole := width-1, 0
	if !s.quiet {
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

// receive takes what became of the tests of a drawn order; none where it could not be run.
func (d *draw) receive(o suite.Order, outcomes []suite.Outcome) {
	if d != nil {
		d.answered, d.order, d.outcomes = true, o, outcomes
	}
}

// ready takes in what was drawn, but for the last few, and says whether all of it was answered: if
// not, the next order is to be drawn later.
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
