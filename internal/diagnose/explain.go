package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// maxKnown is how many causes found for other tests are tried on one: locating a new one takes
// about as many questions.
const maxKnown = 3

// explainReady finds out what those tests depend on that have both a passing and a failing order:
// one cause and its cleaners for each, so that a budget's end leaves most of the value. A cause
// just found is tried on all others, which spares those that lack an order the search for one.
func (s *session) explainReady(ctx context.Context, cases []*failingTest) error {
	ready := func(c *failingTest) bool { return c.alone != "" && !lacking(c) }
	for {
		todo := open(cases, ready)
		if len(todo) == 0 {
			return s.deliver(ctx, cases)
		}
		if s.timeToRepair(cases) {
			if err := s.deliverInHaste(ctx, cases, todo); err != nil {
				return err
			}
			continue
		}
		// All tests of a cause are explained before it is handed over.
		c := todo[max(0, slices.IndexFunc(todo, func(c *failingTest) bool { return s.confirmedFor(c) != nil }))]
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

// moreCausesOfAll looks for causes beside the first; without FindAll only for the first of the
// tests that share a cause.
func (s *session) moreCausesOfAll(ctx context.Context, cases []*failingTest) error {
	for i, c := range cases {
		if !s.in.FindAll && s.timeToRepair(cases) {
			return nil // what is asked for is there
		}
		if !c.res.orderDependent() || c.joint || c.searched || c.delivered || (!s.in.FindAll && slices.ContainsFunc(cases[:i], c.sharesCause)) {
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
	return other.res.orderDependent() && !other.joint && other.want() == c.want() && slices.Equal(firstOf(other.causes()), firstOf(c.causes()))
}

// want is the outcome that other tests must bring about.
func (c *failingTest) want() suite.Outcome {
	if c.alone == suite.Pass {
		return suite.Fail
	}
	return suite.Pass
}

// source is the order in which they do.
func (c *failingTest) source() *tried {
	if c.alone == suite.Pass {
		return c.failing
	}
	return c.passing
}

// explain finds one cause for c, settles the verdict, and looks for cleaners or, in a brittle, for
// what spoils the state again.
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
		err = s.recheck(ctx, c, cause)
	}
	var unsteady *unsteadyError
	if errors.As(err, &unsteady) {
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

// conclude settles c, whose confirmed cause is given.
func (s *session) conclude(ctx context.Context, c *failingTest, cause suite.Order) error {
	s.addCause(cause)
	s.settleOn(c, cause)
	if c.alone == suite.Fail {
		return s.spoilers(ctx, c, cause)
	}
	s.report(c, c.res.Reason, "looking for cleaners")
	if err := s.clean(ctx, c, cause); err != nil {
		return err
	}
	return s.noteTwice(ctx, c)
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

// noteTwice asks whether a victim also fails after itself.
func (s *session) noteTwice(ctx context.Context, c *failingTest) error {
	if err := s.twice(ctx, c); err != nil {
		return err
	}
	if c.res.NonIdempotent {
		c.note("it also fails when it is run twice in one process, whatever else runs")
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

// search minimises the order that showed the opposite of c's run alone.
func (s *session) search(ctx context.Context, c *failingTest) (suite.Order, error) {
	o := c.source().upToTest(c.id)
	s.report(c, fmt.Sprintf("one of %d tests before it", len(o)-1), "looking for the cause in %s", c.source().Source)
	return s.pin(ctx, c, o[:len(o)-1], c.want(), nil)
}

// further looks for causes beside the first: the paper's loop, which takes away what was found and
// asks again, after probing single tests where all causes are wanted.
func (s *session) moreCauses(ctx context.Context, c *failingTest, all []*failingTest) error {
	if s.in.FindAll {
		if err := s.probeCauses(ctx, c); err != nil {
			return err
		}
	}
	for s.in.FindAll || len(c.causes()) < handful {
		rest := s.remaining(c)
		if len(rest) == 0 {
			return nil
		}
		out, err := s.askShared(ctx, c, rest, all)
		if err != nil || out != c.want() {
			return err
		}
		cause, err := s.causeOfOthers(ctx, c, rest)
		if err == nil && cause == nil {
			cause, err = s.pin(ctx, c, rest, c.want(), nil)
		}
		var unsteady *unsteadyError
		if errors.As(err, &unsteady) {
			c.note("a further cause could not be pinned down: %s", unsteady.reason)
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.another(ctx, c, cause); err != nil {
			return err
		}
	}
	return nil
}

// causes are the confirmed polluters or state-setters.
func (c *failingTest) causes() []suite.Order {
	if c.want() == suite.Fail {
		return c.res.Polluters
	}
	return c.res.StateSetters
}

// remaining is the order that showed the dependence without the causes found.
func (s *session) remaining(c *failingTest) suite.Order {
	o := c.source().upToTest(c.id)
	return slices.DeleteFunc(slices.Clone(o[:len(o)-1]), func(t suite.TestID) bool {
		return slices.ContainsFunc(c.causes(), func(p suite.Order) bool { return slices.Contains(p, t) })
	})
}

// askShared asks what becomes of c after rest. Where other failing tests lack the same answer, the
// run goes on to the end of the order they have in common, so that one run shows the outcome of all
// of them.
func (s *session) askShared(ctx context.Context, c *failingTest, rest suite.Order, all []*failingTest) (suite.Outcome, error) {
	o := suite.Join(rest, suite.Order{c.id})
	if out := s.facts.known(o); out != "" {
		return out, nil
	}
	long := o
	for _, other := range all {
		if other == c || !c.sharesCause(other) || other.source() != c.source() {
			continue
		}
		if r := suite.Join(s.remaining(other), suite.Order{other.id}); len(r) > len(long) && slices.Equal(r[:len(o)], o) {
			long = r
		}
	}
	if _, err := s.run(ctx, nil, long, suite.Warm, false); err != nil {
		return "", err
	}
	return s.facts.known(o), nil
}

func firstOf(os []suite.Order) suite.Order {
	if len(os) == 0 {
		return nil
	}
	return os[0]
}

// another books a further confirmed cause and looks for its cleaners.
func (s *session) another(ctx context.Context, c *failingTest, cause suite.Order) error {
	s.addCause(cause)
	if c.want() == suite.Pass {
		c.res.StateSetters = append(c.res.StateSetters, cause)
		return nil
	}
	c.res.Polluters = append(c.res.Polluters, cause)
	return s.clean(ctx, c, cause)
}

// spoilers makes a victim-brittle of a brittle that fails again where a polluter comes between its
// state-setter and itself.
func (s *session) spoilers(ctx context.Context, c *failingTest, setter suite.Order) error {
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
		var unsteady *unsteadyError
		if errors.As(err, &unsteady) {
			continue
		}
		if err != nil {
			return err
		}
		c.failing = t
		c.res.Polluters = append(c.res.Polluters, cause)
		c.res.Failure = s.failureOf(wrap(cause))
		c.settle(suite.VictimBrittle, fmt.Sprintf("fails alone, passes after %s, fails again when %s comes between", s.Names(setter),
			s.Names(cause)))
		return nil
	}
	return nil
}

// after is what stands between the sequence s (found from the end) and the last test of o; nil
// where o does not hold s before its last test in this order.
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
