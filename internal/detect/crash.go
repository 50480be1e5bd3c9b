package detect

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// maxCut is how many tests are taken out of one order because they end its process.
const maxCut = 8

// crashed isolates the test in which a process ended: the order runs again
// without it, so that those after it get their turn. The first time it is also
// asked by itself, with nothing beside: a loaded machine makes tests hang that
// are well, and one that gives a result there gets another chance.
func (s *Search) crashed(t *task) {
	r := s.ender(t)
	if r == nil {
		return // the process ended after the last test: each has a result
	}
	if c := t.run.Crash; c.Kind == suite.CrashMissing {
		s.without(&MissingError{Tests: append([]suite.TestID{r.id}, c.Missing...), Reason: c.Detail}, t.order)
		s.goOn(t, r)
		s.unrepeatable(t)
		return
	}
	r.crashes++
	if r.state != left {
		r.before = settled{r.state, r.why, r.whyOrder}
	}
	at := t.order.Index(r.id) + 1
	r.settle(left, t.order[:at:at], "ended its process (%s)", t.run.Crash)
	if r.crashes == 1 {
		r.asking++
		s.waiting = append([]*task{{what: byItself, order: suite.Order{r.id}, test: r, exclusive: true, name: "looking at a crash"}}, s.waiting...)
	}
	s.goOn(t, r)
}

// goOn has an order of the stages run again without a test in which its process ended. How many
// that did is bounded, and tests that are not there leave every order at once.
func (s *Search) goOn(t *task, r *record) {
	if t.what != scheduled || t.cut >= maxCut {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(t.order), func(x suite.TestID) bool { return x == r.id })
	again := &task{what: scheduled, order: rest, name: t.name, cut: t.cut, rest: true}
	if t.run.Crash.Kind != suite.CrashMissing {
		again.cut++
	}
	s.waiting = append([]*task{again}, s.waiting...)
}

// ender is the test in which the process of the run ended; nil: none of them.
func (s *Search) ender(t *task) *record {
	if r := s.byID[t.run.Crash.During]; r != nil && slices.Contains(t.order, r.id) {
		return r
	}
	for i, id := range t.order {
		if t.run.At(i).Outcome == suite.Unresolved {
			return s.byID[id]
		}
	}
	return nil
}

// reinstate gives a test another chance that ended its process once and gives
// a result alone: it is again what it was before.
func (s *Search) reinstate(r *record, t *task) {
	if r.state == left && r.crashes == 1 && t.run.Crash == nil && t.run.At(0).Outcome != suite.Unresolved {
		r.state, r.why, r.whyOrder = r.before.state, r.before.why, r.before.order
		s.watch(r)
	}
}

// crashedAlone is for a test that ended its process with no other in it. Once is
// forgiven: a loaded machine makes tests hang that are well.
func (s *Search) crashedAlone(r *record, t *task) {
	if s.ender(t) != r {
		return
	}
	if r.crashes++; r.crashes > 1 {
		r.settle(left, t.order, "ends its process, alone too (%s)", t.run.Crash)
	}
}

// without leaves tests out that are not there, or cannot be run as they were asked for; false where
// that changes nothing about the order.
func (s *Search) without(gone *MissingError, o suite.Order) bool {
	for _, t := range gone.Tests {
		r := s.byID[t]
		if r == nil || r.state == missing || o.Index(t) < 0 {
			continue
		}
		as, how := missing, "was not there"
		if gone.There {
			as, how = left, "could not be run"
			r.crashes = 0 // there is no use in looking at an earlier end of its process
		}
		if r.state == found {
			s.note("%s, which was found to be order-dependent, %s later: %s", t, how, gone.Reason)
		}
		r.settle(as, nil, "%s", gone.Reason)
	}
	if len(s.usable(o)) == len(o) {
		s.unruly(gone, o)
	}
	return len(s.usable(o)) < len(o)
}

// unruly leaves out what the order holds of the classes whose runners ran
// other tests than they were asked for: those that the error names are not in it.
func (s *Search) unruly(gone *MissingError, o suite.Order) {
	for _, t := range o {
		if r := s.byID[t]; r != nil && slices.ContainsFunc(gone.Tests, func(x suite.TestID) bool { return s.in.Groups.Same(x, t) }) {
			r.settle(left, nil, "%s", gone.Reason)
		}
	}
}

// unrepeatable is for an order that cannot be asked for again, since tests of it are
// gone: what rests on it is forgotten, and it runs again without them.
func (s *Search) unrepeatable(t *task) {
	switch t.what {
	case shortening:
		t.ran.tried = true
	case settling:
		for _, r := range append(t.also, t.test) {
			if d := r.recheck; d != nil && len(s.usable(d.order)) < len(d.order) {
				r.recheck = nil
				r.settle(undecided, d.order, "disagreed with itself in an order of which tests are not there any more")
			}
		}
	case repeat:
		for _, r := range s.watched {
			if r.state == suspect && r.observationIn(t.ran) != nil {
				r.unsee(t.ran)
			}
		}
		s.waiting = append(s.waiting, &task{what: scheduled, order: t.ran.order, again: true, name: t.ran.source + " again"})
	}
}
