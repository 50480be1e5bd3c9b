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
		wave[i].shown, err = s.runSeen(ctx, wave[i].unsettled, wave[i].Seen)
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

// keepAll records what orders showed. If an order that ran in parallel gives a test its missing
// order, the order runs again exclusively: all that follows depends on it, and shared files or
// ports may have caused the outcome. Once parallel processes are distrusted, the results of the
// other orders are forgotten. keepAll therefore lists the orders to run again before it runs the
// first of them.
func (s *session) keepAll(ctx context.Context, all []shown, beside bool) (err error) {
	lacked := make([][]*failingTest, len(all))
	for i, h := range all {
		lacked[i] = s.decidedBy(h)
	}
	for i, h := range all {
		if were := open(lacked[i], lacking); beside && len(were) > 0 {
			if _, rerr := s.run(ctx, nil, h.Order, suite.Fresh, true); rerr != nil {
				err = rerr
				continue
			}
			if len(s.decidedBy(h)) < len(were) {
				s.distrust()
			}
		}
		s.keep(h)
	}
	return err
}

// decidedBy returns the tests for which this is the missing order.
func (s *session) decidedBy(h shown) []*failingTest {
	return open(h.unsettled, func(c *failingTest) bool {
		i := h.Order.Index(c.id)
		return i > 0 && lacking(c) && s.facts.shown(h.Order[:i+1]) == opposite(c.alone)
	})
}
