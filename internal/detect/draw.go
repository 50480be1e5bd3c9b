package detect

import (
	"iter"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// choose is the next run to ask for; nil: none now. Suspects go first: a find is worth more than a guess.
func (s *Search) choose(until time.Time, running int) *task {
	if t := s.confirmation(); t != nil {
		return t
	}
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
		t.draw.hear(nil, nil)
	}
	if !s.in.Now().Before(until) && s.spent.Orders > 0 {
		return nil
	}
	for s.in.Shown.ready(s.behind) {
		o, ok := s.draw()
		if !ok {
			return nil
		}
		s.number++
		s.fall()
		if t := s.scheduled(o); len(t.order) > 0 {
			t.draw = s.in.Shown.add()
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

// fall settles how far the next order may fall behind what is heard.
func (s *Search) fall() {
	s.behind = max(1, s.runner.Parallel()) - 1
	if s.in.Behind != nil {
		s.behind = s.in.Behind(s.number, s.behind)
	}
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
