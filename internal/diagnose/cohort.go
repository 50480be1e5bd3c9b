package diagnose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// Cohort is the input of Together.
type Cohort struct {
	Groups *suite.Groups // for names in sentences; nil: tests are named by their ids
	// Cause is a polluter that was confirmed for a similar test. If Setters is set, Cause is a
	// state-setter.
	Cause   suite.Order
	Setters bool
	// Tests lists the tests in the order in which they run after Cause. Tests of the class of
	// Cause's last test come first. Cause contains none of them.
	Tests suite.Order
	// Rerun is how many fresh processes must agree on each outcome; below 1 means DefaultRerun.
	Rerun int
}

// Shared is the result of Together: one order in which many tests run after their cause, and the
// same order without the cause.
type Shared struct {
	With, Without suite.Order
	Repeats       int // of each
	// Tests holds the tests whose outcomes differed between the two orders every time. The two
	// orders are stored here only, not in each TestResult.
	Tests []TestResult
}

// inParallel is a Runner whose runs may all run in parallel.
type inParallel struct{ Runner }

func (r inParallel) Run(ctx context.Context, o suite.Order, p suite.Price) (*suite.Run, error) {
	return r.Runner.Run(ctx, o, p, false)
}

// Together shows for many tests at once that they depend on a cause that is known from one test
// (cohort.Confirm). It may miss a test that also depends on other tests of the cohort. Such a test
// must be run separately.
func Together(ctx context.Context, r Runner, in Cohort) (*Shared, error) {
	rerun := in.Rerun
	if rerun < 1 {
		rerun = DefaultRerun
	}
	members, err := cohort.Confirm(ctx, inParallel{r}, in.Cause, in.Tests, in.Setters, rerun)
	if err != nil {
		return nil, err
	}
	verdict, with, without := suite.Victim, "fails", "passes"
	if in.Setters {
		verdict, with, without = suite.Brittle, without, with
	}
	reason := fmt.Sprintf("%s in an order that begins with %s (%d of %d), %s in the same order without it (%d of %d)", with,
		in.Groups.Names(in.Cause), rerun, rerun, without, rerun, rerun)
	out := &Shared{With: suite.Join(in.Cause, in.Tests), Without: in.Tests, Repeats: rerun}
	for _, m := range members {
		res := TestResult{Test: m.Test, Failure: m.Failure, Verdict: verdict, Reason: reason}
		if in.Setters {
			res.StateSetters = []suite.Order{in.Cause}
		} else {
			res.Polluters = []suite.Order{in.Cause}
		}
		out.Tests = append(out.Tests, res)
	}
	return out, nil
}

// SharedOrders are two orders that differ only in the cause. Each of the tests fails in one order
// and passes in the other, every time. They are the evidence for tests that are too many to be run
// separately.
type SharedOrders struct {
	Cause            suite.Order // also confirmed separately for one test
	Tests            []suite.TestID
	Failing, Passing suite.Order
	Repeats          int // of each
}

// spares reports whether n failing tests are so many that they confirm each other, and the input
// does not ask for more repeats.
func (s *session) spares(n int) bool {
	return n > cohort.Sample && !s.strict
}

// sharing checks whether the polluter of one victim is also the polluter of many other tests.
type sharing struct {
	*session
	first *failingTest // the test for which the cause was confirmed
	cause suite.Order
	until time.Time // when the search ends; zero: it has no limit

	// ranIn is the order in which many tests ran together after the cause; nil: they have not.
	ranIn suite.Order
	// joint holds victims of a cohort that is too large for separate runs. They failed after the
	// cause in two orders together with other tests.
	joint   []*failingTest
	asked   []*failingTest // the sample that also runs separately; it confirms the joint ones
	orders  []SharedOrders
	failure map[suite.TestID]*suite.Failure

	ofPart map[*failingTest]bool // tests that fail after a part of the cause
}

// inSession is a Runner that runs orders in the session, so that the results are recorded like all
// others.
type inSession struct{ s *session }

