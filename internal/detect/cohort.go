package detect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// A cohort is a set of many tests whose outcome one order changed. It would take hundreds of
// processes to run each of them alone. An experiment with two orders confirms them together instead
// (cohort.Compare). The first order is the one that changed the outcomes, or a part of it. The
// second order is the first without the tests that may be the cause. If no cause is known, or the
// outcomes stay the same without it, the second order is the suite's own.

// inCohort reports whether a test waits for the experiment on the order that changed its outcome.
func (r *record) inCohort() bool {
	return r.state <= suspect && r.recheck == nil && r.turning() != nil && !r.turned.compared
}

// nextCohort returns an order that changed the outcomes of a cohort, and the tests of this cohort;
// nil: there is none.
func (s *Search) nextCohort() (*ran, []*record) {
	of := map[*ran][]*record{}
	for _, r := range s.watched {
		if r.inCohort() {
			of[r.turned] = append(of[r.turned], r)
		}
	}
	for _, r := range s.watched {
		if n := len(of[r.turned]); n >= cohort.Large && cohort.Cheaper(n, len(r.turned.order), s.in.Rerun) {
			return r.turned, of[r.turned]
		}
	}
	return nil, nil
}

// experiment confirms the tests of a cohort that it can. The other tests that both passed and
// failed are confirmed one by one. The tests that only failed so far wait until no order is left.
func (s *Search) experiment(ctx context.Context, x *ran, of []*record) error {
	kept, explained := map[suite.TestID]bool{}, map[suite.TestID]bool{}
	if s.in.State != nil {
		kept, explained = s.causes(x, of)
	}
	causes, members, rest := maps.Clone(kept), map[suite.TestID]bool{}, map[suite.TestID]bool{}
	for _, r := range of {
		delete(causes, r.id)
		members[r.id], rest[r.id] = true, !explained[r.id]
	}
	part, own := &ran{order: x.only(kept), source: "a part of " + x.source},
		&ran{order: s.ownOf(x.order...).order, source: "the beginning of " + originalName}
	pairs := [][2]*ran{{part, part.without(causes)}, {x, x.without(causes)}, {x, own}}
	if saved := len(until(x.order, members)) - len(until(x.order, rest)); 2*s.in.Rerun*len(part.order) >= (2*s.in.Rerun-1)*saved {
		pairs = pairs[1:]
	}
	x.attempts++
	for _, p := range pairs {
		err := s.together(ctx, x, p[0], p[1], of)
		if errors.Is(err, errLeftOut) && x.attempts < cohort.Attempts {
			return nil
		}
		if err != nil && !errors.Is(err, errLeftOut) {
			return err
		}
	}
	x.compared = true
	s.drop()
	return nil
}

// without returns the order without the tests that may be the cause.
func (x *ran) without(causes map[suite.TestID]bool) *ran {
	y := &ran{}
	var out suite.Order
	for _, t := range x.order {
		if causes[t] {
			out = append(out, t)
		} else {
			y.order = append(y.order, t)
		}
	}
	y.source = x.source + " without " + some(out)
	return y
}

// until returns the order up to the last of the tests.
func until(o suite.Order, tests map[suite.TestID]bool) suite.Order {
	for len(o) > 0 && !tests[o[len(o)-1]] {
		o = o[:len(o)-1]
	}
	return o
}

// together confirms tests of the cohort of x. It confirms a test if the test has the same outcome
// as in x in each run of order a, and the other outcome in each run of order b. It does nothing if
// it would take more than running the tests alone. If few tests are left, they are confirmed one by
// one, because each further experiment could confirm more flaky tests by chance.
func (s *Search) together(ctx context.Context, x, a, b *ran, of []*record) error {
	in := cohort.Orders{First: s.usable(a.order), Second: s.usable(b.order), Rerun: s.in.Rerun, Want: func(t suite.TestID) suite.Outcome {
		w := s.byID[t].turning()
		return w.ran.outcomes[w.at]
	}}
	first, second := set(in.First), set(in.Second)
	tests := map[suite.TestID]bool{}
	for _, r := range of {
		if r.inCohort() && first[r.id] && second[r.id] {
			in.Tests = append(in.Tests, r.id)
			tests[r.id] = true
		}
	}
	in.First, in.Second = until(in.First, tests), until(in.Second, tests)
	if slices.Equal(in.First, in.Second) || len(tests) < cohort.Large ||
		!cohort.Cheaper(len(tests), max(len(in.First), len(in.Second)), s.in.Rerun) {
		return nil
	}
	if len(in.First) <= len(x.order) && slices.Equal(in.First, x.order[:len(in.First)]) {
		in.Had = 1
	}
	c := &comparing{s: s, orders: [2]*ran{}}
	for i, o := range []suite.Order{in.First, in.Second} {
		c.orders[i] = &ran{order: o, source: []string{a.source, b.source}[i], exclusive: s.width() == 1,
			part: true, tried: true, outcomes: make([]suite.Outcome, len(o))}
	}
	c.orders[0].of = x
	members, err := cohort.Compare(ctx, c, in)
	for _, m := range members {
		if r := s.byID[m.Test]; r.inCohort() {
			turned := r.turning() == r.fail
			for i, y := range c.orders {
				w := &observation{ran: y, at: y.order.Index(r.id), same: in.Rerun}
				if turned == (i == 0) {
					r.fail, r.failure = w, m.Failure
				} else {
					r.pass = w
				}
			}
			r.cohort = x.source
			s.find(r)
		}
	}
	return err
}

