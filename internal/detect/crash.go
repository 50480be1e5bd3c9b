package detect

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// maxCut is how many tests may be removed from one order because they end its process.
const maxCut = 8

// crashed isolates the test in which a process ended. The order runs again without this test, so
// that the later tests run, too. The first time, the test also runs alone and exclusively, because
// on a loaded machine a healthy test may hang. If it gives a result there, it is used again.
func (s *Search) crashed(t *task) {
	r := s.ender(t)
	if r == nil {
		return // the process ended after the last test, and each test has a result
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
		s.waiting = append([]*task{{what: byItself, order: suite.Order{r.id}, test: r, exclusive: true,
			name: "checking a crash"}}, s.waiting...)
	}
	s.goOn(t, r)
}

// goOn lets an order of the stages run again without the test in which its process ended. The
// number of such crashes for one order is limited. Missing tests do not count, because they are
// removed from all orders at once.
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

// ender returns the test in which the process of the run ended; nil: it ended in no test.
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

// reinstate restores the earlier state of a test that ended its process once, if it gives a result
// alone.
func (s *Search) reinstate(r *record, t *task) {
	if r.state == left && r.crashes == 1 && t.run.Crash == nil && t.run.At(0).Outcome != suite.Unresolved {
		r.state, r.why, r.whyOrder = r.before.state, r.before.why, r.before.order
		s.watch(r)
	}
}

// crashedAlone handles a test that ended its process when it ran alone. One such crash is ignored,
// because on a loaded machine a healthy test may hang.
func (s *Search) crashedAlone(r *record, t *task) {
	if s.ender(t) != r {
		return
	}
	if r.crashes++; r.crashes > 1 {
		r.settle(left, t.order, "ends its process, alone too (%s)", t.run.Crash)
	}
}

// without removes tests that are missing, or that cannot run in the requested order. It returns
// false if this does not change the order.
func (s *Search) without(gone *MissingError, o suite.Order) bool {
	for _, t := range gone.Tests {
		r := s.byID[t]
		if r == nil || r.state == missing || o.Index(t) < 0 {
			continue
		}
		as, how := missing, "did not exist"
		if gone.There {
			as, how = left, "could not be run"
			r.crashes = 0 // its earlier crash needs no further check
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

// unruly handles the case that the error names only tests that are not in the order. The runners of
// their classes ran other tests than requested. unruly removes all tests of these classes from the
// order.
func (s *Search) unruly(gone *MissingError, o suite.Order) {
	for _, t := range o {
		if r := s.byID[t]; r != nil && slices.ContainsFunc(gone.Tests, func(x suite.TestID) bool { return s.in.Groups.Same(x, t) }) {
			r.settle(left, nil, "%s", gone.Reason)
		}
	}
}

// unrepeatable handles an order that cannot be repeated because some of its tests are missing.
// Results that depend on the order are forgotten, and the order runs again without these tests.
func (s *Search) unrepeatable(t *task) {
	switch t.what {
	case shortening:
		t.ran.tried = true
	case settling:
		for _, r := range append(t.also, t.test) {
			if d := r.recheck; d != nil && len(s.usable(d.order)) < len(d.order) {
				r.recheck = nil
				r.settle(undecided, d.order, "disagreed with itself in an order of which some tests no longer exist")
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
