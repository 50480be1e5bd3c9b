package diagnose

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// needAll leaves out the tests that also fail directly after a part of a cause of several tests:
// their cause is that part, with which they are explained later. In one process all of the tests
// run after the part. Those that fail there may do so because of a test between, so each runs
// directly after the part as well. Of very many, a sample runs first, and none is left out if it
// passes.
func (s *sharing) needAll(ctx context.Context, shown []*failingTest) ([]*failingTest, error) {
	for i := 0; i < len(s.cause) && len(s.cause) > 1 && !s.over(); i++ {
		part := suite.Without(s.cause, s.cause[i:i+1])
		tests := cohort.After(s.Groups, s.all, part, func(t suite.TestID) bool {
			return slices.ContainsFunc(shown, func(c *failingTest) bool { return c.id == t })
		})
		o := suite.Join(part, tests)
		run, err := s.run(ctx, nil, o, suite.Fresh, false)
		if err != nil {
			return nil, err
		}
		suspects := suite.Filter(shown, func(c *failingTest) bool {
			k := o.Index(c.id)
			return k >= 0 && at(o, run, k).Outcome == suite.Fail
		})
		sample := suspects
		if len(suspects) > cohort.Large {
			sample = nil
			for k := range 2 * cohort.Sample {
				sample = append(sample, suspects[k*len(suspects)/(2*cohort.Sample)])
			}
		}
		found, err := s.withPart(ctx, part, sample)
		if err == nil && found && len(sample) < len(suspects) {
			_, err = s.withPart(ctx, part, suspects) // the sample is known already
		}
		if err != nil {
			return nil, err
		}
		shown = slices.DeleteFunc(shown, func(c *failingTest) bool { return s.ofPart[c] })
	}
	return shown, nil
}

// withPart runs each of the tests directly after a part of the cause, and records those that fail.
// It reports whether there are any.
func (s *sharing) withPart(ctx context.Context, part suite.Order, of []*failingTest) (found bool, err error) {
	failed := make([]bool, len(of))
	err = s.inTurns(len(of), func(i int) error {
		if s.over() {
			return nil
		}
		out, err := s.askFresh(ctx, of[i], suite.Join(part, suite.Order{of[i].id}))
		failed[i] = out == suite.Fail
		return err
	})
	for i, c := range of {
		if failed[i] {
			s.ofPart[c], found = true, true
		}
	}
	if found && !slices.ContainsFunc(s.causes, func(o suite.Order) bool { return slices.Equal(o, part) }) {
		s.causes = append(s.causes, part)
	}
	return found, err
}

// noteGroup notes that a cause of several tests was minimised for another failing test only.
func (c *failingTest) noteGroup(cause suite.Order) {
	if len(cause) > 1 {
		c.note("the cause is that of another test; it was not confirmed that none of its %d tests can be removed", len(cause))
	}
}
