package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// lab answers questions about one module: with the classes as they are, or
// with patched ones put before them.
type lab struct {
	base *harness.Pool
	log  *zap.Logger
	// spec makes the two commands for processes that see the overlay first.
	spec func(overlay string) (exact, quick harness.Spec, err error)
	tidy *tidy    // of the project's copy; nil: what tests write there stays
	ends *endings // told of every answer about the project as it is, none about patches

	isolated   bool        // the build gives every class a process of its own
	sequential atomic.Bool // answers of processes side by side did not hold
	litters    atomic.Bool // tests were seen to write into some copy of the project

	asking sync.Mutex // held while the suite's own order runs for baseline

	mu    sync.Mutex
	pools []*overlayPool // least recently used first

	original suite.Order             // the suite's own order
	own      *suite.Run              // what became of it without a patch, fresh; nil: never asked
	fresh    map[string][]*suite.Run // fresh answers without a patch, by order, that no proof has used yet
	long     int                     // how many of them are to long orders
}

// Fresh answers are kept for proofs: all to orders of at most keepOrder tests,
// and keepLong to longer ones.
const (
	keepOrder = 64
	keepLong  = 8
)

// overlayPool is a pool for one overlay and how many questions use it.
type overlayPool struct {
	overlay string
	pool    *harness.Pool
	users   int
}

// keepPools is how many overlays nobody asks about are kept.
const keepPools = 2

var (
	_ repair.Lab      = (*lab)(nil)
	_ diagnose.Runner = asker{}
)

// Run implements repair.Lab.
func (l *lab) Run(ctx context.Context, o suite.Order, t repair.Trial) (*suite.Run, error) {
	return l.run(ctx, o, t, false)
}

// run is Run, of which alone waits until nothing else runs.
func (l *lab) run(ctx context.Context, o suite.Order, t repair.Trial, alone bool) (*suite.Run, error) {
	q := harness.Question{Price: t.Price, Switches: t.Switches, Alone: alone || t.Alone || l.sequential.Load()}
	began := time.Now()
	defer func() {
		l.log.Debug("asked", zap.Int("tests", len(o)), zap.String("price", string(q.Price)), zap.Bool("patched", t.Overlay != ""), zap.Duration("took", time.Since(began)))
	}()
	if t.Overlay == "" {
		run, err := l.ask(ctx, l.base, l.tidy, o, q)
		l.ends.heard(run)
		if err == nil && t.Price == suite.Fresh {
			l.remember(o, run)
		}
		return run, err
	}
	p, err := l.take(t.Overlay)
	if err != nil {
		return nil, err
	}
	defer l.leave(p)
	return l.ask(ctx, p.pool, l.tidy, o, q)
}

// Serial implements repair.Lab. Where every class has a process of its own, there is none for an order of several.
func (l *lab) Serial() bool { return !l.isolated }

// Series implements repair.Lab.
func (l *lab) Series(ctx context.Context, o suite.Order, overlay string, next func(*suite.Run) (string, bool)) error {
	p, err := l.take(overlay)
	if err != nil {
		return err
	}
	defer l.leave(p)
	return l.tidy.run(l.sequential.Load(), suite.Batched, func() error {
		return p.pool.Series(ctx, o, harness.Question{Alone: l.sequential.Load()}, next)
	})
}

// ask runs the order in the pool's processes as the build would. They work in the folder that t keeps tidy. A test that
// seems to hang and may merely be slow is asked again, with more time, once what it wrote is put back.
func (l *lab) ask(ctx context.Context, p *harness.Pool, t *tidy, o suite.Order, q harness.Question) (*suite.Run, error) {
	run, err := l.askOnce(ctx, p, t, o, q)
	if err != nil || run.Crash == nil || !run.Crash.Premature {
		return run, err
	}
	l.log.Info("asking again with more time", zap.String("test", string(run.Crash.During)), zap.String("hang", run.Crash.Detail))
	q.MoreTime = true
	return l.askOnce(ctx, p, t, o, q)
}

func (l *lab) askOnce(ctx context.Context, p *harness.Pool, t *tidy, o suite.Order, q harness.Question) (run *suite.Run, err error) {
	err = t.run(q.Alone, q.Price, func() error {
		if l.isolated {
			side := p.Parallel()
			if t.seen() {
				side = 1
			}
			run, err = classwise(ctx, o, side, func(ctx context.Context, o suite.Order) (*suite.Run, error) { return p.Run(ctx, o, q) })
		} else {
			run, err = p.Run(ctx, o, q)
		}
		return err
	})
	return run, err
}

