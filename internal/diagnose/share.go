package diagnose

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// causeOfOthers tries the causes of other tests on c. If in is not nil, it tries only causes whose
// tests are all part of that order. Causes after which fresh processes already showed the wanted
// outcome come first.
func (s *session) causeOfOthers(ctx context.Context, c *failingTest, in suite.Order) (suite.Order, error) {
	var confirmed, unknown []suite.Order
	for _, cause := range s.causes {
		if slices.Contains(cause, c.id) || !s.allowed(c, cause) || (in != nil && !within(cause, in)) {
			continue
		}
		switch s.knownFresh(c, cause) {
		case c.want():
			confirmed = append(confirmed, cause)
		case "":
			unknown = append(unknown, cause)
		}
	}
	for _, cause := range slices.Concat(confirmed, unknown[:min(maxKnown, len(unknown))]) {
		o := suite.Join(cause, suite.Order{c.id})
		out, err := c.want(), error(nil)
		if s.in.Once { // a hint rules most causes out
			out, err = s.ask(ctx, c, o, suite.Batched)
		}
		if err == nil && out == c.want() {
			out, err = s.askFresh(ctx, c, o)
		}
		if err != nil {
			return nil, err
		}
		if out != c.want() {
			continue
		}
		got, err := s.certifyHint(ctx, c, cause, c.want(), around(nil, c.id))
		if got != nil || err != nil {
			return got, err
		}
	}
	return nil, nil
}

// knownFresh returns the outcome of c after the cause in fresh processes; "" if none has run.
func (s *session) knownFresh(c *failingTest, cause suite.Order) suite.Outcome {
	return agreed(best(fresh(s.facts.of(suite.Join(cause, suite.Order{c.id})))))
}

// within reports whether o contains all tests of part.
func within(part, o suite.Order) bool {
	return !slices.ContainsFunc(part, func(t suite.TestID) bool { return !slices.Contains(o, t) })
}

// allowed reports whether the build can run these tests, in this order, before c in one process,
// without leaving a group and returning to it.
func (s *session) allowed(c *failingTest, o suite.Order) bool {
	return !slices.ContainsFunc(o, func(t suite.TestID) bool {
		return s.in.Isolated && !s.Same(t, c.id) || s.Before(c.id, t) || s.Shared(t, c.id) > s.Shared(o[len(o)-1], c.id)
	})
}

// lateShare: the search for other tests of a cause ends when the time for repair comes. It may take
// one part in this many of the time that is left in any case, since one patch repairs them all.
const lateShare = 8

// share checks in parallel whether the new cause is also the cause of the other tests. The results
// are then known when these tests are explained.
func (s *session) share(ctx context.Context, c *failingTest, others []*failingTest) error {
	if !c.res.orderDependent() {
		return nil
	}
	sh := &sharing{session: s, first: c, cause: s.causes[0], failure: map[suite.TestID]*suite.Failure{},
		ofPart: map[*failingTest]bool{}}
	limited, cancel := sh.limit(ctx)
	defer cancel()
	err := sh.checkOthers(limited, others)
	if limited.Err() != nil && ctx.Err() == nil {
		return nil // only its own time is over
	}
	return err
}

// limit sets the time at which the search ends (lateShare). A run that is in progress at the time
// for repair may end. One that takes part of the time for repair may not.
func (s *sharing) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.repairFrom == nil {
		return context.WithCancel(ctx)
	}
	s.until = time.Now().Add(budget.Share(ctx, lateShare))
	if from := s.repairFrom(); from.After(s.until) {
		s.until = from
		return context.WithCancel(ctx)
	}
	if s.finishFrom != nil && s.finishFrom().Before(s.until) {
		s.until = s.finishFrom()
	}
	return context.WithDeadline(ctx, s.until)
}

// checkOthers checks the cause for the other tests.
func (s *sharing) checkOthers(ctx context.Context, others []*failingTest) error {
	c, cause := s.first, s.cause
	may := func(o *failingTest) bool {
		return (o.alone == c.alone || unasked(o)) && !slices.Contains(cause, o.id) && s.allowed(o, cause)
	}
	likely, err := s.likelyAfter(ctx, c, cause, open(others, may))
	if err != nil {
		return err
	}
	if c.res.Verdict == suite.Victim { // brittle tests could set the state for each other
		if err := s.checkTogether(ctx, likely); err != nil {
			return err
		}
	}
	unsettled := open(likely, func(o *failingTest) bool {
		return may(o) && !unasked(o) && !s.ofPart[o] && s.confirmedFor(o) == nil && !slices.ContainsFunc(s.causes, func(other suite.Order) bool {
			return !slices.Equal(other, cause) && s.knownFresh(o, other) == o.want()
		})
	})
	if unsettled, err = s.withoutPassing(ctx, unsettled); err != nil {
		return err
	}
	return s.inTurns(len(unsettled), func(i int) error {
		o := unsettled[i]
		if s.over() {
			return nil
		}
		out, err := s.askAfter(ctx, o, cause)
		if err != nil || out != o.want() {
			return err
		}
		if err := s.aloneFor(ctx, o); err != nil || o.settled {
			return err
		}
		_, err = s.session.confirm(ctx, o, suite.Join(cause, suite.Order{o.id}), out, roleOf(o))
		return err
	})
}

