package diagnose

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// SharedOrders are two orders that differ in a cause only: each of the tests fails in the one and
// passes in the other, each time they ran. They are the evidence for tests that are too many to be
// asked each by itself.
type SharedOrders struct {
	Cause            suite.Order // confirmed for one test more
	Tests            []suite.TestID
	Failing, Passing suite.Order
	Repeats          int // of each
}

// joined are victims of a cohort too large to be asked each by itself, who failed and passed as
// before when they ran the other way round.
type joined struct {
	of     []*failingTest
	found  []TestResult // of each
	others []int        // how many others were in its second orders
	orders []SharedOrders
	few    []*failingTest // who are asked by themselves, and speak for them
}

// bothWays has more victims than can be asked each by itself run a second time the other way round,
// so that any test that ran in front of one of them in the first orders runs after it in these:
// those of the polluter's class, who follow it in one visit, apart from the others. Beside those
// who are shown so the result are those who are to be asked by themselves all the same: a few
// (someOf), and any test that behaved otherwise.
func (s sharing) bothWays(ctx context.Context, first *Shared, shown []*failingTest) (*joined, []*failingTest, error) {
	few, rest := s.someOf(shown)
	left := slices.Clone(few)
	last := s.Top(s.cause[len(s.cause)-1])
	var sides [2][]*failingTest
	for _, c := range slices.Backward(rest) {
		side := 0
		if s.Top(c.id) != last {
			side = 1
		}
		sides[side] = append(sides[side], c)
	}
	joint := &joined{few: few}
	for _, side := range sides {
		if len(side) <= cohort.Sample {
			left = append(left, side...)
			continue
		}
		second, err := Together(ctx, inSession{s.session}, Cohort{Groups: s.Groups, Cause: s.cause, Tests: idsOf(side), Rerun: s.in.Rerun})
		if err != nil {
			return nil, shown, err
		}
		left = append(left, joint.add(side, second, s.cause)...)
	}
	if len(joint.of) > 0 {
		joint.orders = append(joint.orders, SharedOrders{s.cause, idsOf(joint.of), first.With, first.Without, first.Repeats})
	}
	return joint, left, nil
}

// someOf are a few of whom something is known already, and as many drawn at random.
func (s sharing) someOf(of []*failingTest) (few, rest []*failingTest) {
	for _, c := range of {
		if !unasked(c) && len(few) < cohort.Sample {
			few = append(few, c)
		} else {
			rest = append(rest, c)
		}
	}
	drawn := map[*failingTest]bool{}
	for _, i := range rand.New(rand.NewPCG(s.in.Seed, uint64(len(rest)))).Perm(len(rest))[:cohort.Sample] {
		drawn[rest[i]] = true
		few = append(few, rest[i])
	}
	return few, slices.DeleteFunc(rest, func(c *failingTest) bool { return drawn[c] })
}

// add takes in those of a side who are shown by its second orders, and returns the others.
func (j *joined) add(side []*failingTest, second *Shared, cause suite.Order) (left []*failingTest) {
	again := map[suite.TestID]TestResult{}
	for _, r := range second.Tests {
		again[r.Test] = r
	}
	var of []*failingTest
	for _, c := range side {
		if r, is := again[c.id]; is {
			of, j.found, j.others = append(of, c), append(j.found, r), append(j.others, len(second.Tests)-1)
		} else {
			left = append(left, c)
		}
	}
	if len(of) > 0 {
		j.of = append(j.of, of...)
		j.orders = append(j.orders, SharedOrders{cause, idsOf(of), second.With, second.Without, second.Repeats})
	}
	return left
}

// spoken tells what those who speak for the others were found to be: all of them what they were
// shown as with the others, or one of them not (it fails alone, or passes directly after the
// cause); neither where not all could be asked.
func (s sharing) spoken(j *joined) (borne, denied bool) {
	borne = true
	for _, c := range j.few {
		behind := s.knownFresh(c, s.cause)
		borne = borne && !c.settled && c.alone == suite.Pass && behind == suite.Fail
		denied = denied || c.settled || c.alone == suite.Fail || behind == suite.Pass
	}
	return borne, denied
}

// conclude settles them.
func (s sharing) conclude(ctx context.Context, j *joined) error {
	for i, c := range j.of {
		s.settleShared(c, j.found[i], j.others[i])
	}
	s.shared = append(s.shared, j.orders...)
	nameLast(j.of)
	return s.notePairs(ctx, j.of)
}

func idsOf(of []*failingTest) []suite.TestID {
	out := make([]suite.TestID, len(of))
	for i, c := range of {
		out[i] = c.id
	}
	return out
}

// settleShared settles a victim whose evidence are orders that it shares; it has no minimal order
// of its own.
func (s sharing) settleShared(c *failingTest, r TestResult, others int) {
	c.joint, c.alone = true, suite.Pass
	c.res.Polluters = []suite.Order{s.cause}
	c.res.Failure = r.Failure
	c.settle(Victim, fmt.Sprintf("fails behind %s in two orders with %d others like it, and passes in both without (%d of %d each); it was not run by itself", s.Names(s.cause), others, s.in.Rerun, s.in.Rerun))
}

// nameLast has of those who failed in one and the same order the last name it: it holds what the
// others saw of it.
func nameLast(of []*failingTest) {
	last := map[*tried]*failingTest{}
	for _, c := range of {
		if t := c.failing; t != nil && (last[t] == nil || t.first[last[t].id] < t.first[c.id]) {
			last[t] = c
		}
	}
	for t, c := range last {
		c.res.FailingOrder = t.seen(c.id)
	}
}

// notePairs finds out who of them fails after itself: all of them run twice over in one process,
// and any test that fails there the second time only is asked by itself.
func (s sharing) notePairs(ctx context.Context, of []*failingTest) error {
	var o suite.Order
	for _, c := range of {
		o = append(o, c.id, c.id)
	}
	if len(o) == 0 || s.over() {
		return nil
	}
	run, err := s.run(ctx, nil, o, suite.Batched, false)
	if err != nil {
		return err
	}
	var seen []*failingTest
	for i, c := range of {
		if at(o, run, 2*i).Outcome == suite.Pass && at(o, run, 2*i+1).Outcome == suite.Fail {
			seen = append(seen, c)
		}
	}
	return s.inTurns(len(seen), func(i int) error {
		if s.over() {
			seen[i].hurry("failures after itself")
			return nil
		}
		return s.noteTwice(ctx, seen[i])
	})
}
