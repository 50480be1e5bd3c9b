package diagnose

import (
	"context"
	"slices"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"github.com/odfix/odfix/internal/suite"
)

// ask is what becomes of o's last test as far as one answer shows: a known one where there is one,
// else that of one run.
func (s *session) ask(ctx context.Context, c *failingTest, o suite.Order, p suite.Price) (suite.Outcome, error) {
	if out := s.facts.known(o); out != "" {
		return out, nil
	}
	if _, err := s.run(ctx, c, o, p, false); err != nil {
		return "", err
	}
	return s.facts.known(o), nil
}

// askFresh is ask that takes nothing but an answer of a fresh process.
func (s *session) askFresh(ctx context.Context, c *failingTest, o suite.Order) (suite.Outcome, error) {
	if out := agreed(best(fresh(s.facts.of(o)))); out != "" {
		return out, nil
	}
	if _, err := s.run(ctx, c, o, suite.Fresh, false); err != nil {
		return "", err
	}
	return agreed(best(fresh(s.facts.of(o)))), nil
}

// askTwice is askFresh for an order that is likely to be confirmed next: where nothing was answered
// of it, as many processes ask at once as the confirmation will need beside one that runs by
// itself.
func (s *session) askTwice(ctx context.Context, c *failingTest, o suite.Order) (suite.Outcome, error) {
	if n := min(s.in.Rerun-1, s.parallel()); n > 1 && len(fresh(s.facts.of(o))) == 0 {
		if err := s.repeatedly(ctx, c, o, n); err != nil {
			return "", err
		}
	}
	return s.askFresh(ctx, c, o)
}

// shows reports whether Rerun fresh processes say that o's last test has the wanted outcome.
func (s *session) shows(ctx context.Context, c *failingTest, o suite.Order, want suite.Outcome, why string) (bool, error) {
	out, err := s.askTwice(ctx, c, o)
	if err == nil && out == want {
		out, err = s.confirm(ctx, c, o, want, why)
	}
	return err == nil && out == want, err
}

// repeatedly runs o in n fresh processes, side by side.
func (s *session) repeatedly(ctx context.Context, c *failingTest, o suite.Order, n int) error {
	return s.together(n, func(int) error {
		_, err := s.run(ctx, c, o, suite.Fresh, false)
		return err
	})
}

func fresh(as []answer) []answer {
	return slices.DeleteFunc(as, func(a answer) bool { return a.price != suite.Fresh })
}

func exclusive(as []answer) []answer {
	return slices.DeleteFunc(as, func(a answer) bool { return !a.exclusive })
}

// confirm has o answered by Rerun fresh processes, counting those it already has, and returns what
// they agree on; Flaky where they do not. For the first conclusions at least one of them ran while
// no other did, since processes side by side may share files and ports; once such exclusive answers
// have borne out the others a few times, they are spared. Where answers disagree, Rerun and
// outweigh more run one at a time, and only they count.
func (s *session) confirm(ctx context.Context, c *failingTest, o suite.Order, want suite.Outcome, why string) (suite.Outcome, error) {
	return s.confirmBy(ctx, c, o, want, why, s.trusted())
}

// confirmBy is confirm; trusting says that no answer of a exclusive process is needed.
func (s *session) confirmBy(ctx context.Context, c *failingTest, o suite.Order, want suite.Outcome, why string,
	trusting bool) (suite.Outcome, error) {
	var out suite.Outcome
	var err error
	for out == "" { // what was answered may be forgotten meanwhile; see distrust, which happens once
		if out, err = s.repeat(ctx, c, o, trusting); err != nil {
			return "", err
		}
	}
	if as := fresh(s.facts.of(o)); out == suite.Flaky && len(exclusive(as)) < len(as) {
		if out, err = s.repeatAlone(ctx, c, o, s.in.Rerun+outweigh); err != nil {
			return "", err
		}
		if out != suite.Flaky {
			s.distrust()
		}
	}
	if out == want || out == suite.Flaky {
		c.evidence(suite.Answer{Order: o, Outcome: out, Repeats: s.repeats(o), Why: why})
	}
	return out, nil
}

// outweigh is how many more processes than a conclusion needs must agree by themselves before a
// disagreement of processes side by side is laid to their company, and not to the test.
const outweigh = 3

// repeat fills up the fresh answers to o, side by side but for the last.
func (s *session) repeat(ctx context.Context, c *failingTest, o suite.Order, trusting bool) (suite.Outcome, error) {
	have := fresh(s.facts.of(o))
	missing := max(0, s.in.Rerun-len(have))
	alone := len(exclusive(have)) == 0 && !trusting && !s.hintOnly
	if alone {
		missing = max(0, missing-1)
	}
	if s.parallel() > 1 {
		if err := s.repeatedly(ctx, c, o, missing); err != nil {
			return "", err
		}
		if out := agreed(fresh(s.facts.of(o))); out == suite.Flaky {
			return out, nil
		}
	}
	if s.parallel() > 1 && !alone {
		return agreed(fresh(s.facts.of(o))), nil
	}
	have = fresh(s.facts.of(o))
	need := max(1, s.in.Rerun-len(have)+len(exclusive(have)))
	if _, err := s.repeatAlone(ctx, c, o, need); err != nil {
		return "", err
	}
	out := agreed(fresh(s.facts.of(o)))
	if decided(out) {
		s.mu.Lock()
		s.steady++
		s.mu.Unlock()
	}
	return out, nil
}

// enoughSteady is how many exclusive answers must have borne out those side by side.
const enoughSteady = 3

func (s *session) trusted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.steady >= enoughSteady && s.width > 1
}

// repeatAlone brings the fresh answers to o of processes that ran by themselves to n, or to the
// first disagreement.
func (s *session) repeatAlone(ctx context.Context, c *failingTest, o suite.Order, n int) (suite.Outcome, error) {
	mine := func() []answer { return exclusive(fresh(s.facts.of(o))) }
	for len(mine()) < n && agreed(mine()) != suite.Flaky {
		if _, err := s.run(ctx, c, o, suite.Fresh, true); err != nil {
			return "", err
		}
	}
	return agreed(mine()), nil
}

// repeats is how many fresh answers to o agree with its outcome.
func (s *session) repeats(o suite.Order) int {
	as := decidedOnly(fresh(s.facts.of(o)))
	if agreed(as) == suite.Flaky && agreed(exclusive(slices.Clone(as))) != suite.Flaky {
		as = exclusive(as)
	}
	return len(as)
}

// together does n things side by side and returns the first error. What bounds the number of
// processes is run, not this.
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

// inTurns is together for things that may be left: it begins no more of them at once than may run.
func (s *session) inTurns(n int, do func(i int) error) error {
	workers := pool.New().WithErrors().WithFirstError().WithMaxGoroutines(s.parallel())
	for i := range n {
		workers.Go(func() error { return do(i) })
	}
	return workers.Wait()
}

// evidence keeps an answer a conclusion rests on, each order once.
func (c *failingTest) evidence(a suite.Answer) {
	for i, e := range c.res.Evidence {
		if slices.Equal(e.Order, a.Order) {
			c.res.Evidence[i] = a
			return
		}
	}
	c.res.Evidence = append(c.res.Evidence, a)
}
