package diagnose

import (
	"context"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// Bounds on what is tried once the orders that were seen say nothing.
const (
	maxVariants   = 3  // of a partial or inferred order
	maxLast       = 8  // orders with one failing test after everything else
	maxBefore     = 64 // classes put right before a failing test's class, each by itself
	maxEarly      = 48 // tests put before a failing test as the very first, each by itself
	maxRandom     = 10 // random orders for a test that passes alone
	maxRandomFail = 3  // random orders for a test that fails alone
	maxCrashers   = 5  // tests left out of one order because they ended the process
)

// open are the failing tests not settled yet for which ok holds.
func open(cases []*failingTest, ok func(*failingTest) bool) []*failingTest {
	var out []*failingTest
	for _, c := range cases {
		if !c.settled && ok(c) {
			out = append(out, c)
		}
	}
	return out
}

func always(*failingTest) bool { return true }

// reproduce runs the orders in which the failures were seen.
func (s *session) reproduce(ctx context.Context, cases []*failingTest) error {
	for _, seen := range s.in.Seen {
		o, unknown := s.usable(seen.Order)
		if len(unknown) > 0 {
			s.note("%s names %d tests that this suite does not have, %s among them; they were left out", seen.Source, len(unknown), unknown[0])
			seen.Provenance = seen.Provenance.AtBest(suite.Partial)
		}
		var missing []*failingTest
		for _, c := range open(cases, always) {
			if o.Index(c.id) < 0 && !s.seenIn(c.id) {
				c.note("%s does not contain the test; it was put after its class there", seen.Source)
				missing = append(missing, c)
			}
		}
		for _, c := range missing {
			o, seen.Provenance = s.insert(o, c.id), suite.Inferred
		}
		for _, v := range s.variants(suite.Seen{Source: seen.Source, Provenance: seen.Provenance, Order: o}) {
			todo := open(cases, func(c *failingTest) bool { return c.failing == nil && v.Order.Index(c.id) >= 0 })
			if len(todo) == 0 {
				break
			}
			s.report(nil, "", "running %s", v.Source)
			if err := s.try(ctx, todo, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// seenIn reports whether the test stands in any of the orders that were seen: then it need not be
// put into another.
func (s *session) seenIn(t suite.TestID) bool {
	return slices.ContainsFunc(s.in.Seen, func(seen suite.Seen) bool { return seen.Order.Index(t) >= 0 })
}

// insert puts t after the last test of its class, or at the end.
func (s *session) insert(o suite.Order, t suite.TestID) suite.Order {
	for i := len(o) - 1; i >= 0; i-- {
		if s.Same(o[i], t) {
			return slices.Insert(slices.Clone(o), i+1, t)
		}
	}
	return append(slices.Clone(o), t)
}

// variants are the seen order and, where not every test's place was seen, what else it may have
// been: tests within each class the other way round, and the failing tests last in their class.
func (s *session) variants(seen suite.Seen) []suite.Seen {
	out := []suite.Seen{seen}
	if seen.Provenance == suite.Exact {
		return out
	}
	classes := s.Split(seen.Order)
	var turned, last suite.Order
	for _, cl := range classes {
		back := slices.Clone(cl)
		slices.Reverse(back)
		turned = append(turned, back...)
		var failing suite.Order
		for _, t := range cl {
			if s.facts.watched[t] {
				failing = append(failing, t)
			} else {
				last = append(last, t)
			}
		}
		last = append(last, failing...)
	}
	for _, v := range []suite.Seen{
		{Source: seen.Source + ", each class's tests reversed", Provenance: suite.Inferred, Order: turned},
		{Source: seen.Source + ", failing tests last in their class", Provenance: suite.Inferred, Order: last},
	} {
		if len(out) < maxVariants && !slices.Equal(v.Order, seen.Order) {
			out = append(out, v)
		}
	}
	return out
}

// alone asks for each test by itself, as often as a conclusion needs; of many once, and of very many
// for a few at first.
func (s *session) alone(ctx context.Context, cases []*failingTest) error {
	todo := open(cases, unasked)
	if len(todo) > cohort.Large && s.spares(len(todo)) {
		for i := range cohort.Sample {
			todo[i] = todo[i*len(todo)/cohort.Sample]
		}
		todo = todo[:cohort.Sample]
	}
	return s.eachAlone(ctx, cases, todo)
}

// aloneAll asks for those by themselves of which nothing is known.
func (s *session) aloneAll(ctx context.Context, cases []*failingTest) error {
	return s.eachAlone(ctx, cases, open(cases, unasked))
}

// unasked are the failing tests of which it is not known what becomes of them alone.
func unasked(c *failingTest) bool { return c.alone == "" }

// eachAlone asks for tests by themselves, unless the rest of the time is for repair.
func (s *session) eachAlone(ctx context.Context, cases, todo []*failingTest) error {
	if len(todo) > 0 {
		s.report(nil, "", "running each failing test alone")
	}
	once, over := s.spares(len(todo)), s.repairIsDue(cases)
	return s.inTurns(len(todo), func(i int) error {
		if over() {
			todo[i].abandon(errKeepTime)
			return nil
		}
		if once {
			return s.aloneOnce(ctx, todo[i])
		}
		return s.confirmAlone(ctx, todo[i])
	})
}

// aloneOnce asks one process what becomes of a test by itself, and more where that gives no result.
func (s *session) aloneOnce(ctx context.Context, c *failingTest) error {
	out, err := s.askFresh(ctx, c, suite.Order{c.id})
	c.alone, c.once = out, true
	if err == nil && !decided(out) {
		err = s.aloneFor(ctx, c)
	}
	return err
}

// aloneFor confirms what becomes of a test by itself, which only one process has run.
func (s *session) aloneFor(ctx context.Context, c *failingTest) error {
	if !c.once {
		return nil
	}
	err := s.confirmAlone(ctx, c)
	c.once = err != nil
	return err
}

// confirmAlone finds out what becomes of a test by itself, and settles one that is flaky or gives
// no result.
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

// aloneAgain asks once more, one process at a time, what becomes of a test that did not always give
// a result by itself: what ran beside it may have been why.
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

// lacking are the failing tests for which no order with the opposite outcome of their run alone is
// known yet.
func lacking(c *failingTest) bool {
	return (c.alone == suite.Pass && c.failing == nil) || (c.alone == suite.Fail && c.passing == nil)
}

// few runs the first orders for those of very many that were asked alone, so that the cause of one
// of them is known before the others are.
func (s *session) few(ctx context.Context, cases []*failingTest) error {
	if len(open(cases, unasked)) == 0 {
		return nil
	}
	return s.firstOrders(ctx, cases)
}

// firstOrders runs the first orders for the tests that lack one, and looks for neighbours.
func (s *session) firstOrders(ctx context.Context, cases []*failingTest) error {
	if err := s.follow(ctx, cases, s.schedule(cases)); err != nil {
		return err
	}
	return s.probeNeighbours(ctx, cases)
}

// explore runs further orders until every test has both a passing and a failing one, or there is
// nothing more to try. Where other tests are explained already it leaves time to fix them.
func (s *session) explore(ctx context.Context, cases []*failingTest) error {
	if err := s.firstOrders(ctx, cases); err != nil {
		return err
	}
	// A test that is not one of many by now is asked alone as often as any: a test that disagrees
	// with itself there needs no further orders.
	todo, over := open(cases, lacking), s.repairIsDue(cases)
	if err := s.inTurns(len(todo), func(i int) error {
		if over() {
			return nil
		}
		return s.aloneFor(ctx, todo[i])
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
			c.abandon(errKeepTime)
			continue
		}
		if err := s.giveUp(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
