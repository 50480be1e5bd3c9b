package diagnose

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// probeCauses looks for every single polluter (in a brittle: state-setter)
// among all tests: one process runs [v, p1, v, p2, v, …], and the first
// outcome of v that differs names a candidate, from which on another process
// goes on. It says nothing about a test whose second run differs by itself.
func (s *session) probeCauses(ctx context.Context, c *failingTest) error {
	if out, err := s.ask(ctx, c, suite.Order{c.id, c.id}, suite.Batched); err != nil || out != c.alone {
		return err
	}
	var queue suite.Order
	for _, t := range s.without(s.all, nil) {
		if t != c.id && s.allowed(c, suite.Order{t}) && !isCause(c, t) {
			queue = append(queue, t)
		}
	}
	for len(queue) > 0 {
		part := queue[:min(len(queue), nextRound)]
		hint, done, err := s.probePart(ctx, c, part)
		if err != nil {
			return err
		}
		queue = queue[done:]
		if hint == "" {
			continue
		}
		if err := s.acceptCause(ctx, c, suite.Order{hint}); err != nil {
			return err
		}
	}
	return nil
}

func isCause(c *failingTest, t suite.TestID) bool {
	return slices.ContainsFunc(c.causes(), func(p suite.Order) bool { return len(p) == 1 && p[0] == t })
}

// probePart runs one such process and returns the candidate it named, if any,
// and how many of the part are dealt with.
func (s *session) probePart(ctx context.Context, c *failingTest, part suite.Order) (suite.TestID, int, error) {
	o := suite.Order{c.id}
	for _, t := range part {
		o = append(o, t, c.id)
	}
	run, err := s.run(ctx, c, o, suite.Batched, false)
	if err != nil {
		return "", 0, err
	}
	for i, t := range part {
		switch at(o, run, 2*i+2).Outcome {
		case c.want():
			return t, i + 1, nil
		case suite.Unresolved:
			return "", i + 1, nil
		}
	}
	return "", len(part), nil
}

// acceptCause books a candidate where fresh processes confirm it.
func (s *session) acceptCause(ctx context.Context, c *failingTest, cause suite.Order) error {
	o := suite.Join(cause, suite.Order{c.id})
	out, err := s.askFresh(ctx, c, o)
	if err != nil || out != c.want() {
		return err
	}
	if out, err = s.confirm(ctx, c, o, c.want(), roleOf(c)); err != nil || out != c.want() {
		return err
	}
	return s.another(ctx, c, cause)
}
