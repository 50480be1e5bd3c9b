package diagnose

import (
	"context"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// extraAnswers is how many further processes a new cause is asked of, with it and without.
const extraAnswers = 3

// recheck asks both sides of a new cause again: alone and after it. A search looks at many orders,
// and a test that fails now and then, whatever runs before it, looks as if it depended on one of
// them: about once in twelve where three answers of a kind are enough, once in eighty with two
// more, and in two hundred with three. Such a test disagrees with itself at any price. So warm
// processes are asked, those among them that the search for cleaners needs anyway, and fresh ones
// where they do not agree with what fresh ones answered. The error is an unsteadyError where the
// test disagrees with itself.
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
		case i == 0 && victim && s.facts.known(twice) == "": // it begins with the test alone
			_, err = s.run(ctx, c, twice, suite.Warm, false)
		case i == 1 && victim && s.wantsCleaners(): // it begins with the test after its cause
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

// recheckSide takes the cheap answers beyond the known ones where they are enough and all as
// expected, and asks fresh processes where not.
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

// cheap are the answers to o of processes that were not fresh, or that ran on after it.
func (s *session) cheap(o suite.Order) []answer {
	return slices.DeleteFunc(s.facts.of(o), func(a answer) bool { return a.price == suite.Fresh })
}
