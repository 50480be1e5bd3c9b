package harness

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/odfix/odfix/internal/suite"
)

// growth bounds by how much a living process's memory may grow before another process replaces it,
// in bytes.
const growth = 384 << 20

// Living is a process that runs one order after the other. Its harness restores what an order
// changed in the process, and reports what it could not restore. The process is replaced after such
// a report, or if its memory has grown. Its answers are hints: nothing may be concluded from them
// alone. Only one order runs at a time.
type Living struct {
	pool *Pool

	mu       sync.Mutex
	proc     *process // nil: none
	answered int      // orders
	least    int64    // memory that it took after an order
	outdated bool     // files were written since its last order
}

// Living returns a process for many orders. It starts with the first of them.
func (p *Pool) Living() *Living { return &Living{pool: p} }

// Runs reports whether the process has started.
func (l *Living) Runs() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.proc != nil && !l.proc.dead()
}

// Forget reports that files were written since the last order.
func (l *Living) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outdated = true
}

// Run is Pool.Run at the price Batched. If an order ends the process, it runs once more as the
// first order of another process.
func (l *Living) Run(ctx context.Context, order suite.Order, q Question) (*suite.Run, error) {
	q.Price = suite.Batched
	if err := check(order, q); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pool
	ctx, done, err := p.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := p.gate.enter(ctx, q.Alone); err != nil {
		return nil, err
	}
	defer p.gate.leave(q.Alone)
	order = slices.Clone(order)
	isFirst := l.proc == nil || l.answered == 0
	run, err := l.ask(ctx, order, q)
	if err == nil && run.Crash != nil && !isFirst {
		run, err = l.ask(ctx, order, q)
	}
	if err != nil && errors.Is(context.Cause(ctx), ErrClosed) {
		err = ErrClosed
	}
	return run, err
}

// ask runs the order once. The caller holds the lock.
func (l *Living) ask(ctx context.Context, order suite.Order, q Question) (*suite.Run, error) {
	p := l.pool
	begin := p.clock.now()
	if l.proc != nil && l.proc.dead() {
		l.proc = nil
	}
	if l.proc == nil {
		proc, err := p.start(ctx, p.quick, quickRole)
		if err != nil {
			return nil, err
		}
		l.proc, l.answered, l.least, l.outdated = proc, 0, 0, false
	}
	l.proc.out.Forget() // what earlier orders printed
	r := p.newRun(l.proc, order, q, nil)
	r.keeps, r.forget = true, l.outdated
	l.outdated = false
	run, err := p.runIn(ctx, begin, r, q)
	l.answered++
	var refused *RefusedError
	switch {
	case err != nil && !errors.As(err, &refused), err == nil && run.Crash != nil:
		l.end(false)
	case err == nil && l.worn(r.a.ended):
		l.end(true)
	}
	return run, err
}

// worn reports whether the process differs from its state before its orders.
func (l *Living) worn(e complete) bool {
	if l.least == 0 || e.memory < l.least {
		l.least = e.memory
	}
	return len(e.left) > 0 || e.memory-l.least > growth
}

// end ends the process. The caller holds the lock.
func (l *Living) end(worn bool) {
	l.proc.kill()
	l.proc = nil
	if worn {
		l.pool.counters.add(func(s *Stats) { s.Recycled++ })
	}
}

// Close ends the process, if there is one. The next order starts another.
func (l *Living) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.proc != nil {
		l.end(false)
	}
}
