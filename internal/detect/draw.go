package detect

import (
	"iter"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// choose is the next run to ask for; nil: none now. Suspects go first: a find is worth more than a
// guess.
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
		s.held = t // what is under way is short, and may show more of them, or make a suspect
		return nil
	}
	if h := s.hint(of); h != nil {
		s.held = t
		return h
	}
	return t
}

// chooseAlone is the next run that Sharpen asks for; nil: none now.
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

// queued is the first of the waiting tasks that can be run; nil: there is none.
func (s *Search) queued() *task {
	for len(s.waiting) > 0 {
		t := s.waiting[0]
		s.waiting = s.waiting[1:]
		if t.what == byItself {
			return t // of a test that ended its process, and is not usable for now
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

// fresh is a run of the order that was held back, or of the next of the stages; nil: there is none
// now.
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

// scheduled is a run of an order of the stages, of which the suite's own may be one.
func (s *Search) scheduled(o suite.Order) *task {
	t := &task{what: scheduled, name: s.in.Stages[s.stage].Name}
	if s.originals == 0 && slices.Equal(o, s.in.Tests) {
		t, s.originals = s.original(true), 1
	}
	t.order = s.usable(o)
	return t
}

// draw is the next order of the stages.
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

// usable is the order without the tests that cannot be run.
func (s *Search) usable(o suite.Order) suite.Order {
	return slices.DeleteFunc(slices.Clone(o), func(t suite.TestID) bool {
		r := s.byID[t]
		return r == nil || r.state == left || r.state == missing
	})
}
