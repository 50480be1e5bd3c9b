package diagnose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// maxKnown is how many causes of other tests are tried on one test. Locating a new cause takes
// about as many runs.
const maxKnown = 3

// explainReady explains the tests that have both a passing and a failing order. It finds one cause
// and its cleaners for each test, so that most results are there if the budget ends. It tries each
// new cause on all other tests. A test that still lacks an order then needs no search for one.
func (s *session) explainReady(ctx context.Context, cases []*failingTest) error {
	ready := func(c *failingTest) bool { return c.alone != "" && !lacking(c) }
	for {
		unsettled := open(cases, ready)
		if len(unsettled) == 0 {
			return s.deliver(ctx, cases)
		}
		if s.timeToRepair(cases) {
			if err := s.deliverBeforeRepair(ctx, cases, unsettled); err != nil {
				return err
			}
			continue
		}
		// All tests of a cause are explained before the cause is delivered.
		c := unsettled[max(0, slices.IndexFunc(unsettled, func(c *failingTest) bool { return s.confirmedFor(c) != nil }))]
		if s.confirmedFor(c) == nil {
			if err := s.deliver(ctx, cases); err != nil {
				return err
			}
		}
		if err := s.explain(ctx, c); err != nil {
			return err
		}
		if err := s.share(ctx, c, open(cases, always)); err != nil {
			return err
		}
	}
}

// moreCausesOfAll searches further causes. Without FindAll, it does so only for the first of the
// tests that share a cause.
func (s *session) moreCausesOfAll(ctx context.Context, cases []*failingTest) error {
	for i, c := range cases {
		if !s.in.FindAll && s.timeToRepair(cases) {
			return nil // the input asks for no more
		}
		if !c.res.orderDependent() || c.joint || c.searched || c.delivered ||
			(!s.in.FindAll && slices.ContainsFunc(cases[:i], c.sharesCause)) {
			continue
		}
		c.searched = true
		if err := s.moreCauses(ctx, c, cases); err != nil {
			if s.in.FindAll {
				c.res.Unfinished = true
			}
			return err
		}
	}
	return nil
}

func (r *TestResult) orderDependent() bool {
	return r.Verdict == suite.Victim || r.Verdict == suite.Brittle || r.Verdict == suite.VictimBrittle
}

// sharesCause reports whether two tests have the same first cause.
func (c *failingTest) sharesCause(other *failingTest) bool {
	return other.res.orderDependent() && !other.joint && other.want() == c.want() &&
		slices.Equal(firstOf(other.causes()), firstOf(c.causes()))
}

// want returns the outcome that c has only after other tests.
func (c *failingTest) want() suite.Outcome {
	if c.alone == suite.Pass {
		return suite.Fail
	}
	return suite.Pass
}

// source returns the order in which c had that outcome.
func (c *failingTest) source() *tried {
	if c.alone == suite.Pass {
		return c.failing
	}
	return c.passing
}

