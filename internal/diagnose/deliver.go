package diagnose

import (
	"context"
	"maps"
	"slices"
	"time"
)

// deliver hands over the causes that are explained and were not handed over before, so that they
// are repaired before the next cause is looked for. Further causes of the same tests are looked for
// first: a patch has to deal with them, too.
func (s *session) deliver(ctx context.Context, cases []*failingTest) error {
	if !slices.ContainsFunc(cases, (*failingTest).pending) {
		return nil
	}
	if err := s.moreCausesOfAll(ctx, cases); err != nil {
		return err
	}
	so := s.overall()
	for _, c := range cases {
		if !c.settled {
			so.Unfinished = true
			so.Open++
			continue
		}
		so.Tests = append(so.Tests, c.res)
		c.delivered = true
	}
	return s.in.Explained(ctx, so)
}

// deliverInHaste settles the tests whose cause is known already, and hands the explained causes
// over, once the time for their repair has come. Where there is no time to go on after that, the
// other tests are abandoned.
func (s *session) deliverInHaste(ctx context.Context, cases, todo []*failingTest) error {
	s.concludeKnown(todo)
	if err := s.deliver(ctx, cases); err != nil || !s.timeToRepair(cases) {
		return err
	}
	for _, c := range open(todo, always) {
		c.abandon(errKeepTime)
	}
	return nil
}

// timeToRepair reports whether to go on searching would cost the tests that are explained the time
// in which they could be repaired.
func (s *session) timeToRepair(cases []*failingTest) bool { return s.repairIsDue(cases)() }

// repairIsDue is timeToRepair for what is done side by side: no test is explained meanwhile.
func (s *session) repairIsDue(cases []*failingTest) func() bool {
	var from time.Time
	switch {
	case slices.ContainsFunc(cases, (*failingTest).pending):
		from = s.repairFrom
	case slices.ContainsFunc(cases, func(c *failingTest) bool { return c.delivered }):
		from = s.finishFrom
	}
	return func() bool { return !from.IsZero() && time.Now().After(from) }
}

// pending reports whether the test is explained, and its cause was not handed over yet.
func (c *failingTest) pending() bool { return c.res.orderDependent() && !c.delivered }

// overall is a result without tests: notes, costs and what was found about the suite.
func (s *session) overall() *Result {
	return &Result{
		Notes: slices.Clone(s.notes), Shared: slices.Clone(s.shared), Left: slices.Sorted(maps.Keys(s.left)), Cost: s.cost,
		Sequential: s.width == 1 && s.runner.Parallel() > 1,
	}
}
