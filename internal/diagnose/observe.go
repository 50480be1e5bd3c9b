package diagnose

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// observe runs c after each of the parts in one process, [begin, part₁, c, part₂, c, …], and
// returns c's outcomes. They are hints, because an earlier part may have caused an outcome.
func (s *session) observe(ctx context.Context, c *failingTest, begin suite.Order, parts []suite.Order) ([]suite.Outcome, error) {
	if s.in.Once {
		return s.observeEach(ctx, c, begin, parts)
	}
	o, ends := slices.Clone(begin), make([]int, len(parts))
	for i, part := range parts {
		o = append(append(o, part...), c.id)
		ends[i] = len(o) - 1
	}
	run, err := s.run(ctx, c, o, suite.Batched, false)
	if err != nil {
		return nil, err
	}
	out := make([]suite.Outcome, len(parts))
	for i, end := range ends {
		out[i] = at(o, run, end).Outcome
	}
	return out, nil
}

// observeEach is observe where a process runs each test once: an order for each part.
func (s *session) observeEach(ctx context.Context, c *failingTest, begin suite.Order, parts []suite.Order) ([]suite.Outcome, error) {
	out := make([]suite.Outcome, len(parts))
	err := s.inTurns(len(parts), func(i int) (err error) {
		out[i], err = s.ask(ctx, c, suite.Join(begin, parts[i], suite.Order{c.id}), suite.Batched)
		return err
	})
	return out, err
}
