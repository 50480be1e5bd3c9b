package diagnose

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// maxAfter is how many tests Polluters examines that seem to be polluters.
const maxAfter = 16

// Polluters returns orders of two tests in which one of the victims fails directly after one of the
// others, at most one polluter of each class. All victims pass alone. They run together after each
// test, in few processes. Then each runs once more after each test that seems to be a polluter, so
// the result is a hint and proves nothing. If the context ends, it returns what it has found, and
// an error.
func Polluters(ctx context.Context, r Runner, g *suite.Groups, victims, others suite.Order) ([]suite.Order, error) {
	s := newSession(ctx, r, Input{Groups: g, Failing: victims, Original: suite.Join(others, victims), Rerun: 1})
	s.hintOnly = true
	cases := s.admit()
	for _, c := range cases {
		c.alone = suite.Pass
	}
	steady, err := s.steadyTogether(ctx, cases)
	steady = s.cheapest(steady)
	if err != nil || len(steady) == 0 {
		return nil, err
	}
	var found []suite.Order
	known := func(t suite.TestID) bool {
		return slices.ContainsFunc(found, func(o suite.Order) bool { return s.Same(o[0], t) })
	}
	probe := func(part suite.Order) (suite.TestID, suite.Order, error) {
		return s.probeAllOf(ctx, steady, slices.DeleteFunc(slices.Clone(part), known))
	}
	hints := 0
	others = slices.DeleteFunc(slices.Clone(others), func(t suite.TestID) bool { return s.afterAll(steady, t) })
	err = s.eachHint(others, probe, func(hint suite.TestID) (bool, error) {
		if hints++; known(hint) {
			return hints < maxAfter, nil
		}
		orders, err := s.failDirectlyAfter(ctx, hint, steady)
		found = append(found, orders...)
		return hints < maxAfter, err
	})
	return found, err
}

// failDirectlyAfter returns the orders of t and one of the tests in which the latter fails.
func (s *session) failDirectlyAfter(ctx context.Context, t suite.TestID, tests []*failingTest) ([]suite.Order, error) {
	tests = suite.Filter(tests, func(c *failingTest) bool { return !s.Before(c.id, t) })
	fails := make([]bool, len(tests))
	err := s.together(len(tests), func(i int) error {
		out, err := s.ask(ctx, tests[i], suite.Order{t, tests[i].id}, suite.Warm)
		fails[i] = out == suite.Fail
		return err
	})
	var out []suite.Order
	for i, c := range tests {
		if fails[i] {
			out = append(out, suite.Order{t, c.id})
		}
	}
	return out, err
}