// maxPassing is how many tests that passed after the cause together with others also run directly
// after it.
const maxPassing = 4

// withoutPassing leaves out tests that passed when many tests ran together after the cause. Such a
// test may still fail directly after the cause, if a test before it cleaned. So some of them run
// directly after the cause. If one of these fails, none is left out.
func (s *sharing) withoutPassing(ctx context.Context, of []*failingTest) ([]*failingTest, error) {
	var passed, rest []*failingTest
	for _, c := range of {
		if i := s.ranIn.Index(c.id); i >= 0 && s.facts.known(s.ranIn[:i+1]) == opposite(c.want()) {
			passed = append(passed, c)
		} else {
			rest = append(rest, c)
		}
	}
	if len(passed) <= maxPassing {
		return of, nil
	}
	var found atomic.Bool
	err := s.inTurns(maxPassing, func(i int) error {
		if s.over() {
			return nil
		}
		c := passed[i*len(passed)/maxPassing]
		out, err := s.askAfter(ctx, c, s.cause)
		if out == c.want() {
			found.Store(true)
		}
		return err
	})
	if found.Load() {
		return of, err
	}
	return rest, err
}

// likelyAfter returns those of the tests that the cause may affect in the same way as c. Where
// hints are cheap, they decide: one process runs all of the tests after the cause. A test with c's
// outcome, or without a result, then also runs directly after the cause.
func (s *session) likelyAfter(ctx context.Context, c *failingTest, cause suite.Order, of []*failingTest) ([]*failingTest, error) {
	if !s.in.Once || len(of) == 0 {
		return of, nil
	}
	o := suite.Join(cause, cohort.After(s.Groups, s.all, cause, func(t suite.TestID) bool {
		return slices.ContainsFunc(of, func(x *failingTest) bool { return x.id == t })
	}))
	run, err := s.run(ctx, nil, o, suite.Batched, false)
	if err != nil {
		return nil, err
	}
	may := open(of, func(x *failingTest) bool {
		i := o.Index(x.id)
		out := suite.Unresolved
		if i >= 0 {
			out = at(o, run, i).Outcome
		}
		return out == c.want() || out == suite.Unresolved
	})
	err = s.inTurns(len(may), func(i int) error {
		_, err := s.ask(ctx, may[i], suite.Join(cause, suite.Order{may[i].id}), suite.Batched)
		return err
	})
	return open(may, func(x *failingTest) bool {
		return s.facts.known(suite.Join(cause, suite.Order{x.id})) == c.want()
	}), err
}

// askAfter runs c directly after the cause in a fresh process. For some tests this is the missing
// order.
func (s *session) askAfter(ctx context.Context, c *failingTest, cause suite.Order) (suite.Outcome, error) {
	o := suite.Join(cause, suite.Order{c.id})
	out, err := s.askFresh(ctx, c, o)
	if err == nil && lacking(c) {
		s.keep(shown{suite.Seen{Source: s.Names(cause) + " directly before it", Provenance: suite.Exact, Order: o}, []*failingTest{c}, o})
	}
	return out, err
}

// concludeKnown settles, without further runs, the tests for which share confirmed a known cause.
func (s *session) concludeKnown(unsettled []*failingTest) {
	for _, c := range unsettled {
		cause := s.confirmedFor(c)
		if cause == nil {
			continue
		}
		c.orders()
		c.noteGroup(cause)
		if c.alone == suite.Fail {
			c.leave("other state-setters, and tests that pollute the state again,")
		} else {
			c.leave("its cleaners and other polluters")
		}
		s.settleOn(c, cause)
	}
}

// leave notes what was not searched.
func (c *failingTest) leave(what string) {
	c.res.Unfinished = true
	c.note("%s were not all searched: the rest of the time is kept for repair", what)
}

// confirmedFor returns a cause of another test that enough fresh processes confirmed for c as well;
// nil if there is none.
func (s *session) confirmedFor(c *failingTest) suite.Order {
	if !s.holds(c, suite.Order{c.id}, c.alone) {
		return nil
	}
	for _, cause := range s.causes {
		if s.allowed(c, cause) && s.holds(c, suite.Join(cause, suite.Order{c.id}), c.want()) {
			return cause
		}
	}
	return nil
}

// holds reports whether the outcome of c in o was confirmed and is still known. distrust may have
// made the session forget it.
func (s *session) holds(c *failingTest, o suite.Order, out suite.Outcome) bool {
	as := fresh(s.facts.of(o))
	return len(as) >= s.in.Rerun && agreed(as) == out && slices.ContainsFunc(c.res.Evidence, func(a suite.Answer) bool {
		return a.Outcome == out && slices.Equal(a.Order, o)
	})
}
