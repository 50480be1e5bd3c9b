package detect

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/ddmin"
	"github.com/odfix/odfix/internal/suite"
)

// A quick run (Input.Quick) runs an order of the stages in a process that has run other orders. It
// costs little, and it is a hint only. If each test has an outcome that it had before, the order
// costs nothing more. For a test with a new outcome, quick runs of parts find a small part of the
// order with the same outcome. Fresh processes then run this part, and all that follows rests on
// them. If a fresh process contradicts the hint, it also runs the whole order.

// maxRefuted is how many hints about one test a fresh process may contradict. Further hints about
// it are ignored.
const maxRefuted = 2

// quick is a quick run of a task's order.
type quick struct {
	runOrder func(context.Context, suite.Order) (*suite.Run, error)
	groups   *suite.Groups

	run   *suite.Run
	parts []*part
	known map[suite.TestID]outcomes // which outcomes are nothing new, by test
	shown int                       // how many parts gave their new outcome in a fresh process
	whole bool                      // the order was requested in a fresh process, too
	order suite.Order
	name  string

	causes []*quickCause // the most frequent ones first
}

// part is a part of an order that gave a new outcome of its last test in quick runs.
type part struct {
	of    *quick
	order suite.Order
	want  suite.Outcome
}

func (p *part) test() suite.TestID { return p.order[len(p.order)-1] }

// outcomes is a set of the outcomes pass and fail.
type outcomes struct{ pass, fail bool }

func (o outcomes) has(out suite.Outcome) bool {
	return !decided(out) || out == suite.Pass && o.pass || out == suite.Fail && o.fail
}

// quickly returns an empty quick run for a task; nil: the task needs a fresh process. The first
// run of the suite's own order always is fresh, because it is what hints are compared with.
func (s *Search) quickly(t *task) *quick {
	if s.in.Quick == nil || t.what != scheduled || t.exclusive || t.fresh || t.rest || s.sequential || t.name == originalName {
		return nil
	}
	q := &quick{runOrder: s.in.Quick, groups: s.in.Groups, known: map[suite.TestID]outcomes{}, order: t.order, name: t.name}
	for _, id := range t.order {
		r := s.byID[id]
		k := outcomes{pass: r.pass != nil || r.observed == suite.Pass, fail: r.fail != nil || r.observed == suite.Fail}
		if r.state >= suspect || r.recheck != nil || r.pursued || r.refuted >= maxRefuted {
			k = outcomes{true, true}
		}
		q.known[id] = k
	}
	return q
}

// do makes the quick runs. It returns false if a fresh process must run the order: the quick run
// gave no result for a test, or one cause gave so many tests new outcomes that they form a cohort.
func (q *quick) do(ctx context.Context) bool {
	got, err := q.runOrder(ctx, q.order)
	if err != nil || got == nil || got.Crash != nil {
		return false
	}
	q.run = got
	open := map[suite.TestID]suite.Outcome{} // new outcomes without a known cause
	for i, id := range q.order {
		out := got.At(i).Outcome
		if out == suite.Unresolved {
			return false
		}
		if !q.known[id].has(out) {
			open[id] = out
		}
	}
	for i, id := range q.order {
		if _, ok := open[id]; !ok {
			continue
		}
		delete(open, id)
		p, cause := q.smallest(ctx, i)
		q.parts = append(q.parts, p)
		if cause == nil {
			continue
		}
		if cause.tests++; cause.tests == cohort.Sample && q.failAfter(ctx, cause.order, open) >= cohort.Large-cohort.Sample {
			return false
		}
	}
	return true
}

// quickCause is a sequence of tests after which tests failed in quick runs.
type quickCause struct {
	order suite.Order
	tests int // how many tests
}

// maxTried is how many causes of other tests are tried on a test.
const maxTried = 3

// failAfter runs all these tests after a cause, and returns how many of them fail.
func (q *quick) failAfter(ctx context.Context, cause suite.Order, tests map[suite.TestID]suite.Outcome) int {
	o := cohort.After(q.groups, q.order, cause, func(t suite.TestID) bool { return tests[t] == suite.Fail })
	if len(o) == 0 {
		return 0
	}
	got, err := q.runOrder(ctx, append(slices.Clone(cause), o...))
	if err != nil || got == nil {
		return 0
	}
	n := 0
	for i := range o {
		if got.At(len(cause)+i).Outcome == suite.Fail {
			n++
		}
	}
	return n
}

