package harness

import (
	"context"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Series runs exactly this order repeatedly in one process. Only the first run begins with new
// state. Each later run begins with the state that earlier runs left. next receives the previous
// run (nil at first) and returns the switches for the next run. The series ends when next returns
// false or the process has ended. The Runs hold whatever the process does. The error is as in Run.
func (p *Pool) Series(ctx context.Context, order suite.Order, q Question, next func(last *suite.Run) (switches string, more bool)) error {
	q.Price = suite.Batched
	if err := check(order, q); err != nil {
		return err
	}
	ctx, done, err := p.use(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := p.gate.enter(ctx, q.Alone); err != nil {
		return err
	}
	defer p.leave(q)
	proc, err := p.obtain(ctx, q.Price)
	if err != nil {
		return err
	}
	defer proc.kill() // unless it has ended by itself
	return p.series(ctx, proc, slices.Clone(order), q, next)
}

func (p *Pool) series(ctx context.Context, proc *process, order suite.Order, q Question, next func(*suite.Run) (string, bool)) error {
	var last *suite.Run
	for {
		switches, more := next(last)
		if !more || last != nil && last.Crash != nil {
			break
		}
		q.Switches = switches
		if err := check(order, q); err != nil {
			return err
		}
		begin := p.clock.now()
		proc.out.Forget() // what earlier orders printed
		var err error
		r := p.newRun(proc, order, q, nil)
		r.keeps = true
		if last, err = p.runIn(ctx, begin, r, q); err != nil {
			return fmt.Errorf("in a series of orders: %w", err)
		}
	}
	if !proc.dead() {
		proc.quit(p.clock, orderRun{limits: p.limits, lingers: &p.lingers}.quitLimit())
	}
	return nil
}
