package diagnose

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// Bounds on what is tried if the orders with the reported failures do not reproduce them.
const (
	maxVariants   = 3               // of a partial or inferred order
	maxLast       = 8               // orders with one failing test after everything else
	maxBefore     = 64              // classes tried directly before a failing test's class, one at a time
	maxEarly      = 48              // tests tried as the first test of a process before a failing test, one at a time
	maxRandom     = 10              // random orders for a test that passes alone
	maxSeveral    = 4               // random orders for several tests, before single tests are probed
	severalTime   = 2 * time.Minute // what these may take in all, by the times of their tests
	maxRandomFail = 3               // random orders for a test that fails alone
	maxCrashers   = 5               // tests left out of one order because they ended the process
)

// open returns the failing tests that are not settled yet and for which ok holds.
func open(cases []*failingTest, ok func(*failingTest) bool) []*failingTest {
	return suite.Filter(cases, func(c *failingTest) bool { return !c.settled && ok(c) })
}

func always(*failingTest) bool { return true }

// reproduce runs the orders in which the failures were seen. At the same time, a single failing test
// runs alone, as often as possible without an exclusive run.
func (s *session) reproduce(ctx context.Context, cases []*failingTest) error {
	alone := 0
	if s.single && len(s.in.Seen) > 0 && s.parallel() > 1 && !cases[0].settled {
		alone = max(0, s.in.Rerun-1-len(fresh(s.facts.of(suite.Order{cases[0].id}))))
	}
	return s.together(1+alone, func(i int) error {
		if i == 0 {
			return s.runSeenOrders(ctx, cases)
		}
		_, err := s.run(ctx, cases[0], suite.Order{cases[0].id}, suite.Fresh, false)
		return err
	})
}

