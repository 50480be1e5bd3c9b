package diagnose

import (
	"context"
	"iter"

	"github.com/odfix/odfix/internal/suite"
)

// follow runs the orders of a schedule for the tests that still lack an order. The first order runs
// without others, because it often is enough. Then each wave runs twice as many orders in parallel
// as the wave before, up to the allowed number.
func (s *session) follow(ctx context.Context, cases []*failingTest, schedule func(func(candidate) bool)) error {
	next, stop := iter.Pull(iter.Seq[candidate](schedule))
	defer stop()
	for size := 1; ; size *= 2 {
		size = min(size, s.parallel())
		wave := s.wave(cases, next, size)
		if len(wave) == 0 {
			return nil
		}
		if err := s.runWave(ctx, wave); err != nil {
			return err
		}
		if err := s.explainReady(ctx, cases); err != nil {
			return err
		}
	}
}

// following is an order that runs for tests that lack an order.
type following struct {
	candidate
	unsettled []*failingTest
	shown     []shown
}

// wave returns what runs next: at most size orders of the schedule. It is empty if no test lacks an
// order, if nothing is left to try, or if the time is kept for repair.
func (s *session) wave(cases []*failingTest, next func() (candidate, bool), size int) []following {
	var out []following
	for len(out) < size && len(open(cases, lacking)) > 0 {
		if s.brokeOff = s.brokeOff || s.timeToRepair(cases); s.brokeOff {
			return nil
		}
		c, ok := next()
		if !ok {
			break
		}
		unsettled := open(cases, func(o *failingTest) bool { return lacking(o) && (c.helps == nil || c.helps(o)) })
		if len(unsettled) > 0 {
			out = append(out, following{candidate: c, unsettled: unsettled})
		}
	}
	return out
}

// runWave runs orders in parallel, and records what they showed.
func (s *session) runWave(ctx context.Context, wave []following) error {
	err := s.together(len(wave), func(i int) (err error) {
		s.report(nil, "", "running %s", wave[i].Source)
		wave[i].shown, err = s.runSeen(ctx, wave[i].unsettled, wave[i].Seen, len(wave) > 1)
		return err
	})
	var all []shown
	for _, w := range wave {
		all = append(all, w.shown...)
	}
	if kerr := s.keepAll(ctx, all, len(wave) > 1); err == nil {
		err = kerr
	}
	return err
}

// keepAll records what orders showed. If an order that ran in parallel, or as a hint, gives a test
// its missing order, the order runs again exclusively: all that follows depends on it, and shared
// files or ports may have caused the outcome. Once parallel processes are distrusted, the results
// of the other orders are forgotten. keepAll therefore lists the orders to run again before it runs
// the first of them.
func (s *session) keepAll(ctx context.Context, all []shown, beside bool) (err error) {
	lacked, hinted := make([][]*failingTest, len(all)), make([][]*failingTest, len(all))
	for i, h := range all {
		lacked[i], hinted[i] = s.decidedBy(h, s.facts.shown), s.decidedBy(h, s.facts.suspected)
	}
	for i, h := range all {
		were := open(lacked[i], lacking)
		if beside && len(were) > 0 || len(open(hinted[i], lacking)) > 0 {
			if _, rerr := s.run(ctx, nil, h.Order, suite.Fresh, true); rerr != nil {
				err = rerr
				continue
			}
			confirmed := func(c *failingTest) bool { return s.decides(h, c, s.facts.shown) }
			if len(open(were, confirmed)) < len(were) {
				s.distrust()
			}
			s.noHints = s.noHints || len(open(hinted[i], confirmed)) < len(open(hinted[i], always))
		}
		s.keep(h)
	}
	return err
}

// decidedBy returns the tests for which this is the missing order, by these outcomes.
func (s *session) decidedBy(h shown, outcome func(suite.Order) suite.Outcome) []*failingTest {
	return open(h.unsettled, func(c *failingTest) bool { return s.decides(h, c, outcome) })
}

func (s *session) decides(h shown, c *failingTest, outcome func(suite.Order) suite.Outcome) bool {
	i := h.Order.Index(c.id)
	return i > 0 && lacking(c) && outcome(h.Order[:i+1]) == opposite(c.alone)
}
