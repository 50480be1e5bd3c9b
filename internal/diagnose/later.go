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

// later reports whether the caller searches cleaners of this polluter later, if it needs one. Known
// cleaners of the polluter are tried now, which costs little.
func (k *cleaning) later() bool {
	known := slices.ContainsFunc(k.cleaners, func(x suite.Cleaner) bool { return slices.Equal(x.Polluter, k.polluter) })
	return k.in.CleanersLater && !k.in.FindAll && !known && k.expected() > costly
}

// expected is how long it takes to run every test once, and the victim after each.
func (k *cleaning) expected() time.Duration {
	each := k.facts.took(k.c.id)
	for _, t := range k.polluter {
		each += k.facts.took(t) / chunkSize
	}
	all := each * time.Duration(len(k.all))
	for _, t := range k.all {
		all += k.facts.took(t)
	}
	return all / time.Duration(k.parallel())
}

// cleanLater searches the cleaners that the diagnosis of a test has left out. It returns all that
// are known then, the confirmed ones and the likely ones.
func (s *session) cleanLater(ctx context.Context, cases []*failingTest, t suite.TestID) (confirmed, likely []suite.Cleaner, err error) {
	i := slices.IndexFunc(cases, func(c *failingTest) bool { return c.id == t })
	if i < 0 {
		return nil, nil, nil
	}
	c := cases[i]
	s.in.CleanersLater, c.res.CleanersLater = false, false
	defer func() { s.in.CleanersLater = true }()
	for _, polluter := range c.res.Polluters {
		if err = s.cleanToo(ctx, c, polluter); err != nil {
			break
		}
	}
	if stopped(err) && ctx.Err() == nil {
		err = nil // the diagnosis' own limits
	}
	return c.res.Cleaners, c.res.Likely, err
}
