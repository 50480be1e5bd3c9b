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

// allowed reports whether the build can run these tests before c in one process.
func (s *session) allowed(c *failingTest, o suite.Order) bool {
	return !s.in.Isolated || !slices.ContainsFunc(o, func(t suite.TestID) bool { return !s.Same(t, c.id) })
}

// lateShare: if a cause is found when the time for repair has come, the search for other tests of
// the cause may still take one part in this many of the time that is left. One patch repairs them all.
const lateShare = 8

// share checks in parallel whether the new cause is also the cause of the other tests. The results
// are then known when these tests are explained.
func (s *session) share(ctx context.Context, c *failingTest, others []*failingTest) error {
	if !c.res.orderDependent() {
		return nil
	}
	cause := s.causes[0]
	may := func(o *failingTest) bool {
		return (o.alone == c.alone || unasked(o)) && !slices.Contains(cause, o.id) && s.allowed(o, cause)
	}
	likely, err := s.likelyAfter(ctx, c, cause, open(others, may))
	if err != nil {
		return err
	}
	sh := &sharing{session: s, first: c, cause: cause, failure: map[suite.TestID]*suite.Failure{}}
	if s.timeToRepair([]*failingTest{c}) {
		sh.until = time.Now().Add(budget.Share(ctx, lateShare))
	}
	if c.res.Verdict == suite.Victim && len(cause) == 1 { // brittle tests could set the state for each other
		if err := sh.checkTogether(ctx, likely); err != nil {
			return err
		}
	}
	unsettled := open(likely, func(o *failingTest) bool {
		return may(o) && !unasked(o) && s.confirmedFor(o) == nil && !slices.ContainsFunc(s.causes, func(other suite.Order) bool {
			return !slices.Equal(other, cause) && s.knownFresh(o, other) == o.want()
		})
	})
	if unsettled, err = sh.likeliest(ctx, unsettled); err != nil {
		return err
	}
	return s.inTurns(len(unsettled), func(i int) error {
		o := unsettled[i]
		if sh.over() {
			return nil
		}
		out, err := s.askAfter(ctx, o, cause)
		if err != nil || out != o.want() {
			return err
		}
		if err := s.aloneFor(ctx, o); err != nil || o.settled {
			return err
		}
		_, err = s.confirm(ctx, o, suite.Join(cause, suite.Order{o.id}), out, roleOf(o))
		return err
	})
}

// maxUnlike is how many tests run after the cause of which the check of all together has shown that
// they do not depend on it.
const maxUnlike = 4

// likeliest returns those of the tests that may have the cause, if they have run together after it. A
// test that passed there may still fail directly after the cause, if one before it cleaned. So some
// of these run directly after the cause, too; if one of them fails, all tests may have it.
func (s *sharing) likeliest(ctx context.Context, of []*failingTest) ([]*failingTest, error) {
	var like, unlike []*failingTest
	for _, c := range of {
		if s.alike[c.id] {
			like = append(like, c)
		} else {
			unlike = append(unlike, c)
		}
	}
	if s.alike == nil || len(unlike) <= maxUnlike {
		return of, nil
	}
	var found atomic.Bool
	err := s.inTurns(maxUnlike, func(i int) error {
		c := unlike[i*len(unlike)/maxUnlike]
		out, err := s.askAfter(ctx, c, s.cause)
		if out == c.want() {
			found.Store(true)
		}
		return err
	})
	if found.Load() {
		like = of
	}
	return like, err
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
		if len(cause) > 1 {
			c.note("the cause is that of another test; it was not confirmed that none of its %d tests can be removed", len(cause))
		}
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
