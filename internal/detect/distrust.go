package detect

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// steadyRuns times Rerun exclusive runs must agree before parallel processes are blamed for a
// disagreement. A test that fails at random in half of its runs agrees six times in one case of 32.
// A wrong conclusion would make everything slow.
const steadyRuns = 2

// settleRecheck records the result of an exclusive run. If all exclusive runs of a test agree,
// results of parallel processes are distrusted, and from then on everything runs one at a time.
func (s *Search) settleRecheck(t *task) {
	s.settleOne(t.test, t)
	for _, r := range t.also {
		s.settleOne(r, t)
	}
}

// settle returns an exclusive run of an order in which a test had two outcomes. It chooses the
// longest such order that begins with the test's own order, so that the run also serves the tests
// whose orders are beginnings of it.
func (s *Search) settle(first *record) *task {
	t := &task{what: settling, order: first.recheck.order, test: first, exclusive: true, name: "confirming"}
	begins := func(short, long suite.Order) bool {
		return len(short) <= len(long) && slices.Equal(short, long[:len(short)])
	}
	open := slices.DeleteFunc(slices.Clone(s.watched), func(r *record) bool { return r.recheck == nil || r.asking > 0 })
	for _, r := range open {
		if begins(t.order, r.recheck.order) {
			t.order, t.test = r.recheck.order, r
		}
	}
	for _, r := range open {
		if r != t.test && begins(r.recheck.order, t.order) {
			t.also = append(t.also, r)
			r.asking++
		}
	}
	t.test.asking++
	return t
}

func (s *Search) settleOne(r *record, t *task) {
	d := r.recheck
	if d == nil || len(d.order) > len(t.order) || !slices.Equal(d.order, t.order[:len(d.order)]) {
		return
	}
	res := t.run.At(len(d.order) - 1)
	d.said.add(res.Outcome)
	r.total.add(res.Outcome)
	switch {
	case d.said.mixed():
		r.settle(flaky, d.order, "both passes and fails in one and the same order (%s while nothing else ran)", d.said)
	case d.said.none >= maxNone:
		r.settle(undecided, d.order, "disagreed with itself in one order, and then gave no result there")
	case d.said.passed+d.said.failed >= steadyRuns*s.in.Rerun:
		s.unsettled(r, d)
	}
}

// unsettled handles a test with one outcome in all exclusive runs.
func (s *Search) unsettled(r *record, d *recheck) {
	s.distrust()
	steady := &ran{order: d.order, source: "while nothing else ran", exclusive: true, outcomes: make([]suite.Outcome, len(d.order))}
	w := &observation{ran: steady, at: len(d.order) - 1, same: d.said.passed + d.said.failed}
	out := d.said.outcome()
	steady.outcomes[w.at] = out
	if out == suite.Pass {
		r.pass = w
	} else {
		r.fail = w
	}
	r.turned = r.otherwise(steady)
	if len(d.order) == 1 {
		r.alone = d.said
	}
	s.watch(r)
}

// distrust makes all later runs exclusive. It forgets the results of parallel runs for tests that
// are not settled. The orders in which suspects failed run again, and finds are checked again.
func (s *Search) distrust() {
	if s.sequential {
		return
	}
	s.sequential = true
	s.note("parallel test processes gave results that changed when they ran one at a time; from then on " +
		"everything ran one at a time")
	s.recheck()
	var again []*ran
	for _, r := range s.records {
		if r.state > suspect {
			continue
		}
		if r.fail != nil && !r.fail.ran.exclusive && r.pass != nil && !slices.Contains(again, r.fail.ran) && len(r.fail.ran.order) > 1 {
			again = append(again, r.fail.ran)
		}
		r.forget()
		s.watch(r)
	}
	for _, x := range again {
		s.waiting = append(s.waiting, &task{what: scheduled, order: x.order, exclusive: true, again: true, name: x.source + " again"})
	}
}

// recheck runs again, exclusively, what finds rest on: the orders that decided, one run for all
// finds of an order, and brittle tests alone.
func (s *Search) recheck() {
	last := map[*ran]int{}
	var orders []*ran
	for _, r := range s.records {
		if r.state != found {
			continue
		}
		if o := r.alone.outcome(); o == suite.Fail {
			alone := &ran{order: suite.Order{r.id}, outcomes: []suite.Outcome{o}}
			s.waiting = append(s.waiting, &task{what: checking, ran: alone, order: alone.order, exclusive: true, name: "checking"})
		}
		for _, w := range s.needed(r) {
			if _, known := last[w.ran]; !known {
				orders = append(orders, w.ran)
			}
			last[w.ran] = max(last[w.ran], w.at)
		}
	}
	for _, x := range orders {
		end := last[x] + 1
		s.waiting = append(s.waiting, &task{what: checking, ran: x, order: x.order[:end:end], exclusive: true, name: "checking"})
	}
}

// receiveCheck removes finds that exclusive runs do not confirm.
func (s *Search) receiveCheck(t *task) {
	x := &ran{order: t.order, source: "while nothing else ran", exclusive: true, outcomes: make([]suite.Outcome, len(t.order))}
	for i, id := range t.order {
		r, res, was := s.byID[id], t.run.At(i), t.ran.outcomes[i]
		x.outcomes[i] = res.Outcome
		if r.state == found && decided(res.Outcome) && decided(was) && res.Outcome != was {
			s.withdraw(r)
			r.forget()
		}
		r.see(x, i, res)
		s.watch(r)
	}
}
