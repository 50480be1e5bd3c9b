package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/ddmin"
	"github.com/odfix/odfix/internal/suite"
)

// wrapper makes an order from a part of a sequence.
type wrapper func(part suite.Order) suite.Order

// around returns a wrapper that puts the part between begin and the test t.
func around(begin suite.Order, t suite.TestID) wrapper {
	return func(part suite.Order) suite.Order { return suite.Join(begin, part, suite.Order{t}) }
}

// unsteadyError says that a test both passed and failed in one order (flaky), or that processes
// ended or hung too often to give a conclusion.
type unsteadyError struct {
	reason string
	flaky  bool
}

func (e *unsteadyError) Error() string { return e.reason }

// minimise finds a 1-minimal, confirmed part of the sequence after which c has the wanted outcome
// (Figure 4, line 24). If the part found is not confirmed, parallel or warm processes may have
// given wrong results. minimise then searches again with fresh processes, one at a time. If this
// does not help either, the error is an unsteadyError.
func (s *session) minimise(ctx context.Context, c *failingTest, seq suite.Order, want suite.Outcome, wrap wrapper) (suite.Order, error) {
	seq = s.without(seq, []*failingTest{c})
	got, err := s.minimiseBy(ctx, c, seq, want, wrap, false)
	if err != nil || got != nil {
		return got, err
	}
	s.report(c, "", "results changed when orders ran again; searching again, one process at a time")
	got, err = s.minimiseBy(ctx, c, seq, want, wrap, true)
	if err != nil {
		return nil, err
	}
	if got == nil {
		return nil, s.unsteady(wrap(seq))
	}
	s.distrust()
	c.note("results of warm or parallel processes were wrong; the search ran again with fresh processes, one at a time")
	return got, nil
}

// unsteady returns the reason why a search among the tests of o failed.
func (s *session) unsteady(o suite.Order) error {
	as := s.facts.ownOf(o)
	switch {
	case agreed(decidedOnly(as)) == suite.Flaky:
		return &unsteadyError{fmt.Sprintf("both passes and fails in one and the same order of %d tests (%s)", len(o), s.tally(o)), true}
	case len(decidedOnly(slices.Clone(as))) < len(as):
		return &unsteadyError{fmt.Sprintf("an order of %d tests did not always give a result%s", len(o), s.crashOf(o)), false}
	}
	return &unsteadyError{fmt.Sprintf("no part of an order of %d tests gave the same result every time", len(o)), false}
}

// minimiseBy is one attempt. If careful is set, it uses only fresh processes that run exclusively.
// It returns nil if the result was not confirmed.
func (s *session) minimiseBy(ctx context.Context, c *failingTest, seq suite.Order, want suite.Outcome, wrap wrapper,
	careful bool) (suite.Order, error) {
	opts := ddmin.Options[suite.TestID]{
		Parallel:  s.parallel(),
		FromEnd:   true,
		SameGroup: s.Same,
		FullYes:   !careful && s.facts.known(wrap(seq)) == want,
		EmptyNo:   s.facts.known(wrap(nil)) == opposite(want),
		Progress: func(part []suite.TestID, _ int) {
			s.report(c, fmt.Sprintf("%d of %d tests suffice", len(part), len(seq)), "narrowing down")
		},
	}
	if careful {
		opts.Parallel = 1
	}
	res, err := ddmin.Minimize(ctx, seq, s.question(c, want, wrap, careful), opts)
	switch {
	case errors.Is(err, ddmin.ErrNotYes):
		return nil, nil
	case err != nil:
		return nil, err
	case res.Stopped != nil:
		c.remember(wrap, res.Items, seq)
		return nil, res.Stopped
	}
	got, err := s.certify(ctx, c, res.Items, want, wrap)
	if stopped(err) {
		c.remember(wrap, res.Items, seq)
	}
	return got, err
}

// remember records the best order of a search that was cut short.
func (c *failingTest) remember(wrap wrapper, best, seq suite.Order) {
	if c.res.MinimalOrder == nil && len(best) < len(seq) {
		c.res.MinimalOrder = wrap(best)
		c.note("the search stopped at %d of %d tests; the order given is neither minimal nor confirmed", len(best), len(seq))
	}
}

func opposite(o suite.Outcome) suite.Outcome {
	if o == suite.Pass {
		return suite.Fail
	}
	return suite.Pass
}

// question returns the function that decides for ddmin whether c has the wanted outcome after a
// part of the sequence.
func (s *session) question(c *failingTest, want suite.Outcome, wrap wrapper, careful bool) ddmin.Ask[suite.TestID] {
	return func(ctx context.Context, part []suite.TestID) (ddmin.Answer, error) {
		o := wrap(part)
		out, err := suite.Outcome(""), error(nil)
		if careful {
			out, err = s.askCarefully(ctx, c, o)
		} else {
			out, err = s.ask(ctx, c, o, suite.Warm)
		}
		switch {
		case err != nil:
			return ddmin.Unresolved, err
		case out == want:
			return ddmin.Yes, nil
		case decided(out):
			return ddmin.No, nil
		}
		return ddmin.Unresolved, nil
	}
}

// askCarefully uses only results of fresh processes that ran exclusively.
func (s *session) askCarefully(ctx context.Context, c *failingTest, o suite.Order) (suite.Outcome, error) {
	mine := func() suite.Outcome { return agreed(exclusive(fresh(s.facts.of(o)))) }
	if out := mine(); out != "" {
		return out, nil
	}
	if _, err := s.run(ctx, c, o, suite.Fresh, true); err != nil {
		return "", err
	}
	return mine(), nil
}

// certify confirms a part in fresh processes, and that none of its tests can be removed. It returns
// nil if fresh processes give the other outcome, and an unsteadyError if they disagree. A new cause
// needs an exclusive result.
func (s *session) certify(ctx context.Context, c *failingTest, part suite.Order, want suite.Outcome, wrap wrapper) (suite.Order, error) {
	part = slices.Clone(part)
	for i := 0; len(part) > 1 && i < len(part); {
		less := slices.Delete(slices.Clone(part), i, i+1)
		out, err := s.confirm(ctx, c, wrap(less), opposite(want), "without "+s.Short(part[i]))
		if err != nil {
			if c.res.MinimalOrder == nil {
				c.res.MinimalOrder = wrap(part)
				c.note("the search stopped before it was confirmed that none of the %d tests before it can be removed", len(part))
			}
			return nil, err
		}
		if out == want {
			part, i = less, 0
			continue
		}
		if out != opposite(want) {
			c.note("whether %s is needed is not known: the order without it did not always give the same result", s.Short(part[i]))
		}
		i++
	}
	o := wrap(part)
	known := slices.ContainsFunc(s.causes, func(b suite.Order) bool { return slices.Equal(b, part) })
	out, err := s.confirmBy(ctx, c, o, want, fmt.Sprintf("minimal order: %s", want), known && s.trusted())
	switch {
	case err != nil:
		return nil, err
	case out == suite.Flaky:
		return nil, s.unsteady(o)
	case out != want:
		return nil, nil
	}
	return part, nil
}