// smallest finds a small part of the order in which the test at this position has the same outcome
// as in the whole. It tries the causes of other tests first, then the tests before it in its own
// group, then all tests before it. The cause is nil if the test has this outcome alone.
func (q *quick) smallest(ctx context.Context, i int) (*part, *quickCause) {
	p := &part{of: q, order: q.order[: i+1 : i+1], want: q.run.At(i).Outcome}
	t := p.test()
	ask := func(ctx context.Context, before []suite.TestID) (ddmin.Answer, error) {
		got, err := q.runOrder(ctx, append(slices.Clone(suite.Order(before)), t))
		switch {
		case err != nil:
			return ddmin.Unresolved, err
		case got == nil || !decided(got.Last().Outcome):
			return ddmin.Unresolved, nil
		case got.Last().Outcome == p.want:
			return ddmin.Yes, nil
		}
		return ddmin.No, nil
	}
	before := q.order[:i]
	slices.SortStableFunc(q.causes, func(a, b *quickCause) int { return cmp.Compare(b.tests, a.tests) })
	for _, c := range q.causes[:min(maxTried, len(q.causes))] {
		if slices.Contains(c.order, t) || !c.isPartOf(before) {
			continue
		}
		if answer, err := ask(ctx, c.order); err == nil && answer == ddmin.Yes {
			p.order = append(slices.Clone(c.order), t)
			return p, c
		}
	}
	within := suite.Filter(before, func(x suite.TestID) bool { return q.groups.Same(x, t) })
	for _, some := range [][]suite.TestID{within, before} {
		res, err := ddmin.Minimize(ctx, some, ask, ddmin.Options[suite.TestID]{FromEnd: true, SameGroup: q.groups.Same})
		if err == nil && ctx.Err() == nil {
			p.order = append(slices.Clone(suite.Order(res.Items)), t)
			break
		}
		if len(within) == len(before) {
			break
		}
	}
	cause := p.order[: len(p.order)-1 : len(p.order)-1]
	if len(cause) == 0 {
		return p, nil
	}
	q.causes = append(q.causes, &quickCause{order: cause})
	return p, q.causes[len(q.causes)-1]
}

// isPartOf reports whether the cause is a subsequence of an order.
func (c *quickCause) isPartOf(o suite.Order) bool {
	for _, t := range c.order {
		i := slices.Index(o, t)
		if i < 0 {
			return false
		}
		o = o[i+1:]
	}
	return true
}

// receiveQuick records a quick run: it requests fresh runs of the parts with new outcomes.
func (s *Search) receiveQuick(t *task) {
	q := t.quick
	q.name = fmt.Sprintf("order %d (%s)", s.spent.Orders, t.name)
	outcomes := make([]suite.Outcome, len(t.order))
	for i := range t.order {
		outcomes[i] = q.run.At(i).Outcome
		s.pair(t, i)
	}
	t.draw.receive(t.order, outcomes)
	for _, p := range q.parts {
		r := s.byID[p.test()]
		if r.pursued || r.state >= suspect {
			continue // another order showed the same meanwhile
		}
		r.pursued = true
		s.waiting = append(s.waiting,
			&task{what: scheduled, order: p.order, part: p, name: "a part of " + q.name, fresh: true, again: true})
	}
}

// follow compares a fresh run of a part with the hint that requested it.
func (s *Search) follow(t *task) {
	p := t.part
	r := s.byID[p.test()]
	r.pursued = false
	switch out := t.run.Last().Outcome; {
	case !slices.Equal(t.order, p.order):
		return
	case out == p.want:
		p.of.shown++
		return
	}
	r.refuted++
	if q := p.of; !q.whole && len(p.order) < len(q.order) {
		q.whole = true
		s.waiting = append(s.waiting, &task{what: scheduled, order: q.order, name: q.name, fresh: true, again: true})
	}
}
