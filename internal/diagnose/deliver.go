package diagnose

import (
	"context"
	"maps"
	"slices"
)

// deliver hands over the causes that are explained and were not handed over before, so that they
// are repaired before the next cause is looked for. Further causes of the same tests are looked
// for first: a patch has to deal with them, too.
func (s *session) deliver(ctx context.Context, cases []*failingTest) error {
	if s.in.Explained == nil || !slices.ContainsFunc(cases, (*failingTest).pending) {
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

// hurryUp settles the tests whose cause is known already, and hands the explained causes over, once
// the rest of the time is kept for repair. It reports whether there is time to go on after that.
func (s *session) hurryUp(ctx context.Context, cases, todo []*failingTest) (again bool, err error) {
	s.concludeKnown(todo)
	if err := s.deliver(ctx, cases); err != nil {
		return false, err
	}
	if s.in.Explained != nil && !s.timeToRepair(cases) {
		return true, nil
	}
	for _, c := range open(todo, always) {
		c.abandon(errKeepTime)
	}
	return false, nil
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

// nextToExplain is a test whose cause is known from another test, where there is one: all tests
// of a cause are explained before it is handed over.
func (s *session) nextToExplain(todo []*failingTest) (c *failingTest, known bool) {
	if s.in.Explained == nil {
		return todo[0], false
	}
	i := slices.IndexFunc(todo, func(c *failingTest) bool { return s.confirmedFor(c) != nil })
	if i < 0 {
		return todo[0], false
	}
	return todo[i], true
}
