package diagnose

import (
	"context"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// extraAnswers is how many further processes run with a new cause, and how many without it.
const extraAnswers = 3

// recheck runs both sides of a new cause again: the test alone, and the test after the cause. A
// search runs many orders, so a test that fails at random may seem to depend on one of them. This
// happens about once in twelve searches if three equal results are enough, once in eighty with two
// more, and once in two hundred with three more. Such a test is flaky at any price, so recheck uses
// warm processes, including those that the search for cleaners needs anyway. If they do not agree
// with the fresh results, it runs fresh processes. The error is an unsteadyError if the test is
// flaky.
func (s *session) recheck(ctx context.Context, c *failingTest, cause suite.Order) error {
	if slices.ContainsFunc(s.causes, func(b suite.Order) bool { return slices.Equal(b, cause) }) {
		return nil
	}
	orders := []suite.Order{{c.id}, suite.Join(cause, suite.Order{c.id})}
	known := []int{len(s.cheap(orders[0])), len(s.cheap(orders[1]))}
	twice := suite.Order{c.id, c.id}
	victim := c.want() == suite.Fail
	err := s.together(2*extraAnswers, func(i int) (err error) {
		switch {
		case i == 0 && victim && !s.in.Once && s.facts.known(twice) == "": // the first run of this order is the test alone
			_, err = s.run(ctx, c, twice, suite.Warm, false)
		case i == 1 && victim && !s.in.Once && s.wantsCleaners(): // the order begins with the cause and the test
			_, err = s.behaviour(ctx, c, cause)
		default:
			_, err = s.run(ctx, c, orders[i%2], suite.Warm, false)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := s.recheckSide(ctx, c, orders[0], known[0], opposite(c.want()), "alone"); err != nil {
		return err
	}
	return s.recheckSide(ctx, c, orders[1], known[1], c.want(), fmt.Sprintf("minimal order: %s", c.want()))
}

// recheckSide accepts the warm results made since known was counted, if they are enough and all as
// expected. Otherwise it runs fresh processes.
func (s *session) recheckSide(ctx context.Context, c *failingTest, o suite.Order, known int, want suite.Outcome, why string) error {
	cheap := s.cheap(o)
	cheap = cheap[min(known, len(cheap)):]
	if len(cheap) < extraAnswers || agreed(cheap) != want {
		if err := s.repeatedly(ctx, c, o, extraAnswers); err != nil {
			return err
		}
	}
	out, err := s.confirm(ctx, c, o, want, why)
	if err == nil && out == suite.Flaky {
		err = s.unsteady(o)
	}
	return err
}

// cheap returns the answers to o of processes that were not fresh, or that ran further tests after
// o.
func (s *session) cheap(o suite.Order) []answer {
	return slices.DeleteFunc(s.facts.of(o), func(a answer) bool { return a.price == suite.Fresh })
}
