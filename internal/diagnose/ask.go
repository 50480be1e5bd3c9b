package diagnose

import (
	"context"
	"slices"
	"sync"

	"github.com/odfix/odfix/internal/suite"
)

// ask is what becomes of o's last test as far as one answer tells: a known one
// where there is one, else that of one run.
func (s *session) ask(ctx context.Context, c *patient, o suite.Order, p suite.Price) (suite.Outcome, error) {
	if out := s.facts.known(o); out != "" {
		return out, nil
	}
	if _, err := s.run(ctx, c, o, p, false); err != nil {
		return "", err
	}
	return s.facts.known(o), nil
}

// askFresh is ask that takes nothing but an answer of a fresh process.
func (s *session) askFresh(ctx context.Context, c *patient, o suite.Order) (suite.Outcome, error) {
	if out := agreed(best(fresh(s.facts.of(o)))); out != "" {
		return out, nil
	}
	if _, err := s.run(ctx, c, o, suite.Fresh, false); err != nil {
		return "", err
	}
	return agreed(best(fresh(s.facts.of(o)))), nil
}

func fresh(as []answer) []answer {
	return slices.DeleteFunc(as, func(a answer) bool { return a.price != suite.Fresh })
}

func lonely(as []answer) []answer {
	return slices.DeleteFunc(as, func(a answer) bool { return !a.lonely })
}

// confirm has o answered by Rerun fresh processes, counting those it already
// has, and returns what they agree on; Flaky where they do not. Processes run
// side by side as far as there is room; where these disagree, Rerun more run
// one at a time, and only they count. It gives up early on an answer other
// than want once that answer cannot become want any more.
func (s *session) confirm(ctx context.Context, c *patient, o suite.Order, want suite.Outcome, why string) (suite.Outcome, error) {
	out, err := s.repeat(ctx, c, o, false)
	if err != nil {
		return "", err
	}
	if out == suite.Flaky && len(lonely(fresh(s.facts.of(o)))) < len(fresh(s.facts.of(o))) {
		if out, err = s.repeat(ctx, c, o, true); err != nil {
			return "", err
		}
		if out != suite.Flaky {
			s.distrust()
		}
	}
	if out == want || out == suite.Flaky {
		c.evidence(Answer{o, out, s.repeats(o), why})
	}
	return out, nil
}

// repeat fills up the fresh (and lonely, where asked for) answers to o.
func (s *session) repeat(ctx context.Context, c *patient, o suite.Order, alone bool) (suite.Outcome, error) {
	have := func() []answer {
		as := fresh(s.facts.of(o))
		if alone {
			as = lonely(as)
		}
		return as
	}
	missing := s.in.Rerun - len(have())
	if alone || s.parallel() == 1 || missing < 2 {
		for ; missing > 0 && agreed(have()) != suite.Flaky; missing-- {
			if _, err := s.run(ctx, c, o, suite.Fresh, alone); err != nil {
				return "", err
			}
		}
		return agreed(have()), nil
	}
	err := s.together(missing, func(int) error {
		_, err := s.run(ctx, c, o, suite.Fresh, false)
		return err
	})
	return agreed(have()), err
}

// repeats is how many fresh answers to o stand behind its outcome.
func (s *session) repeats(o suite.Order) int {
	return len(best(fresh(s.facts.of(o))))
}

// together does n things side by side and returns the first error. What bounds
// the number of processes is run, not this.
func (s *session) together(n int, do func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = do(i) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// evidence keeps an answer a conclusion rests on, each order once.
func (c *patient) evidence(a Answer) {
	for i, e := range c.res.Evidence {
		if slices.Equal(e.Order, a.Order) {
			c.res.Evidence[i] = a
			return
		}
	}
	c.res.Evidence = append(c.res.Evidence, a)
}
