package diagnose

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// later reports whether the caller searches cleaners of this polluter later, if it needs any.
func (k *cleaning) later() bool { return k.in.CleanersLater && !k.cleaningNow && !k.in.FindAll }

// cleanNow searches the cleaners that the diagnosis of a test has left out. The test in the result
// still has CleanersLater if the search was not completed.
func (s *session) cleanNow(ctx context.Context, cases []*failingTest, t suite.TestID) (*Result, error) {
	so := s.overall()
	i := slices.IndexFunc(cases, func(c *failingTest) bool { return c.id == t })
	if i < 0 {
		return so, nil
	}
	c := cases[i]
	s.cleaningNow, c.res.CleanersLater = true, false
	defer func() { s.cleaningNow = false }()
	var err error
	for _, polluter := range c.res.Polluters {
		if err = s.cleanToo(ctx, c, polluter); err != nil {
			c.res.CleanersLater = true
			break
		}
	}
	if stopped(err) && ctx.Err() == nil {
		err = nil // the diagnosis' own limits
	}
	so = s.overall()
	so.Tests = []TestResult{c.res}
	return so, err
}
