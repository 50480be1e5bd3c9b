package diagnose

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/suite"
)

// moreCauses searches further causes after the first. It follows the paper's loop: remove the
// causes found, and run the rest again. If all causes are wanted, it first probes single tests.
func (s *session) moreCauses(ctx context.Context, c *failingTest, all []*failingTest) error {
	if s.in.FindAll {
		if err := s.probeCauses(ctx, c); err != nil {
			return err
		}
	}
	began := time.Now()
	for s.in.FindAll || len(c.causes()) < handful && time.Since(began) < furtherTime {
		rest := s.remaining(c)
		if len(rest) == 0 {
			return nil
		}
		if s.takesLong(ctx, rest) {
			if s.searchOf(rest) > budget.Share(ctx, searchShare) {
				c.note("further %s were not looked for, because that would take too much of the time that is left", causesName(c))
			}
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
		if unsteady, ok := errors.AsType[*unsteadyError](err); ok {
			c.note("a further cause could not be minimised: %s", unsteady.reason)
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

// Bounds on the search for a further cause, unless all are wanted.
const (
	searchRuns  = 3                // runs of an order that it takes to find one cause in it, about
	searchShare = 4                // at most 1/searchShare of the time that is left
	searchTime  = 15 * time.Second // and at most this, since a patch for the known causes waits
	furtherTime = 30 * time.Second // in all, after which no other one is begun
)

// takesLong reports whether the time is better spent on a patch for the causes that are known. If the
// patch does not help after a further cause, its proof shows this.
func (s *session) takesLong(ctx context.Context, o suite.Order) bool {
	return !s.in.FindAll && s.searchOf(o) > min(searchTime, budget.Share(ctx, searchShare))
}

// searchOf is how long it takes to find one cause in an order, about.
func (s *session) searchOf(o suite.Order) (all time.Duration) {
	for _, t := range o {
		all += searchRuns * s.facts.took(t)
	}
	return all
}

func causesName(c *failingTest) string {
	if c.want() == suite.Fail {
		return "polluters"
	}
	return "state-setters"
}

// causes returns the confirmed polluters or state-setters.
func (c *failingTest) causes() []suite.Order {
	if c.want() == suite.Fail {
		return c.res.Polluters
	}
	return c.res.StateSetters
}

// remaining returns the order that showed the dependence, without c and without the causes found.
func (s *session) remaining(c *failingTest) suite.Order {
	o := c.source().upToTest(c.id)
	return slices.DeleteFunc(slices.Clone(o[:len(o)-1]), func(t suite.TestID) bool {
		return slices.ContainsFunc(c.causes(), func(p suite.Order) bool { return slices.Contains(p, t) })
	})
}

// askShared returns the outcome of c after rest. If other failing tests need the same kind of run,
// the run continues to the end of the order that they have in common. One run then shows the
// outcomes of all of them. A hint of a further cause is checked in a fresh process.
func (s *session) askShared(ctx context.Context, c *failingTest, rest suite.Order, all []*failingTest) (suite.Outcome, error) {
	o := suite.Join(rest, suite.Order{c.id})
	if s.facts.known(o) == "" {
		if _, err := s.run(ctx, nil, s.sharedOrder(c, o, all), suite.Warm, false); err != nil {
			return "", err
		}
	}
	if s.facts.suspected(o) == c.want() {
		return s.askFresh(ctx, c, o)
	}
	return s.facts.known(o), nil
}

// sharedOrder returns the longest order that begins with o and that tests with c's cause need.
func (s *session) sharedOrder(c *failingTest, o suite.Order, all []*failingTest) suite.Order {
	long := o
	for _, other := range all {
		if other == c || !c.sharesCause(other) || other.source() != c.source() {
			continue
		}
		if r := suite.Join(s.remaining(other), suite.Order{other.id}); len(r) > len(long) && slices.Equal(r[:len(o)], o) {
			long = r
		}
	}
	return long
}

func firstOf(os []suite.Order) suite.Order {
	if len(os) == 0 {
		return nil
	}
	return os[0]
}

// another records a further confirmed cause.
func (s *session) another(ctx context.Context, c *failingTest, cause suite.Order) error {
	s.addCause(cause)
	if c.want() == suite.Pass {
		c.res.StateSetters = append(c.res.StateSetters, cause)
		return nil
	}
	c.res.Polluters = append(c.res.Polluters, cause)
	return s.cleanToo(ctx, c, cause)
}

// cleanToo searches cleaners of a polluter only if the test's first known cleaner does not seem to
// clean up after it, because a patch needs the statements of one cleaner.
func (s *session) cleanToo(ctx context.Context, c *failingTest, cause suite.Order) error {
	if c.res.CleanersLater {
		return nil
	}
	if k := (&cleaning{session: s, c: c, polluter: cause}); len(c.res.Cleaners) > 0 && !s.in.FindAll && k.shares(c.res.Cleaners[0].Cleaner) {
		out, err := s.ask(ctx, c, suite.Join(cause, c.res.Cleaners[0].Cleaner, suite.Order{c.id}), suite.Warm)
		if err != nil || out == suite.Pass {
			return err
		}
	}
	return s.clean(ctx, c, cause)
}