func (r inSession) Run(ctx context.Context, o suite.Order, p suite.Price) (*suite.Run, error) {
	return r.s.run(ctx, nil, o, p, false)
}

func (r inSession) Parallel() int { return r.s.parallel() }

// confirm checks the cause for the tests in this order. It returns the tests that depend on the
// cause, and the two orders as their evidence.
func (s *sharing) confirm(ctx context.Context, tests suite.Order) (in map[suite.TestID]bool, orders SharedOrders, err error) {
	members, err := cohort.Confirm(ctx, inSession{s.session}, s.cause, tests, false, s.in.Rerun)
	in = map[suite.TestID]bool{}
	for _, m := range members {
		in[m.Test], s.failure[m.Test] = true, m.Failure
	}
	return in, SharedOrders{Cause: s.cause, Failing: suite.Join(s.cause, tests), Passing: tests, Repeats: s.in.Rerun}, err
}

// checkTogether checks many tests together. Each test that seems to depend on the cause then runs
// once directly after the polluter, and is settled. This takes one process for each test, or two
// for a test that has not run alone yet; separate searches take several. For more than cohort.Large
// tests, the orders that they share are enough (bothWays). Tests for which the check fails are left
// to a separate search.
func (s *sharing) checkTogether(ctx context.Context, unsettled []*failingTest) error {
	byID := map[suite.TestID]*failingTest{}
	for _, c := range unsettled {
		byID[c.id] = c
	}
	tests := cohort.After(s.Groups, s.all, s.cause, func(t suite.TestID) bool { return byID[t] != nil })
	if !s.spares(len(tests)) || s.over() {
		return nil
	}
	s.report(s.first, "", "running %d more that may have the same cause", len(tests))
	s.ranIn = suite.Join(s.cause, tests)
	in, orders, err := s.confirm(ctx, tests)
	if err != nil || len(in) <= cohort.Sample {
		return err
	}
	var shown []*failingTest
	for _, t := range tests {
		if in[t] {
			shown = append(shown, byID[t])
		}
	}
	if shown, err = s.needAll(ctx, shown); err != nil {
		return err
	}
	for _, c := range shown {
		c.shown = fmt.Sprintf("fails after %s in one order with %d others like it, and passes there without "+
			"(%d of %d each)", s.Names(s.cause), len(shown)-1, orders.Repeats, orders.Repeats)
	}
	if len(shown) > cohort.Large && !s.over() {
		if shown, err = s.bothWays(ctx, orders, shown); err != nil {
			return err
		}
	}
	err = s.directlyAfter(ctx, shown)
	if agree, denied := s.sample(); len(s.joint) > 0 && denied {
		shown = append(shown, s.joint...)
		err = errors.Join(err, s.directlyAfter(ctx, s.joint))
	} else if agree {
		err = errors.Join(err, s.settleJoint(ctx))
	}
	shown = slices.DeleteFunc(shown, func(c *failingTest) bool { // results may have been forgotten meanwhile; see distrust
		return c.settled || lacking(c) || s.knownFresh(c, s.cause) != suite.Fail || s.facts.known(suite.Order{c.id}) != suite.Pass
	})
	for _, c := range shown {
		s.settleOn(c, s.cause)
		c.noteGroup(s.cause)
		own := suite.Order{c.id}
		c.evidence(suite.Answer{Order: own, Outcome: suite.Pass, Repeats: s.repeats(own), Why: "alone"})
		c.evidence(suite.Answer{Order: c.res.MinimalOrder, Outcome: suite.Fail, Repeats: s.repeats(c.res.MinimalOrder),
			Why: "minimal order: fail; it also " + c.shown})
		c.orders()
	}
	if err == nil {
		err = s.complete(ctx, shown)
	}
	for _, c := range shown {
		c.res.Unfinished = c.res.Unfinished || err != nil
	}
	return err
}

// over reports whether the rest of the time is kept for repair.
func (s *sharing) over() bool { return !s.until.IsZero() && time.Now().After(s.until) }

