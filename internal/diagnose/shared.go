package diagnose

import (
	"context"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// SharedOrders are two orders that differ in a cause only: each of the tests fails in the one and passes in the other, each time they ran.
// They are the evidence for tests that are too many to be asked each by itself.
type SharedOrders struct {
	Cause            suite.Order // confirmed for one test more
	Tests            []suite.TestID
	Failing, Passing suite.Order
	Repeats          int // of each
}

// bothWays settles, of more victims than can be asked each by itself, those who are shown a second time with the others the other way round, so that
// whoever ran in front of one of them in the first orders runs behind it in these. The result are those who are to be asked by themselves all the same:
// a few in any case, and whoever fared otherwise.
func (s sharing) bothWays(ctx context.Context, first *Shared, shown []*patient) (left []*patient, err error) {
	slices.SortStableFunc(shown, func(a, b *patient) int { return before(!unasked(a), !unasked(b)) })
	left, rest := slices.Clone(shown[:crowd]), shown[crowd:]
	turned := make(suite.Order, len(rest))
	for i, c := range rest {
		turned[len(rest)-1-i] = c.id
	}
	last := s.cause[len(s.cause)-1].Visit()
	slices.SortStableFunc(turned, func(a, b suite.TestID) int { return before(a.Visit() == last, b.Visit() == last) })
	second, err := Together(ctx, inSession{s.session}, Crowd{Cause: s.cause, Tests: turned, Rerun: s.in.Rerun})
	if err != nil {
		return shown, err
	}
	again := map[suite.TestID]TestResult{}
	for _, r := range second.Tests {
		again[r.Test] = r
	}
	var joint []*patient
	for _, c := range rest {
		if r, is := again[c.id]; is {
			joint = append(joint, c)
			s.settleShared(c, r, len(second.Tests)-1)
		} else {
			left = append(left, c)
		}
	}
	for _, of := range []*Shared{first, second} {
		s.shared = append(s.shared, SharedOrders{s.cause, idsOf(joint), of.With, of.Without, of.Repeats})
	}
	nameLast(joint)
	return left, s.notePairs(ctx, joint)
}

// before orders what is so in front of what is not.
func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func idsOf(of []*patient) []suite.TestID {
	out := make([]suite.TestID, len(of))
	for i, c := range of {
		out[i] = c.id
	}
	return out
}

// settleShared settles a victim whose evidence are orders that it shares; it has no minimal order of its own.
func (s sharing) settleShared(c *patient, r TestResult, others int) {
	c.joint, c.alone = true, suite.Pass
	c.res.Polluters = []suite.Order{s.cause}
	c.res.Failure = r.Failure
	c.settle(Victim, fmt.Sprintf("fails behind %s in two orders with %d others like it, and passes in both without (%d of %d each)", names(s.cause), others, s.in.Rerun, s.in.Rerun))
}

// nameLast has of those who failed in one and the same order the last name it: it holds what the others saw of it.
func nameLast(of []*patient) {
	last := map[*tried]*patient{}
	for _, c := range of {
		if t := c.failing; t != nil && (last[t] == nil || t.first[last[t].id] < t.first[c.id]) {
			last[t] = c
		}
	}
	for t, c := range last {
		c.res.FailingOrder = t.seen(c.id)
	}
}

// notePairs finds out who of them fails after itself: all of them run twice over in one process, and whoever fails there the second time only is asked
// by itself.
func (s sharing) notePairs(ctx context.Context, of []*patient) error {
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
	var seen []*patient
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
