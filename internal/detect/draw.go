package detect

import (
	"iter"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// choose returns the next run; nil: none now. Runs that confirm suspects come first, because a
// confirmed find is worth more than a new suspect.
func (s *Search) choose(until time.Time) *task {
	if t := s.queued(); t != nil {
		return t
	}
	if t := s.confirmation(); t != nil {
		return t
	}
	if !s.in.Now().Before(until) && s.spent.Orders > 0 {
		return nil
	}
	t := s.fresh()
	if t == nil && s.drawn && s.held == nil {
		s.ended = true
		return s.confirmation()
	}
	if t == nil || len(t.order) == 1 {
		return t
	}
	of := s.hinted()
	if s.hints > 0 || len(of) > 0 && s.aloneRuns > 0 {
		s.held = t // the runs in progress are short, and may show more hinted tests or suspects
		return nil
	}
	if h := s.hint(of); h != nil {
		s.held = t
		return h
	}
	return t
}

// chooseAlone returns the next run that Sharpen needs; nil: none now.
func (s *Search) chooseAlone(until time.Time, known func(suite.TestID) bool) *task {
	if t := s.confirmation(); t != nil {
		return t
	}
	if t := s.queued(); t != nil {
		return t
	}
	if !s.in.Now().Before(until) {
		return nil
	}
	return s.sharpening(known)
}

// queued returns the first of the waiting tasks that can run; nil: there is none.
func (s *Search) queued() *task {
	for len(s.waiting) > 0 {
		t := s.waiting[0]
		s.waiting = s.waiting[1:]
		if t.what == byItself {
			return t // of a test that ended its process, which usable would remove
		}
		whole := len(t.order)
		t.order = s.usable(t.order)
		if len(t.order) > 0 && (t.what != checking || len(t.order) == whole) {
			return t
		}
		t.draw.receive(nil, nil)
	}
	return nil
}

// fresh returns a run of the order that was held back, or else of the next order of the stages;
// nil: there is none now.
func (s *Search) fresh() *task {
	if t := s.held; t != nil {
		s.held = nil
		if t.order = s.usable(t.order); len(t.order) > 0 {
			return t
		}
		t.draw.receive(nil, nil)
	}
	for s.in.Outcomes.ready() {
		o, ok := s.draw()
		if !ok {
			return nil
		}
		if t := s.scheduled(o); len(t.order) > 0 {
			t.draw = s.in.Outcomes.add(len(t.order), s.in.Width)
			return t
		}
	}
	return nil
}

// scheduled returns a run of an order of the stages. This order may be the suite's own.
func (s *Search) scheduled(o suite.Order) *task {
	t := &task{what: scheduled, name: s.in.Stages[s.stage].Name}
	if own := s.ownOf(o...); own.runs == 0 && slices.Equal(o, own.order) {
		t = s.original(own)
	}
	t.order = s.usable(o)
	return t
}

// draw returns the next order of the stages.
func (s *Search) draw() (suite.Order, bool) {
	for !s.drawn {
		if s.next == nil {
			if s.stage >= len(s.in.Stages) {
				s.drawn = true
				break
			}
			s.next, s.stop = iter.Pull(s.in.Stages[s.stage].Orders)
		}
		if o, ok := s.next(); ok {
			return o, true
		}
		s.Close()
		s.stage++
	}
	return nil, false
}

// usable returns the order without the tests that cannot run.
func (s *Search) usable(o suite.Order) suite.Order {
	return slices.DeleteFunc(slices.Clone(o), func(t suite.TestID) bool {
		r := s.byID[t]
		return r == nil || r.state == left || r.state == missing
	})
}