// whileTime calls do for each test while there is time. For each test that is skipped, it notes
// what was not done.
func (s *sharing) whileTime(of []*failingTest, undone string, do func(*failingTest) error) error {
	return s.inTurns(len(of), func(i int) error {
		if !s.over() {
			return do(of[i])
		}
		if undone != "" {
			of[i].leave(undone)
		}
		return nil
	})
}

// directlyAfter runs each test directly after the cause; for some tests this is the missing failing
// order. A test that has not run alone yet runs alone first.
func (s *sharing) directlyAfter(ctx context.Context, of []*failingTest) error {
	return s.whileTime(of, "", func(c *failingTest) error {
		if unasked(c) {
			if err := s.aloneOnce(ctx, c); err != nil || c.settled || c.alone != suite.Pass {
				return err
			}
		}
		_, err := s.askAfter(ctx, c, s.cause)
		return err
	})
}

// complete finds the cleaners of each victim, and whether the victim also fails when it runs twice.
func (s *sharing) complete(ctx context.Context, of []*failingTest) error {
	if err := s.cleanAll(ctx, of); err != nil {
		return err
	}
	return s.whileTime(of, "failures after itself", func(c *failingTest) error { return s.noteTwice(ctx, c) })
}

// cleanAll tries the known cleaners of the cause on each test, and searches cleaners for the tests
// for which none of these works.
func (s *sharing) cleanAll(ctx context.Context, of []*failingTest) error {
	if !s.wantsCleaners() {
		return nil
	}
	for _, known := range slices.Clone(s.cleaners) {
		if !slices.Equal(known.Polluter, s.cause) {
			continue
		}
		if err := s.cleanedBy(ctx, known, of); err != nil {
			return err
		}
		of = slices.DeleteFunc(slices.Clone(of), func(c *failingTest) bool { return len(c.res.Cleaners) > 0 })
	}
	for _, c := range of {
		if s.over() {
			c.leave("its cleaners")
		} else if err := s.clean(ctx, c, s.cause); err != nil {
			return err
		}
	}
	return nil
}

// cleanedBy records the cleaner for each test that passes in one fresh process with the cleaner
// between cause and test. It skips tests of the polluter's class if the cleaner belongs to another
// class: leaving the class may be what makes the test pass. It also skips tests that run before the
// cleaner in every order.
func (s *sharing) cleanedBy(ctx context.Context, known suite.Cleaner, of []*failingTest) error {
	last := s.cause[len(s.cause)-1]
	fit := slices.DeleteFunc(slices.Clone(of), func(c *failingTest) bool {
		leaves := func(t suite.TestID) bool { return s.Leaves(last, t, c.id) }
		return slices.Contains(known.Cleaner, c.id) || slices.ContainsFunc(known.Cleaner, leaves) || !s.allowed(c, known.Cleaner)
	})
	return s.whileTime(fit, "", func(c *failingTest) error {
		o := suite.Join(s.cause, known.Cleaner, suite.Order{c.id})
		out, err := s.askFresh(ctx, c, o)
		if out == suite.Pass {
			c.evidence(suite.Answer{Order: o, Outcome: out, Repeats: s.repeats(o), Why: "with a cleaner between"})
			c.res.Cleaners = append(c.res.Cleaners, known)
		}
		return err
	})
}

