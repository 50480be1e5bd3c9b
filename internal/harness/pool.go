package harness

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Config says which processes a pool starts, and how many.
type Config struct {
	// Exact starts a process as the project's own build does: Fresh questions and discovery.
	Exact Spec
	// Quick starts a process with flags for searching: Warm and Batched questions. The zero Spec
	// means Exact.
	Quick Spec
	// Parallel is how many questions run at once; zero: one per core.
	Parallel int
	// Spares bounds how many processes wait for Warm questions; zero: as many as Parallel;
	// negative: none. On two cores, spares make a question of two tests a tenth shorter if
	// questions come one by one. They make no difference if questions keep all cores busy.
	Spares int
	Limits Limits

	clock clock // nil: the wall's
}

// Pool runs questions in test processes. It is safe for concurrent use.
type Pool struct {
	*common
	exact, quick Spec
	spares       *spares

	ctx    context.Context // ends with Close
	cancel context.CancelCauseFunc
	users  sync.WaitGroup // questions and spares of this pool
	mu     sync.Mutex     // guards closed against users.Add
	closed bool
}

// common is what pools share that were made from each other with With.
type common struct {
	gate     gate
	timing   *timing
	counters counters
	orders   atomic.Int64
	lingers  atomic.Bool // a process did not end by itself after its order
	clock    clock
	limits   Limits
	maxIdle  int
}

// NewPool returns a pool. It starts no process yet.
func NewPool(cfg Config) (*Pool, error) {
	limits, err := cfg.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &common{timing: newTiming(limits), limits: limits, clock: cfg.clock, maxIdle: cfg.Spares}
	c.gate.size = cfg.Parallel
	if cfg.Parallel <= 0 {
		c.gate.size = runtime.GOMAXPROCS(0)
	}
	if cfg.Spares == 0 {
		c.maxIdle = c.gate.size
	}
	if c.clock == nil {
		c.clock = wallClock{}
	}
	return c.pool(cfg.Exact, cfg.Quick)
}

// With returns a pool for other processes (with patched classes, say). It shares this pool's limit
// on concurrent questions, its counters and its record of test durations. It is closed separately.
func (p *Pool) With(exact, quick Spec) (*Pool, error) { return p.pool(exact, quick) }

// NoSpares makes the pool start a process for every question, for processes that run only few
// questions. It must be called before the first question.
func (p *Pool) NoSpares() *Pool {
	p.spares.most = 0
	return p
}

func (c *common) pool(exact, quick Spec) (*Pool, error) {
	if err := exact.validate(); err != nil {
		return nil, err
	}
	if len(quick.Command) == 0 {
		quick = exact
	}
	p := &Pool{common: c, exact: exact, quick: quick}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	p.spares = &spares{pool: p, most: max(c.maxIdle, 0)}
	return p, nil
}

// Parallel returns how many questions run at once.
func (p *Pool) Parallel() int { return p.gate.size }

// Stats returns what all pools that share with this one did so far.
func (p *Pool) Stats() Stats { return p.counters.get() }

// Learn records a known duration of a test (from the project's earlier reports, say).
func (p *Pool) Learn(test suite.TestID, took time.Duration) { p.timing.learn(test, took) }

// Close ends every process of the pool and waits until they have ended. Running questions return
// ErrClosed. Closing twice is allowed.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cancel(ErrClosed)
	p.users.Wait()
	return nil
}

// use counts the caller until done is called. The returned context also ends with the pool.
func (p *Pool) use(ctx context.Context) (_ context.Context, done func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, ErrClosed
	}
	p.users.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.ctx, func() { cancel(ErrClosed) })
	return ctx, func() { stop(); cancel(nil); p.users.Done() }, nil
}

// Run runs exactly this order in one process. The Run holds whatever the process does. The error is
// a *RefusedError, a *StartError, ErrClosed or ctx's.
func (p *Pool) Run(ctx context.Context, order suite.Order, q Question) (*suite.Run, error) {
	return p.answer(ctx, order, q, nil)
}

// answer is Run with an observer of state, or nil.
func (p *Pool) answer(ctx context.Context, order suite.Order, q Question, to Observer) (*suite.Run, error) {
	if err := check(order, q); err != nil {
		return nil, err
	}
	ctx, done, err := p.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	run, err := p.run(ctx, slices.Clone(order), q, to)
	if err != nil && errors.Is(context.Cause(ctx), ErrClosed) {
		err = ErrClosed
	}
	return run, err
}

// Beside does other work that takes as much of the machine as a question. It waits for capacity as
// a question does. Questions that run alone wait for it. It can also run alone itself.
func (p *Pool) Beside(ctx context.Context, alone bool, work func(context.Context) error) error {
	ctx, done, err := p.use(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := p.gate.enter(ctx, alone); err != nil {
		return err
	}
	defer p.gate.leave(alone)
	return work(ctx)
}

func check(order suite.Order, q Question) error {
	if len(order) == 0 {
		return errors.New("empty order: give at least one test")
	}
	if i := slices.Index(order, ""); i >= 0 {
		return fmt.Errorf("the order's position %d holds no test id", i)
	}
	if s := strings.Trim(q.Switches, "01"); s != "" {
		return fmt.Errorf("switches are a string of 0 and 1, not %q", q.Switches)
	}
	switch q.Price {
	case suite.Fresh, suite.Warm, suite.Batched:
		return nil
	}
	return fmt.Errorf("unknown price %q: ask at the price fresh, warm or batched", q.Price)
}

func (p *Pool) run(ctx context.Context, order suite.Order, q Question, to Observer) (*suite.Run, error) {
	if err := p.gate.enter(ctx, q.Alone); err != nil {
		return nil, err
	}
	defer p.leave(q)
	begin := p.clock.now()
	proc, err := p.obtain(ctx, q.Price)
	if err != nil {
		return nil, err
	}
	return p.runIn(ctx, begin, p.newRun(proc, order, q, to), q)
}

func (p *Pool) newRun(proc *process, order suite.Order, q Question, to Observer) orderRun {
	a := newAnswer(order, q.Price, p.orders.Add(1), p.timing)
	a.seen.to = to
	return orderRun{p: proc, a: a, clock: p.clock, limits: p.limits, lingers: &p.lingers, moreTime: q.MoreTime, within: q.within}
}

// runIn runs an order in a process that has started.
func (p *Pool) runIn(ctx context.Context, begin time.Time, r orderRun, q Question) (*suite.Run, error) {
	run, err := r.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	run.Nanos = p.clock.now().Sub(begin).Nanoseconds()
	p.counters.answered(run, r.a.next)
	return run, nil
}

func (p *Pool) leave(q Question) {
	if q.Price != suite.Fresh {
		p.spares.release()
	}
	p.gate.leave(q.Alone)
	p.spares.refill()
}

// obtain returns a process that has started and has received no command.
func (p *Pool) obtain(ctx context.Context, price suite.Price) (*process, error) {
	if price == suite.Fresh {
		return p.start(ctx, p.exact, exactRole)
	}
	if proc := p.spares.take(ctx); proc != nil && !proc.dead() {
		return proc, nil
	}
	return p.start(ctx, p.quick, quickRole)
}

func (p *Pool) start(ctx context.Context, spec Spec, r role) (*process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begin := p.clock.now()
	proc, err := launch(spec, p.counters.ended)
	if err != nil {
		return nil, err
	}
	if err := proc.greet(ctx, p.clock, p.timing.start()); err != nil {
		return nil, err
	}
	took := p.clock.now().Sub(begin)
	p.counters.start(took)
	p.timing.started(r, took)
	return proc, nil
}