// turning returns the observation of the test in the order that changed its outcome, or in a part
// of this order.
func (r *record) turning() *observation {
	for _, w := range []*observation{r.fail, r.pass} {
		if w != nil && r.turned != nil && (w.ran == r.turned || w.ran.of == r.turned) {
			return w
		}
	}
	return nil
}

// errLeftOut says that tests of an order were left out, so that the order must run again.
var errLeftOut = errors.New("tests of the order were left out")

// comparing runs the orders of an experiment for a search.
type comparing struct {
	s      *Search
	orders [2]*ran
	mu     sync.Mutex
}

// Parallel implements cohort.Runner.
func (c *comparing) Parallel() int { return c.s.width() }

// Run implements cohort.Runner. The error is errLeftOut if a test of the order ended its process or
// was missing.
func (c *comparing) Run(ctx context.Context, o suite.Order, _ suite.Price) (*suite.Run, error) {
	t := &task{what: contrasting, order: o, ran: c.orders[0], exclusive: c.s.sequential, name: "confirming"}
	if !slices.Equal(o, t.ran.order) {
		t.ran = c.orders[1]
	}
	t.run, t.err = c.s.runner.Run(ctx, o, t.exclusive)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := errors.Join(c.s.receive(ctx, t), ctx.Err()); err != nil {
		return nil, err
	}
	if len(c.s.usable(o)) < len(o) {
		return nil, errLeftOut
	}
	return t.run, nil
}

// some returns the names of a few of the tests.
func some(tests suite.Order) string {
	const few = 3
	var out string
	for i, t := range tests {
		switch {
		case i == few:
			return fmt.Sprintf("%s and %d others", out, len(tests)-few)
		case i > 0:
			out += ", "
		}
		out += string(t)
	}
	return out
}

// waits reports whether a test of a cohort only failed so far and waits for an order in which it
// passes. When no order is left, the test runs alone.
func (s *Search) waits(r *record) bool {
	return r.state == failing && r.turned != nil && r.turned.compared && !s.ended
}

// sharpening returns a run alone of one find of a cohort. It chooses a class with the fewest such
// runs so far. nil: there is none. It delays no order and no diagnosis, and may contradict earlier
// finds.
func (s *Search) sharpening(known func(suite.TestID) bool) *task {
	var best *record
	asked := map[string]int{}
	for _, r := range s.records {
		asked[s.in.Groups.Top(r.id)] += r.alone.runs() + r.asking
	}
	for _, r := range s.records {
		if s.unsharp(r) && r.alone.runs()+r.asking < s.rerunAlone(r)+maxNone && !known(r.id) &&
			(best == nil || asked[s.in.Groups.Top(r.id)] < asked[s.in.Groups.Top(best.id)]) {
			best = r
		}
	}
	if best == nil {
		return nil
	}
	best.asking++
	return &task{what: byItself, order: suite.Order{best.id}, test: best, name: "telling victims from brittle tests"}
}

// unsharp reports whether it is not known if a find of a cohort is a victim or brittle, and whether
// runs alone can still show it.
func (s *Search) unsharp(r *record) bool {
	return r.state == found && r.recheck == nil && r.cohort != "" && r.alone.none < maxNone &&
		r.alone.passed+r.alone.failed < s.rerunAlone(r)
}

// setKind sets the kind of a find of a cohort, victim or brittle, once its runs alone have shown
// it. The find itself still rests on the experiment.
func (s *Search) setKind(r *record, f *Find) {
	if r.alone.passed+r.alone.failed < s.rerunAlone(r) {
		return
	}
	switch r.alone.outcome() {
	case suite.Pass:
		f.Kind = Victim
	case suite.Fail:
		f.Kind = Brittle
	}
}
