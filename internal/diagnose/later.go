package diagnose

import (
	"context"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// costly is how long probing for cleaners may be expected to take before it is left to Result.Clean,
// if the caller allows this.
const costly = 10 * time.Second

// later reports whether the caller searches cleaners of this polluter later, if it needs one.
func (k *cleaning) later() bool {
	return k.in.CleanersLater && !k.cleaningNow && !k.in.FindAll && k.expected() > costly
}

// expected is how long it takes to run every test once, and the victim after each.
func (k *cleaning) expected() time.Duration {
	each := k.facts.took(k.c.id)
	for _, t := range k.polluter {
		took := k.facts.took(t)
		if !k.in.Once { // the polluter runs once in each chunk
			took /= chunkSize
		}
		each += took
	}
	all := each * time.Duration(len(k.all))
	for _, t := range k.all {
		all += k.facts.took(t)
	}
	return all / time.Duration(k.parallel())
}

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
