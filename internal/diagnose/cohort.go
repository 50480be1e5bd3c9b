package diagnose

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// Cohort is what is asked of Together.
type Cohort struct {
	Groups *suite.Groups // for sentences; nil: tests are called by their ids
	// Cause is a polluter (Setters: a state-setter) that was confirmed for a test like these.
	Cause   suite.Order
	Setters bool
	// Tests are in the order in which they are to run after it, those of the visit of its last test
	// first. None is in Cause.
	Tests suite.Order
	// Rerun is how many fresh processes must agree on each outcome; below 1 means DefaultRerun.
	Rerun int
}

// Shared is the answer of Together: one order of many tests after their cause, and the same without
// it.
type Shared struct {
	With, Without suite.Order
	Repeats       int // of each
	// Tests are those whose outcomes differed between the two each time. They share the two orders,
	// so that theirs hold none.
	Tests []TestResult
}

// Together shows for many tests at once that a cause known from one test is theirs
// (cohort.Confirm). A test that depends on other tests of the cohort may be missed, and is left to
// be asked by itself.
func Together(ctx context.Context, r Runner, in Cohort) (*Shared, error) {
	rerun := in.Rerun
	if rerun < 1 {
		rerun = DefaultRerun
	}
	members, err := cohort.Confirm(ctx, r, in.Cause, in.Tests, in.Setters, rerun)
	if err != nil {
		return nil, err
	}
	verdict, with, without := suite.Victim, "fails", "passes"
	if in.Setters {
		verdict, with, without = suite.Brittle, without, with
	}
	reason := fmt.Sprintf("%s with %s in front of it and of others like it (%d of %d), %s in the same order without (%d of %d)", with,
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

// SharedOrders are two orders that differ in a cause only: each of the tests fails in the one and
// passes in the other, each time they ran. They are the evidence for tests that are too many to be
// asked each by itself.
type SharedOrders struct {
	Cause            suite.Order // confirmed for one test more
	Tests            []suite.TestID
	Failing, Passing suite.Order
	Repeats          int // of each
}

// spares reports whether so many failing tests bear each other out, and nobody asked for more.
func (s *session) spares(n int) bool {
	return n > cohort.Sample && !s.strict
}

// sharing shows that the polluter of one victim is that of many others.
type sharing struct {
	*session
	first *failingTest // the one for which it was confirmed
	cause suite.Order

	// Victims of a cohort too large to be asked each by itself, which were shown twice with others:
	joint   []*failingTest
	asked   []*failingTest // those asked by themselves all the same: they stand for the joint ones
	orders  []SharedOrders
	failure map[suite.TestID]*suite.Failure
}

// inSession is the session's Runner: what is asked of it is booked as all other answers.
type inSession struct{ s *session }

func (r inSession) Run(ctx context.Context, o suite.Order, p suite.Price) (*suite.Run, error) {
	return r.s.run(ctx, nil, o, p, false)
}

func (r inSession) Parallel() int { return r.s.parallel() }

// confirm shows the cause for tests in this order. The result are the members, and the two orders
// as their evidence.
func (s *sharing) confirm(ctx context.Context, tests suite.Order) (in map[suite.TestID]bool, orders SharedOrders, err error) {
	members, err := cohort.Confirm(ctx, inSession{s.session}, s.cause, tests, false, s.in.Rerun)
	in = map[suite.TestID]bool{}
	for _, m := range members {
		in[m.Test], s.failure[m.Test] = true, m.Failure
	}
	return in, SharedOrders{Cause: s.cause, Failing: suite.Join(s.cause, tests), Passing: tests, Repeats: s.in.Rerun}, err
}

// atOnce shows it of many together, has each of those run directly after the polluter once, and
// settles them. That takes a process for each (two for one that was not run alone yet), where
// asking for each by itself takes several. Of more than cohort.Large the orders that they share are
// enough (bothWays). A test that is not shown so waits to be asked by itself.
func (s *sharing) atOnce(ctx context.Context, todo []*failingTest) error {
	byID := map[suite.TestID]*failingTest{}
	for _, c := range todo {
		byID[c.id] = c
	}
	tests := cohort.After(s.Groups, s.all, s.cause, func(t suite.TestID) bool { return byID[t] != nil })
	if !s.spares(len(tests)) || s.over() {
		return nil
	}
	s.report(s.first, "", "running %d more that may have the same cause", len(tests))
	in, orders, err := s.confirm(ctx, tests)
	if err != nil || len(in) <= cohort.Sample {
		return err
	}
	var shown []*failingTest
	for _, t := range tests {
		if c := byID[t]; in[t] {
			c.shown = fmt.Sprintf("fails after %s in one order with %d others like it, and passes there without (%d of %d each)", s.Names(s.cause),
				len(in)-1, orders.Repeats, orders.Repeats)
			shown = append(shown, c)
		}
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
	shown = slices.DeleteFunc(shown, func(c *failingTest) bool { // what was answered may have been forgotten since; see distrust
		return c.settled || lacking(c) || s.knownFresh(c, s.cause) != suite.Fail || s.facts.known(suite.Order{c.id}) != suite.Pass
	})
	for _, c := range shown {
		s.settleOn(c, s.cause)
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

// over reports whether the rest of the time is for repair.
func (s *sharing) over() bool { return s.timeToRepair([]*failingTest{s.first}) }

// whileTime does something for each test, in turns, as long as there is time; what is left undone
// is noted.
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

// directlyAfter runs each of them directly after the cause, which also is the order that some of
// them lack, and alone each that was not.
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

// complete finds out what else is said of a victim: its cleaners, and whether it also fails after
// itself.
func (s *sharing) complete(ctx context.Context, of []*failingTest) error {
	if err := s.cleanAll(ctx, of); err != nil {
		return err
	}
	return s.whileTime(of, "failures after itself", func(c *failingTest) error { return s.noteTwice(ctx, c) })
}

// cleanAll finds out for which of them the known cleaners of their cause clean, and looks for
// cleaners of the others.
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

// cleanedBy keeps the cleaner for those that one process each showed to pass where it runs between.
// A test of the polluter's class is left out where the cleaner is of another: leaving the class may
// be what cleans.
func (s *sharing) cleanedBy(ctx context.Context, known suite.Cleaner, of []*failingTest) error {
	last := s.Top(s.cause[len(s.cause)-1])
	inside := !slices.ContainsFunc(known.Cleaner, func(t suite.TestID) bool { return s.Top(t) != last })
	fit := slices.DeleteFunc(slices.Clone(of), func(c *failingTest) bool {
		return slices.Contains(known.Cleaner, c.id) || s.Top(c.id) == last && !inside
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

// bothWays has more victims than can be asked each by itself run a second time the other way round,
// so that any test that ran in front of one of them in the first orders runs after it in these:
// those of the polluter's class, which follow it in one visit, apart from the others. The result
// are those that are to be asked by themselves all the same: some of which something is known
// already, as many drawn at random, and any test whose outcomes were not the same again.
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
	last := s.Top(s.cause[len(s.cause)-1])
	var sides [2][]*failingTest
	for i, c := range slices.Backward(rest) {
		switch {
		case slices.Contains(drawn, i):
			s.asked = append(s.asked, c)
		case s.Top(c.id) == last:
			sides[0] = append(sides[0], c)
		default:
			sides[1] = append(sides[1], c)
		}
	}
	left = slices.Clone(s.asked)
	for _, side := range sides {
		if len(side) <= cohort.Sample {
			left = append(left, side...)
			continue
		}
		in, orders, err := s.confirm(ctx, idsOf(side))
		if err != nil {
			return shown, err
		}
		for _, c := range side {
			if !in[c.id] {
				left = append(left, c)
				continue
			}
			s.joint, orders.Tests = append(s.joint, c), append(orders.Tests, c.id)
			c.shown = fmt.Sprintf("fails after %s in two orders with %d others like it, and passes in both without (%d of %d each); it was not "+
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

// sample reports what those that were asked by themselves were found to be: all of them what they
// were shown as with the others, or one of them not (it fails alone, or passes directly after the
// cause); neither where not all could be asked.
func (s *sharing) sample() (agree, denied bool) {
	agree = true
	for _, c := range s.asked {
		after := s.knownFresh(c, s.cause)
		agree = agree && !c.settled && c.alone == suite.Pass && after == suite.Fail
		denied = denied || c.settled || c.alone == suite.Fail || after == suite.Pass
	}
	return agree, denied
}

// settleJoint settles the victims whose evidence are orders that they share; they have no minimal
// orders of their own. Of those that failed in one and the same order the last one names it: it
// holds what the others saw of it.
func (s *sharing) settleJoint(ctx context.Context) error {
	if len(s.joint) == 0 {
		return nil
	}
	last := map[*tried]*failingTest{}
	for _, c := range s.joint {
		c.joint, c.alone = true, suite.Pass
		c.res.Polluters, c.res.Failure = []suite.Order{s.cause}, s.failure[c.id]
		c.settle(suite.Victim, c.shown)
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

// notePairs finds out which of them fail after themselves: all of them run twice over in one
// process, and any test that fails there the second time only is asked by itself.
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
