package detect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// maxEmpty is the number of runs in a row without any result after which a search stops with an
// error.
const maxEmpty = 5

// receive records the result of a task.
func (s *Search) receive(ctx context.Context, t *task) error {
	s.begun(t, -1)
	switch t.what {
	case shortening:
		t.ran.busy = false
	case repeat:
		i := slices.Index(t.ran.under, len(t.order))
		t.ran.under = slices.Delete(t.ran.under, i, i+1)
	}
	if t.test != nil {
		t.test.asking--
	}
	for _, r := range t.also {
		r.asking--
	}
	if gone, ok := errors.AsType[*MissingError](t.err); ok && s.without(gone, t.order) {
		s.requeue(t)
		s.unrepeatable(t)
		s.drop()
		return nil
	}
	if t.err != nil {
		if ctx.Err() != nil {
			s.requeue(t)
			return nil
		}
		return fmt.Errorf("running %d tests: %w", len(t.order), t.err)
	}
	if s.sequential && !t.exclusive {
		s.requeue(t) // it ran in parallel with others before parallel results were distrusted
		return nil
	}
	s.count(t)
	if s.empty >= maxEmpty {
		return fmt.Errorf("%d test processes in a row ended before any test had a result: %s", s.empty, t.run.Crash)
	}
	switch t.what {
	case scheduled:
		s.receiveOrder(t)
	case repeat:
		s.receiveRepeat(t)
	case checking:
		s.receiveCheck(t)
	case byItself:
		s.receiveAlone(t)
	case settling:
		s.settleRecheck(t)
	case shortening:
		s.receiveShort(t)
	case contrasting:
		s.receivePart(t, t.ran)
	}
	s.showed(t.order)
	s.drop()
	s.progress(t)
	return nil
}

// showed records the time at which the outcome of a test first changed.
func (s *Search) showed(tests suite.Order) {
	for _, id := range tests {
		if r := s.byID[id]; r.turned != nil && r.shown == nil {
			now := s.sofar()
			r.shown = &now
		}
	}
}

// requeue queues an order without a result again. Other tasks are created anew when they are
// needed, except the exclusive run after a crash.
func (s *Search) requeue(t *task) {
	if t.what == byItself && t.test.state == left && t.test.crashes == 1 {
		t.test.asking++
		s.waiting = append(s.waiting, &task{what: byItself, order: t.order, test: t.test, exclusive: true, name: t.name})
	}
	if t.what == scheduled || t.what == checking {
		s.waiting = append(s.waiting, &task{what: t.what, ran: t.ran, order: t.order, name: t.name,
			exclusive: t.exclusive, cut: t.cut, rest: t.rest, again: t.again, fresh: t.fresh, part: t.part, draw: t.draw})
	}
}

func (s *Search) count(t *task) {
	any := false
	for i := range t.order {
		if t.run.At(i).Outcome != suite.Unresolved {
			s.spent.Executions++
			any = true
		}
	}
	switch {
	case any:
		s.empty = 0
	case len(t.order) > 1 || len(s.in.Tests) == 1:
		s.empty++ // a single test that ends its process shows nothing about the others
	}
	if t.what == scheduled && !t.rest && !t.again {
		s.spent.Orders++
	}
}

// receiveOrder records a run of an order of the stages.
func (s *Search) receiveOrder(t *task) {
	if t.quick != nil {
		s.receiveQuick(t)
		return
	}
	x := &ran{order: t.order, source: t.name, exclusive: t.exclusive, part: t.part != nil, outcomes: make([]suite.Outcome, len(t.order))}
	if t.part != nil {
		x.quick = t.part.of
		defer s.follow(t)
	}
	if t.name != originalName && !t.again {
		x.source = fmt.Sprintf("order %d (%s)", s.spent.Orders, t.name)
	}
	for i, id := range t.order {
		x.outcomes[i] = t.run.At(i).Outcome
		r := s.byID[id]
		r.see(x, i, t.run.At(i))
		if r.contradicted(x) || i == 0 && r.state <= found && r.alone.contradicts(x.outcomes[0]) {
			s.requestRecheck(r, &recheck{order: t.order[: i+1 : i+1]})
		}
		if len(t.order) == 1 {
			r.alone.add(x.outcomes[i])
			s.recheckMixed(r, t.order)
		}
		s.watch(r)
		s.pair(t, i)
	}
	t.draw.receive(t.order, x.outcomes)
	s.compare(t)
	if t.run.Crash != nil {
		s.crashed(t)
	}
}

func (s *Search) pair(t *task, i int) {
	if i == 0 || !decided(t.run.At(i).Outcome) || t.run.At(i-1).Outcome == suite.Unresolved {
		return
	}
	if !s.in.Isolated || s.in.Groups.Same(t.order[i], t.order[i-1]) {
		s.pairs.add(s.byID[t.order[i-1]].number, s.byID[t.order[i]].number)
	}
}
