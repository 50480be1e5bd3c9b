package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// spares reports whether so many failing tests bear each other out, and nobody asked for more.
func (s *session) spares(n int) bool {
	return n > cohort.Sample && !s.strict
}

// sharing shows that the polluter of one victim is that of many others.
type sharing struct {
	*session
	first *failingTest // the one for whom it was confirmed
	cause suite.Order
}

// atOnce shows it of many together (Together), has each of those run directly after the polluter
// once, and settles them. That takes a process for each (two for one that was not run alone yet),
// where asking for each by itself takes several; of more than most the orders that they share are
// enough (bothWays). Whoever is not shown so waits to be asked by itself.
func (s sharing) atOnce(ctx context.Context, todo []*failingTest) error {
	byID := map[suite.TestID]*failingTest{}
	for _, c := range todo {
		byID[c.id] = c
	}
	tests := cohort.After(s.Groups, s.all, s.cause, func(t suite.TestID) bool { return byID[t] != nil })
	if !s.spares(len(tests)) || s.over() {
		return nil
	}
	s.report(s.first, "", "running %d more that may have the same cause", len(tests))
	got, err := Together(ctx, inSession{s.session}, Cohort{Groups: s.Groups, Cause: s.cause, Tests: tests, Rerun: s.in.Rerun})
	if err != nil || len(got.Tests) <= cohort.Sample {
		return err
	}
	var shown []*failingTest
	for _, r := range got.Tests {
		c := byID[r.Test]
		c.shown = fmt.Sprintf("fails behind %s in one order with %d others like it, and passes there without (%d of %d each)", s.Names(s.cause), len(got.Tests)-1, got.Repeats, got.Repeats)
		shown = append(shown, c)
	}
	joint := &joined{}
	if len(shown) > cohort.Large && !s.over() {
		if joint, shown, err = s.bothWays(ctx, got, shown); err != nil {
			return err
		}
	}
	err = s.directlyBehind(ctx, shown)
	if borne, denied := s.spoken(joint); len(joint.of) > 0 && denied {
		shown = append(shown, joint.of...)
		err = errors.Join(err, s.directlyBehind(ctx, joint.of))
	} else if borne {
		err = errors.Join(err, s.conclude(ctx, joint))
	}
	shown = slices.DeleteFunc(shown, func(c *failingTest) bool { // what was answered may have been forgotten since; see distrust
		return c.settled || lacking(c) || s.knownFresh(c, s.cause) != suite.Fail || s.facts.known(suite.Order{c.id}) != suite.Pass
	})
	for _, c := range shown {
		s.settle(c)
	}
	if err == nil {
		err = s.complete(ctx, shown)
	}
	if err != nil {
		for _, c := range shown {
			c.res.Unfinished = true
		}
	}
	return err
}

// complete finds out what else is said of a victim: its cleaners, and whether it also fails after
// itself.
func (s sharing) complete(ctx context.Context, of []*failingTest) error {
	if s.over() {
		for _, c := range of {
			c.res.Unfinished = true
			c.hurry("its cleaners and failures after itself")
		}
		return nil
	}
	if err := s.cleanAll(ctx, of); err != nil {
		return err
	}
	return s.inTurns(len(of), func(i int) error {
		if s.over() {
			of[i].hurry("failures after itself")
			of[i].res.Unfinished = true
			return nil
		}
		return s.noteTwice(ctx, of[i])
	})
}

// directlyBehind runs each of them directly after the cause, which also is the order that some of
// them lack, and alone who was not, as long as there is time.
func (s sharing) directlyBehind(ctx context.Context, of []*failingTest) error {
	return s.inTurns(len(of), func(i int) error {
		c := of[i]
		if s.over() {
			return nil
		}
		if unasked(c) {
			if err := s.aloneOnce(ctx, c); err != nil || c.settled || c.alone != suite.Pass {
				return err
			}
		}
		_, err := s.askBehind(ctx, c, s.cause)
		return err
	})
}

// over says that the rest of the time is for fixing.
func (s sharing) over() bool { return s.timeToRepair([]*failingTest{s.first}) }

// settle settles a victim that was seen with others.
func (s sharing) settle(c *failingTest) {
	own := suite.Order{c.id}
	c.res.MinimalOrder = suite.Join(s.cause, own)
	c.res.Polluters = append(c.res.Polluters, s.cause)
	c.res.Failure = s.failureOf(c.res.MinimalOrder)
	c.evidence(Answer{Order: own, Outcome: suite.Pass, Repeats: s.repeats(own), Why: "alone"})
	c.evidence(Answer{Order: c.res.MinimalOrder, Outcome: suite.Fail, Repeats: s.repeats(c.res.MinimalOrder), Why: "minimal order: fail; it also " + c.shown})
	c.settle(Victim, "passes alone, fails after "+s.Names(s.cause))
	c.orders()
}

// cleanAll finds out for whom of them the known cleaners of their cause clean, and looks for
// cleaners of the others.
func (s sharing) cleanAll(ctx context.Context, of []*failingTest) error {
	if !s.wantsCleaners() {
		return nil
	}
	left := of
	for _, known := range slices.Clone(s.cures) {
		if !slices.Equal(known.Polluter, s.cause) || len(left) == 0 {
			continue
		}
		cleaned, err := s.cleanedBy(ctx, known.Cleaner, left)
		if err != nil {
			return err
		}
		for _, c := range cleaned {
			c.res.Cleaners = append(c.res.Cleaners, known)
		}
		left = slices.DeleteFunc(slices.Clone(left), func(c *failingTest) bool { return slices.Contains(cleaned, c) })
	}
	for _, c := range left {
		if s.over() {
			c.hurry("its cleaners")
			c.res.Unfinished = true
			continue
		}
		if err := s.session.clean(ctx, c, s.cause); err != nil {
			return err
		}
	}
	return nil
}

// cleanedBy are those whom one process each showed to pass where the cleaner runs between. A test
// of the polluter's class is left out where the cleaner is of another: leaving the class may be
// what cleans.
func (s sharing) cleanedBy(ctx context.Context, cleaner suite.Order, of []*failingTest) ([]*failingTest, error) {
	last := s.Top(s.cause[len(s.cause)-1])
	inside := !slices.ContainsFunc(cleaner, func(t suite.TestID) bool { return s.Top(t) != last })
	fit := slices.DeleteFunc(slices.Clone(of), func(c *failingTest) bool {
		return slices.Contains(cleaner, c.id) || s.Top(c.id) == last && !inside
	})
	passed := make([]bool, len(fit))
	err := s.inTurns(len(fit), func(i int) error {
		if s.over() {
			return nil
		}
		o := suite.Join(s.cause, cleaner, suite.Order{fit[i].id})
		out, err := s.askFresh(ctx, fit[i], o)
		if passed[i] = out == suite.Pass; passed[i] {
			fit[i].evidence(Answer{Order: o, Outcome: out, Repeats: s.repeats(o), Why: "with a cleaner between"})
		}
		return err
	})
	var out []*failingTest
	for i, c := range fit {
		if passed[i] {
			out = append(out, c)
		}
	}
	return out, err
}

// inSession is the session's Runner: what is asked of it is booked as all other answers.
type inSession struct{ s *session }

func (r inSession) Run(ctx context.Context, o suite.Order, p suite.Price) (*suite.Run, error) {
	return r.s.run(ctx, nil, o, p, false)
}

func (r inSession) Parallel() int { return r.s.parallel() }
