package diagnose

import (
	"context"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// extraAnswers is how many further processes a new cause is asked of, with it
// and without.
const extraAnswers = 3

// side is one half of what a cause says: what becomes of the test without it, or with it.
type side struct {
	order suite.Order
	want  suite.Outcome
	why   string
	known int // answers there were before the recheck
}

// recheck asks both sides of a new cause again: alone and after it. A search looks
// at many orders, and a test that fails now and then whatever runs before it will
// look as if it depended on one of them: about once in twelve where three
// answers of a kind are enough, once in eighty with two more, and in two hundred
// with three. Such a test wavers at any price, so that cheap
// processes are asked, those among them that the search for cleaners needs anyway;
// fresh ones where they do not bear out what fresh ones have said. The error is an
// unsteadyError where it wavers.
func (s *session) recheck(ctx context.Context, c *failingTest, cause suite.Order) error {
	if slices.ContainsFunc(s.blame, func(b suite.Order) bool { return slices.Equal(b, cause) }) {
		return nil
	}
	sides := []side{
		{order: suite.Order{c.id}, want: opposite(c.want()), why: "alone"},
		{order: suite.Join(cause, suite.Order{c.id}), want: c.want(), why: fmt.Sprintf("minimal order: %s", c.want())},
	}
	for i := range sides {
		sides[i].known = len(s.cheap(sides[i].order))
	}
	if err := s.recheckCheaply(ctx, c, cause, sides); err != nil {
		return err
	}
	for _, d := range sides {
		if err := s.settleDoubt(ctx, c, d); err != nil {
			return err
		}
	}
	return nil
}

// recheckCheaply has both sides answered by extraAnswers processes each.
func (s *session) recheckCheaply(ctx context.Context, c *failingTest, cause suite.Order, sides []side) error {
	var asks []func() error
	warm := func(o suite.Order, times int) {
		for range times {
			asks = append(asks, func() error {
				_, err := s.run(ctx, c, o, suite.Warm, false)
				return err
			})
		}
	}
	each := []int{extraAnswers, extraAnswers}
	if twice := (suite.Order{c.id, c.id}); c.want() == suite.Fail && s.facts.known(twice) == "" {
		warm(twice, 1) // it begins with the test alone
		each[0]--
	}
	if c.want() == suite.Fail && s.wantsCleaners() {
		asks = append(asks, func() error { // it begins with the test after its cause
			_, err := s.behaviour(ctx, c, cause)
			return err
		})
		each[1]--
	}
	for i, d := range sides {
		warm(d.order, each[i])
	}
	return s.together(len(asks), func(i int) error { return asks[i]() })
}

// settleDoubt takes what the cheap answers say where they are enough and all as expected, and asks
// fresh processes where not.
func (s *session) settleDoubt(ctx context.Context, c *failingTest, d side) error {
	said := s.cheap(d.order)
	said = said[min(d.known, len(said)):]
	if len(said) < extraAnswers || agreed(said) != d.want {
		err := s.together(extraAnswers, func(int) error {
			_, err := s.run(ctx, c, d.order, suite.Fresh, false)
			return err
		})
		if err != nil {
			return err
		}
	}
	out, err := s.confirm(ctx, c, d.order, d.want, d.why)
	if err == nil && out == suite.Flaky {
		err = s.unsteady(d.order)
	}
	return err
}

// cheap are the answers to o of processes of their own that were not fresh, or that ran on after
// it.
func (s *session) cheap(o suite.Order) []answer {
	return slices.DeleteFunc(s.facts.of(o), func(a answer) bool { return a.price == suite.Fresh })
}
