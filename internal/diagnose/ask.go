package diagnose

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"github.com/odfix/odfix/internal/suite"
)

// ask returns the outcome of o's last test. It uses a known outcome if there is one; otherwise it
// runs o once.
func (s *session) ask(ctx context.Context, c *failingTest, o suite.Order, p suite.Price) (suite.Outcome, error) {
	if out := s.facts.known(o); out != "" {
		return out, nil
	}
	if _, err := s.run(ctx, c, o, p, false); err != nil {
		return "", err
	}
	return s.facts.known(o), nil
}

// askFresh is like ask, but uses only results of fresh processes.
func (s *session) askFresh(ctx context.Context, c *failingTest, o suite.Order) (suite.Outcome, error) {
	if out := agreed(best(fresh(s.facts.of(o)))); out != "" {
		return out, nil
	}
	if _, err := s.run(ctx, c, o, suite.Fresh, false); err != nil {
		return "", err
	}
	return agreed(best(fresh(s.facts.of(o)))), nil
}

// askTwice is askFresh for an order that is likely to be confirmed next. If no fresh process has
// run o yet, several run it in parallel: all that the confirmation needs except the exclusive one.
func (s *session) askTwice(ctx context.Context, c *failingTest, o suite.Order) (suite.Outcome, error) {
	if n := min(s.in.Rerun-1, s.parallel()); n > 1 && len(fresh(s.facts.of(o))) == 0 {
		if err := s.repeatedly(ctx, c, o, n); err != nil {
			return "", err
		}
	}
	return s.askFresh(ctx, c, o)
}

// shows reports whether Rerun fresh processes agree that o's last test has the wanted outcome.
func (s *session) shows(ctx context.Context, c *failingTest, o suite.Order, want suite.Outcome, why string) (bool, error) {
	out, err := s.askTwice(ctx, c, o)
	if err == nil && out == want {
		out, err = s.confirm(ctx, c, o, want, why)
	}
	return err == nil && out == want, err
}

// repeatedly runs o in n fresh processes in parallel.
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

// confirm runs o until Rerun fresh processes have run it, and returns the outcome on which they
// agree. It returns Flaky if they disagree. Earlier results count. Processes that run in parallel
// may share files and ports, so for the first conclusions at least one process runs exclusively,
// that is, while no other runs. Once exclusive results have agreed with parallel ones a few times,
// confirm skips them. If results disagree, Rerun plus outweigh processes run one at a time, and
// only these count.
func (s *session) confirm(ctx context.Context, c *failingTest, o suite.Order, want suite.Outcome, why string) (suite.Outcome, error) {
	return s.confirmBy(ctx, c, o, want, why, s.trusted())
}

// confirmBy is confirm; trusting says that no exclusive result is needed.
func (s *session) confirmBy(ctx context.Context, c *failingTest, o suite.Order, want suite.Outcome, why string,
	trusting bool) (suite.Outcome, error) {
	var out suite.Outcome
	var err error
	for out == "" { // results may be forgotten meanwhile (see distrust, which happens at most once)
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

// outweigh is how many exclusive results, in addition to Rerun, must agree after parallel processes
// disagreed. If they agree, the disagreement was caused by running in parallel, not by the test.
const outweigh = 3

// repeat runs o until there are enough fresh results. All run in parallel except the last one,
// which runs exclusively if an exclusive result is needed.
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

// enoughSteady is how many exclusive results must have agreed with parallel ones before parallel
// results are trusted without them.
const enoughSteady = 3

func (s *session) trusted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.steady >= enoughSteady && s.width > 1
}

// repeatAlone runs o exclusively until it has n fresh exclusive results, or until two of these
// disagree.
func (s *session) repeatAlone(ctx context.Context, c *failingTest, o suite.Order, n int) (suite.Outcome, error) {
	mine := func() []answer { return exclusive(fresh(s.facts.of(o))) }
	for len(mine()) < n && agreed(mine()) != suite.Flaky {
		if _, err := s.run(ctx, c, o, suite.Fresh, true); err != nil {
			return "", err
		}
	}
	return agreed(mine()), nil
}

// repeats returns how many fresh results of o agree with its outcome.
func (s *session) repeats(o suite.Order) int {
	as := decidedOnly(fresh(s.facts.of(o)))
	if agreed(as) == suite.Flaky && agreed(exclusive(slices.Clone(as))) != suite.Flaky {
		as = exclusive(as)
	}
	return len(as)
}

// together calls do n times in parallel and returns the first error. The number of processes is
// limited by run, not by together.
func (s *session) together(n int, do func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = do(i) })
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// inTurns is like together, but starts no more calls at once than runs are allowed in parallel. It
// suits work that may be skipped when time runs out.
func (s *session) inTurns(n int, do func(i int) error) error {
	workers := pool.New().WithErrors().WithFirstError().WithMaxGoroutines(s.parallel())
	for i := range n {
		workers.Go(func() error { return do(i) })
	}
	return workers.Wait()
}

// evidence records a result on which a conclusion rests. Each order is recorded once.
func (c *failingTest) evidence(a suite.Answer) {
	for i, e := range c.res.Evidence {
		if slices.Equal(e.Order, a.Order) {
			c.res.Evidence[i] = a
			return
		}
	}
	c.res.Evidence = append(c.res.Evidence, a)
}