// explain finds one cause for c and settles the verdict. For a victim it then searches cleaners;
// for a brittle it searches tests that pollute the state again.
func (s *session) explain(ctx context.Context, c *failingTest) error {
	defer c.orders()
	if err := s.aloneFor(ctx, c); err != nil || c.settled || lacking(c) {
		return err
	}
	cause, err := s.causeOfOthers(ctx, c, nil)
	if err == nil && cause == nil {
		cause, err = s.search(ctx, c)
	}
	if err == nil {
		s.located(ctx, c, cause)
		err = s.recheck(ctx, c, cause)
	}
	if unsteady, ok := errors.AsType[*unsteadyError](err); ok {
		verdict := suite.Undecided
		if unsteady.flaky {
			verdict = suite.FlakyOther
		}
		c.settle(verdict, unsteady.reason)
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.conclude(ctx, c, cause); err != nil {
		c.res.Unfinished = true
		return err
	}
	return nil
}

// located tells the caller the cause of a single failing test. The caller may explain the state
// while the cause is checked again.
func (s *session) located(ctx context.Context, c *failingTest, cause suite.Order) {
	if !s.single || s.parallel() == 1 {
		return
	}
	soon := &failingTest{id: c.id, alone: c.alone, failing: c.failing, passing: c.passing, res: c.res}
	s.settleOn(soon, cause)
	soon.orders()
	s.in.Located(ctx, soon.res)
}

// conclude settles c with its confirmed cause.
func (s *session) conclude(ctx context.Context, c *failingTest, cause suite.Order) error {
	s.addCause(cause)
	s.settleOn(c, cause)
	if c.alone == suite.Fail {
		return s.pollutersBetween(ctx, c, cause)
	}
	next := "looking for cleaners"
	if s.in.CleanersLater && !s.in.FindAll {
		next = "looking for further polluters"
	}
	s.report(c, c.res.Reason, "%s", next)
	ahead := s.askAhead(ctx, c)
	if err := cmp.Or(s.clean(ctx, c, cause), ahead()); err != nil {
		return err
	}
	return s.noteTwice(ctx, c)
}

// askAhead begins the first run of moreCauses, which searches further causes after the cleaners. It
// does so for a single failing test only: several tests may share that run. The function that it
// returns waits for the run.
func (s *session) askAhead(ctx context.Context, c *failingTest) (wait func() error) {
	rest := s.remaining(c)
	if !s.single || s.in.FindAll || len(rest) == 0 || s.parallel() == 1 || s.takesLong(ctx, rest) {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.ask(ctx, c, suite.Join(rest, suite.Order{c.id}), suite.Warm)
		done <- err
	}()
	return func() error { return <-done }
}

// settleOn settles c as the victim of a polluter, or as the brittle of a state-setter.
func (s *session) settleOn(c *failingTest, cause suite.Order) {
	c.res.MinimalOrder = suite.Join(cause, suite.Order{c.id})
	if c.alone == suite.Fail {
		c.res.StateSetters = append(c.res.StateSetters, cause)
		c.res.Failure = s.failureOf(suite.Order{c.id})
		c.settle(suite.Brittle, "fails alone, passes after "+s.Names(cause))
		return
	}
	c.res.Polluters = append(c.res.Polluters, cause)
	c.res.Failure = s.failureOf(c.res.MinimalOrder)
	c.settle(suite.Victim, "passes alone, fails after "+s.Names(cause))
}

// noteTwice checks whether a victim also fails when it runs twice.
func (s *session) noteTwice(ctx context.Context, c *failingTest) error {
	if err := s.twice(ctx, c); err != nil {
		return err
	}
	if c.res.NonIdempotent {
		c.note("without a patch, it also fails after itself, when it runs twice in one process")
	}
	return nil
}

func (s *session) addCause(cause suite.Order) {
	if i := slices.IndexFunc(s.causes, func(o suite.Order) bool { return slices.Equal(o, cause) }); i >= 0 {
		s.causes = slices.Delete(s.causes, i, i+1)
	}
	s.causes = slices.Insert(s.causes, 0, cause)
}

func roleOf(c *failingTest) string {
	if c.want() == suite.Fail {
		return "after the polluter"
	}
	return "after the state-setter"
}

// search minimises the order in which c had the opposite of its outcome alone.
func (s *session) search(ctx context.Context, c *failingTest) (suite.Order, error) {
	o := c.source().upToTest(c.id)
	s.report(c, fmt.Sprintf("one of %d tests before it", len(o)-1), "looking for the cause in %s", c.source().Source)
	return s.pin(ctx, c, o[:len(o)-1], c.want(), nil)
}

// shares reports whether a cleaner of another polluter says something about this one. It does not if
// it only makes the victim's class be entered again, or if the order cannot be run.
func (k *cleaning) shares(cleaner suite.Order) bool {
	reenters := k.Same(k.polluter[len(k.polluter)-1], k.c.id) && !slices.ContainsFunc(cleaner, k.inside)
	return !reenters && !slices.ContainsFunc(cleaner, k.again) && k.allowed(k.c, cleaner)
}

// pollutersBetween searches a polluter for a brittle: a test between state-setter and brittle that makes
// the brittle fail again. If it finds one, the brittle becomes a victim-brittle.
func (s *session) pollutersBetween(ctx context.Context, c *failingTest, setter suite.Order) error {
	for _, t := range s.runs {
		if i, in := t.first[c.id]; !in || s.facts.known(t.Order[:i+1]) != suite.Fail {
			continue
		}
		between := after(t.upToTest(c.id), setter)
		if len(between) == 0 || !s.allowed(c, between) {
			continue
		}
		wrap := around(setter, c.id)
		out, err := s.ask(ctx, c, wrap(between), suite.Warm)
		if err != nil {
			return err
		}
		if out != suite.Fail {
			continue
		}
		cause, err := s.pin(ctx, c, between, suite.Fail, setter)
		if _, ok := errors.AsType[*unsteadyError](err); ok {
			continue
		}
		if err != nil {
			return err
		}
		if o := t.upToTest(c.id); s.facts.suspected(o) != "" {
			if out, err = s.askFresh(ctx, c, o); err != nil {
				return err
			}
		}
		if out == suite.Fail {
			c.failing = t
		}
		c.res.Polluters = append(c.res.Polluters, cause)
		c.res.Failure = s.failureOf(wrap(cause))
		c.settle(suite.VictimBrittle, fmt.Sprintf("fails alone, passes after %s, fails again when %s comes between", s.Names(setter),
			s.Names(cause)))
		return nil
	}
	return nil
}

// after returns the tests between the sequence s (found from the end) and the last test of o. It
// returns nil if o does not contain s in this order before its last test.
func after(o, s suite.Order) suite.Order {
	end := len(o) - 1
	last := -1
	for i, k := end-1, len(s)-1; k >= 0; i, k = i-1, k-1 {
		for i >= 0 && o[i] != s[k] {
			i--
		}
		if i < 0 {
			return nil
		}
		if last < 0 {
			last = i
		}
	}
	return o[last+1 : end : end]
}
