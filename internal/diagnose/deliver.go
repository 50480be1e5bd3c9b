package diagnose

import (
	"context"
	"maps"
	"slices"
	"time"
)

// deliver passes the explained causes that are new to Input.Explained, so that the caller repairs
// them before the next cause is searched. It first searches further causes of the same tests,
// because a patch must handle these as well.
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

// deliverBeforeRepair is called when the time for repair has come. It settles the tests whose cause is
// already known, and delivers the explained causes. If no time is left after that, it abandons the
// other tests.
func (s *session) deliverBeforeRepair(ctx context.Context, cases, unsettled []*failingTest) error {
	s.concludeKnown(unsettled)
	if err := s.deliver(ctx, cases); err != nil || !s.timeToRepair(cases) {
		return err
	}
	for _, c := range open(unsettled, always) {
		s.abandon(c, errKeepTime)
	}
	return nil
}

// timeToRepair reports whether further searching would use up the time needed to repair the tests
// that are already explained.
func (s *session) timeToRepair(cases []*failingTest) bool { return s.repairIsDue(cases)() }

// repairIsDue returns timeToRepair as a function, for calls from parallel work during which no
// further test gets explained.
func (s *session) repairIsDue(cases []*failingTest) func() bool {
	var from func() time.Time
	switch {
	case slices.ContainsFunc(cases, (*failingTest).pending):
		from = s.repairFrom
	case slices.ContainsFunc(cases, func(c *failingTest) bool { return c.delivered }):
		from = s.finishFrom
	}
	return func() bool { return from != nil && time.Now().After(from()) }
}

// pending reports whether the test is explained but its cause is not delivered yet.
func (c *failingTest) pending() bool { return c.res.orderDependent() && !c.delivered }

// overall returns a result without tests: notes, costs and findings about the suite.
func (s *session) overall() *Result {
	return &Result{
		Notes: slices.Clone(s.notes), Shared: slices.Clone(s.shared), Left: slices.Sorted(maps.Keys(s.left)), Cost: s.cost,
		Clean:      s.postponed,
		Sequential: s.width == 1 && s.runner.Parallel() > 1,
	}
}