func (s *session) runSeenOrders(ctx context.Context, cases []*failingTest) error {
	for _, seen := range s.in.Seen {
		o, unknown := s.usable(seen.Order)
		if len(unknown) > 0 {
			s.note("%s names %d tests that this suite does not have, %s among them; they were left out",
				seen.Source, len(unknown), unknown[0])
			seen.Provenance = seen.Provenance.AtBest(suite.Partial)
		}
		var missing []*failingTest
		for _, c := range open(cases, always) {
			if o.Index(c.id) < 0 && !s.seenIn(c.id) {
				c.note("%s does not contain the test; it was put after its %s there", seen.Source, s.Nouns().Group)
				missing = append(missing, c)
			}
		}
		for _, c := range missing {
			o, seen.Provenance = s.insert(o, c.id), suite.Inferred
		}
		for _, v := range s.variants(suite.Seen{Source: seen.Source, Provenance: seen.Provenance, Order: o}) {
			unsettled := open(cases, func(c *failingTest) bool { return c.failing == nil && v.Order.Index(c.id) >= 0 })
			if len(unsettled) == 0 {
				break
			}
			s.report(nil, "", "running %s", v.Source)
			if err := s.try(ctx, unsettled, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// seenIn reports whether any of the orders given in the input contains the test. Such a test need
// not be inserted into another order.
func (s *session) seenIn(t suite.TestID) bool {
	return slices.ContainsFunc(s.in.Seen, func(seen suite.Seen) bool { return seen.Order.Index(t) >= 0 })
}

// insert puts t after the last test of its innermost group that is in the order, or at the end. If t
// runs before tests of this group in every order, insert puts t before them.
func (s *session) insert(o suite.Order, t suite.TestID) suite.Order {
	at, most := len(o), 0
	for i := len(o) - 1; i >= 0; i-- {
		if shared := s.Shared(o[i], t); shared > most {
			at, most = i+1, shared
		}
	}
	for at > 0 && s.Before(t, o[at-1]) {
		at--
	}
	return slices.Insert(slices.Clone(o), at, t)
}

// variants returns the seen order. If the position of some tests is not known, it adds other orders
// that the build may have used: the tests of each class in reverse, and the failing tests last in
// their class.
func (s *session) variants(seen suite.Seen) []suite.Seen {
	if seen.Provenance == suite.Exact {
		return []suite.Seen{seen}
	}
	seen.Order = s.Together(seen.Order)
	out := []suite.Seen{seen}
	classes := s.Split(seen.Order)
	var turned, last suite.Order
	for _, cl := range classes {
		back := slices.Clone(cl)
		slices.Reverse(back)
		turned = append(turned, back...)
		var failing, others suite.Order
		for _, t := range cl {
			if s.facts.watched[t] {
				failing = append(failing, t)
			} else {
				others = append(others, t)
			}
		}
		last = append(last, s.Together(append(others, failing...))...)
	}
	for _, v := range []suite.Seen{
		{Source: seen.Source + ", each " + s.Nouns().Group + "'s tests reversed", Provenance: suite.Inferred, Order: s.Together(turned)},
		{Source: seen.Source + ", failing tests last in their " + s.Nouns().Group, Provenance: suite.Inferred, Order: last},
	} {
		if len(out) < maxVariants && !slices.Equal(v.Order, seen.Order) {
			out = append(out, v)
		}
	}
	return out
}

// alone runs each test alone, as often as a conclusion needs. If there are many tests, each runs
// once. If there are very many, only a few run at first.
func (s *session) alone(ctx context.Context, cases []*failingTest) error {
	unsettled := open(cases, unasked)
	if len(unsettled) > cohort.Large && s.spares(len(unsettled)) {
		for i := range cohort.Sample {
			unsettled[i] = unsettled[i*len(unsettled)/cohort.Sample]
		}
		unsettled = unsettled[:cohort.Sample]
	}
	return s.eachAlone(ctx, cases, unsettled)
}

// aloneAll runs the tests alone that have not run alone yet.
func (s *session) aloneAll(ctx context.Context, cases []*failingTest) error {
	return s.eachAlone(ctx, cases, open(cases, unasked))
}

// unasked reports whether the outcome of the test alone is not known yet.
func unasked(c *failingTest) bool { return c.alone == "" }

// eachAlone runs the tests alone, unless the rest of the time is kept for repair.
func (s *session) eachAlone(ctx context.Context, cases, unsettled []*failingTest) error {
	if len(unsettled) > 0 {
		s.report(nil, "", "running each failing test alone")
	}
	once, over := s.spares(len(unsettled)), s.repairIsDue(cases)
	return s.inTurns(len(unsettled), func(i int) error {
		if over() {
			s.abandon(unsettled[i], errKeepTime)
			return nil
		}
		if once {
			return s.aloneOnce(ctx, unsettled[i])
		}
		return s.confirmAlone(ctx, unsettled[i])
	})
}

// aloneOnce runs a test alone once. If this gives no result, it runs more often.
func (s *session) aloneOnce(ctx context.Context, c *failingTest) error {
	out, err := s.askFresh(ctx, c, suite.Order{c.id})
	c.alone, c.once = out, true
	if err == nil && !decided(out) {
		err = s.aloneFor(ctx, c)
	}
	return err
}

// aloneFor confirms the outcome of a test that has run alone only once.
func (s *session) aloneFor(ctx context.Context, c *failingTest) error {
	if !c.once {
		return nil
	}
	err := s.confirmAlone(ctx, c)
	c.once = err != nil
	return err
}

// confirmAlone finds the outcome of a test alone. It settles a test that is flaky or gives no
// result.
func (s *session) confirmAlone(ctx context.Context, c *failingTest) error {
	o := suite.Order{c.id}
	out, err := s.confirm(ctx, c, o, suite.Pass, "alone")
	if err == nil && out == suite.Unresolved {
		out, err = s.aloneAgain(ctx, c)
	}
	if err != nil {
		return err
	}
	c.alone = out
	switch out {
	case suite.Fail:
		c.evidence(suite.Answer{Order: o, Outcome: out, Repeats: s.repeats(o), Why: "alone"})
	case suite.Flaky:
		c.settle(suite.FlakyOther, fmt.Sprintf("both passes and fails when run alone (%s)", s.tally(o)))
	case suite.Skip:
		c.settle(suite.Undecided, "is skipped when run alone (disabled, or an assumption did not hold)")
	case suite.Unresolved:
		c.settle(suite.Undecided, "gives no result when run alone"+s.crashOf(o))
	}
	return nil
}

// aloneAgain runs a test alone again, exclusively, if the test did not always give a result alone.
// Processes that ran in parallel may be the reason.
func (s *session) aloneAgain(ctx context.Context, c *failingTest) (suite.Outcome, error) {
	o := suite.Order{c.id}
	for range s.in.Rerun {
		if _, err := s.run(ctx, c, o, suite.Fresh, true); err != nil {
			return "", err
		}
	}
	as := exclusive(fresh(s.facts.of(o)))
	out := agreed(as[len(as)-s.in.Rerun:])
	if decided(out) {
		s.distrust()
		c.evidence(suite.Answer{Order: o, Outcome: out, Repeats: s.in.Rerun, Why: "alone"})
	}
	return out, nil
}

// lacking reports whether no order is known yet in which the test has the opposite of its outcome
// alone.
func lacking(c *failingTest) bool {
	return (c.alone == suite.Pass && c.failing == nil) || (c.alone == suite.Fail && c.passing == nil)
}

// few runs the first orders for the few tests that already ran alone, if there are very many tests.
// The cause of one of them is then known before the others run alone.
func (s *session) few(ctx context.Context, cases []*failingTest) error {
	if len(open(cases, unasked)) == 0 {
		return nil
	}
	return s.firstOrders(ctx, cases)
}

// firstOrders runs the first orders for the tests that lack one, and then probes neighbours.
func (s *session) firstOrders(ctx context.Context, cases []*failingTest) error {
	if err := s.follow(ctx, cases, s.schedule(cases)); err != nil {
		return err
	}
	return s.probeNeighbours(ctx, cases)
}

// explore runs further orders until every test has both a passing and a failing one, or nothing is
// left to try. If other tests are already explained, it leaves time to fix them.
func (s *session) explore(ctx context.Context, cases []*failingTest) error {
	if err := s.firstOrders(ctx, cases); err != nil {
		return err
	}
	// A test that still lacks an order is confirmed alone. If it both passes and fails alone, it
	// needs no further orders.
	unsettled, over := open(cases, lacking), s.repairIsDue(cases)
	if err := s.inTurns(len(unsettled), func(i int) error {
		if over() {
			return nil
		}
		return s.aloneFor(ctx, unsettled[i])
	}); err != nil {
		return err
	}
	if err := s.follow(ctx, cases, s.scheduleEarly(ctx, cases)); err != nil {
		return err
	}
	if err := s.follow(ctx, cases, s.scheduleFar(cases)); err != nil {
		return err
	}
	for _, c := range open(cases, lacking) {
		if s.brokeOff = s.brokeOff || s.timeToRepair(cases); s.brokeOff {
			s.abandon(c, errKeepTime)
			continue
		}
		if err := s.giveUp(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