// Parallel implements repair.Lab.
func (l *lab) Parallel() int { return l.base.Parallel() }

// remember keeps a fresh answer.
func (l *lab) remember(o suite.Order, run *suite.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Equal(o, l.original) {
		l.own = run
	}
	if len(o) <= keepOrder || l.long < keepLong {
		if len(o) > keepOrder {
			l.long++
		}
		if l.fresh == nil {
			l.fresh = map[string][]*suite.Run{}
		}
		l.fresh[o.Key()] = append(l.fresh[o.Key()], run)
	}
}

// recall takes a fresh answer that was heard before, once.
func (l *lab) recall(o suite.Order) *suite.Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	heard := l.fresh[o.Key()]
	if len(heard) == 0 {
		return nil
	}
	l.fresh[o.Key()] = heard[1:]
	return heard[0]
}

// askInTurn makes every later order run by itself, and forgets what was heard
// while others ran beside: it is no evidence any more.
func (l *lab) askInTurn() {
	l.sequential.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own, l.fresh, l.long = nil, nil, 0
}

// leaveOut takes tests out of the suite's own order that end their process there.
func (l *lab) leaveOut(tests []suite.TestID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kept := without(l.original, tests); len(kept) < len(l.original) {
		l.original, l.own = kept, nil
	}
}

func without(o suite.Order, tests []suite.TestID) suite.Order {
	return slices.DeleteFunc(slices.Clone(o), func(t suite.TestID) bool { return slices.Contains(tests, t) })
}

// baseline is what becomes of the suite's own order without any patch.
func (l *lab) baseline(ctx context.Context) (*suite.Run, error) {
	l.asking.Lock() // whoever comes while it is being asked waits for the answer
	defer l.asking.Unlock()
	l.mu.Lock()
	own := l.own
	l.mu.Unlock()
	if own != nil {
		return own, nil
	}
	return l.Run(ctx, l.original, repair.Trial{Price: suite.Fresh})
}

func (l *lab) take(overlay string) (*overlayPool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, p := range l.pools {
		if p.overlay == overlay {
			l.pools = append(slices.Delete(l.pools, i, i+1), p)
			p.users++
			return p, nil
		}
	}
	exact, quick, err := l.spec(overlay)
	if err != nil {
		return nil, err
	}
	pool, err := l.base.With(exact, quick)
	if err != nil {
		return nil, err
	}
	p := &overlayPool{overlay: overlay, pool: pool.NoSpares(), users: 1}
	l.pools = append(l.pools, p)
	l.prune(keepPools)
	return p, nil
}

func (l *lab) leave(p *overlayPool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.users--
	l.prune(keepPools)
}

// prune closes the pools used longest ago until at most keep are left that
// nobody uses. The lock is held.
func (l *lab) prune(keep int) {
	for i := 0; i < len(l.pools) && len(l.pools) > keep; {
		if l.pools[i].users > 0 {
			i++
			continue
		}
		pool := l.pools[i].pool
		l.pools = slices.Delete(l.pools, i, i+1)
		go func() { _ = pool.Close() }()
	}
}

// Close ends every process.
func (l *lab) Close() error {
	l.mu.Lock()
	pools := l.pools
	l.pools = nil
	l.mu.Unlock()
	for _, p := range pools {
		_ = p.pool.Close()
	}
	return l.base.Close()
}

// asker is the lab as a diagnosis sees it: no patches.
type asker struct{ l *lab }

func (a asker) Run(ctx context.Context, o suite.Order, p suite.Price) (*suite.Run, error) {
	return a.l.Run(ctx, o, repair.Trial{Price: p})
}

func (a asker) Parallel() int { return a.l.Parallel() }

// plain is the unpatched project as a proof sees it: always fresh. What the
// diagnosis of the same job heard from fresh processes counts, each answer once.
type plain struct {
	l     *lab
	alone bool
}

func (p plain) Run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	if p.alone {
		return p.l.run(ctx, o, repair.Trial{Price: suite.Fresh}, true)
	}
	if run := p.l.recall(o); run != nil {
		return run, nil
	}
	return p.l.Run(ctx, o, repair.Trial{Price: suite.Fresh})
}

func (p plain) Alone() repair.Site { return plain{p.l, true} }

func (p plain) Parallel() int { return p.l.Parallel() }
func (p plain) Close() error  { return nil }