// bothWays handles more victims than can be run separately. It runs them a second time in the
// opposite direction. A test that ran before one of them in the first orders then runs after it.
// The victims of the polluter's class run apart from the others, because they follow the polluter
// without leaving the class. bothWays returns the tests that must still run separately: some that
// already ran alone, as many drawn at random, and each test whose outcomes were not the same the
// second time.
func (s *sharing) bothWays(ctx context.Context, first SharedOrders, shown []*failingTest) (left []*failingTest, err error) {
	var rest []*failingTest
	for _, c := range shown {
		if !unasked(c) && len(s.asked) < cohort.Sample {
			s.asked = append(s.asked, c)
		} else {
			rest = append(rest, c)
		}
	}
	drawn := rand.New(rand.NewPCG(s.in.Seed, uint64(len(rest)))).Perm(len(rest))[:cohort.Sample]
	last := s.cause[len(s.cause)-1]
	var sides [2][]*failingTest
	for i, c := range slices.Backward(rest) {
		switch {
		case slices.Contains(drawn, i):
			s.asked = append(s.asked, c)
		case s.Same(c.id, last):
			sides[0] = append(sides[0], c)
		default:
			sides[1] = append(sides[1], c)
		}
	}
	slices.SortStableFunc(sides[0], func(a, b *failingTest) int { return cmp.Compare(s.Shared(last, b.id), s.Shared(last, a.id)) })
	left = slices.Clone(s.asked)
	for _, side := range sides {
		if len(side) <= cohort.Sample {
			left = append(left, side...)
			continue
		}
		in, orders, err := s.confirm(ctx, s.Together(idsOf(side)))
		if err != nil {
			return shown, err
		}
		for _, c := range side {
			if !in[c.id] {
				left = append(left, c)
				continue
			}
			s.joint, orders.Tests = append(s.joint, c), append(orders.Tests, c.id)
			c.shown = fmt.Sprintf("fails after %s in two orders with %d others like it, and passes in both without "+
				"(%d of %d each); it was not "+
				"run by itself", s.Names(s.cause), len(in)-1, s.in.Rerun, s.in.Rerun)
		}
		if len(orders.Tests) > 0 {
			s.orders = append(s.orders, orders)
		}
	}
	first.Tests = idsOf(s.joint)
	s.orders = append(s.orders, first)
	return left, nil
}

func idsOf(of []*failingTest) []suite.TestID {
	out := make([]suite.TestID, len(of))
	for i, c := range of {
		out[i] = c.id
	}
	return out
}

// sample compares the separate runs of the sample with the shared orders. agree means that every
// test of the sample passes alone and fails directly after the cause. denied means that at least
// one test fails alone, passes directly after the cause, or got another verdict. Both are false if
// not all tests of the sample could be run.
func (s *sharing) sample() (agree, denied bool) {
	agree = true
	for _, c := range s.asked {
		after := s.knownFresh(c, s.cause)
		agree = agree && !c.settled && c.alone == suite.Pass && after == suite.Fail
		denied = denied || c.settled || c.alone == suite.Fail || after == suite.Pass
	}
	return agree, denied
}

// settleJoint settles the victims whose evidence is shared orders; they have no minimal orders of
// their own. If several of them failed in the same order, only the last one in that order records
// it, because its part of the order contains the parts of the others.
func (s *sharing) settleJoint(ctx context.Context) error {
	if len(s.joint) == 0 {
		return nil
	}
	last := map[*tried]*failingTest{}
	for _, c := range s.joint {
		c.joint, c.alone = true, suite.Pass
		c.res.Polluters, c.res.Failure = []suite.Order{s.cause}, s.failure[c.id]
		c.settle(suite.Victim, c.shown)
		c.noteGroup(s.cause)
		if t := c.failing; t != nil && (last[t] == nil || t.first[last[t].id] < t.first[c.id]) {
			last[t] = c
		}
	}
	for t, c := range last {
		c.res.FailingOrder = t.seen(c.id)
	}
	s.shared = append(s.shared, s.orders...)
	return s.notePairs(ctx)
}

// notePairs finds out which of the joint victims also fail when they run twice. All of them run
// twice in one process. Each test that fails only the second time is then run separately.
func (s *sharing) notePairs(ctx context.Context) error {
	var o suite.Order
	for _, c := range s.joint {
		o = append(o, c.id, c.id)
	}
	if s.over() {
		return nil
	}
	run, err := s.run(ctx, nil, o, suite.Batched, false)
	if err != nil {
		return err
	}
	var seen []*failingTest
	for i, c := range s.joint {
		if at(o, run, 2*i).Outcome == suite.Pass && at(o, run, 2*i+1).Outcome == suite.Fail {
			seen = append(seen, c)
		}
	}
	return s.whileTime(seen, "failures after itself", func(c *failingTest) error { return s.noteTwice(ctx, c) })
}
