package java

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// processes run orders of one module. They use the classes of the build, or patched classes that
// come first on the class path.
type processes struct {
	base *harness.Pool
	log  *zap.Logger
	// spec makes the two commands for processes whose class path begins with the overlay.
	spec           func(overlay string) (exact, quick harness.Spec, err error)
	tree, checkout string       // folders of the copy and of the project
	copies         *laterCopies // nil: all processes work in one folder
	tidy           *tidy        // of the project's copy; nil: what tests write there stays

	isolated   bool        // the build gives every class a process of its own
	sequential atomic.Bool // every run waits until no other is under way
	testsWrite atomic.Bool // tests were seen to write into some copy of the project

	mu    sync.Mutex
	notes []string
	pools []*overlayPool // least recently used first
}

var _ repair.Runner = (*processes)(nil)

// overlayPool is a pool for one overlay and how many runs use it.
type overlayPool struct {
	overlay string
	pool    *harness.Pool
	users   int
}

// keepPools is how many overlays that no run uses are kept.
const keepPools = 2

// Run implements repair.Runner.
func (l *processes) Run(ctx context.Context, o suite.Order, t repair.Trial) (run *suite.Run, err error) {
	defer func() { relocate(run, l.tree, l.checkout) }()
	q := harness.Question{Price: t.Price, Switches: t.Switches, Alone: t.Alone || l.sequential.Load()}
	began := time.Now()
	defer func() {
		l.log.Debug("asked", zap.Int("tests", len(o)), zap.String("price", string(q.Price)),
			zap.Bool("patched", t.Overlay != ""), zap.Duration("took", time.Since(began)))
	}()
	return again(func() (*suite.Run, error) {
		if c := l.workingCopies(ctx, q); c != nil {
			return c.run(ctx, o, q, t.Overlay)
		}
		if t.Overlay == "" {
			return l.ask(ctx, l.base, folder{l.tidy, false}, o, q)
		}
		p, err := l.take(t.Overlay)
		if err != nil {
			return nil, err
		}
		defer l.leave(p)
		return l.ask(ctx, p.pool, folder{l.tidy, false}, o, q)
	})
}

// errMet says that the process of a run may have seen files of other processes. Tests are known to
// write then, so the next run has a folder for itself.
var errMet = errors.New("the process shared a folder with others whose tests write there")

// again calls run once more where its process may have seen files of others.
func again(run func() (*suite.Run, error)) (*suite.Run, error) {
	out, err := run()
	if errors.Is(err, errMet) {
		return run()
	}
	return out, err
}

// Serial implements repair.Runner. A process runs several orders only if the build does not start a
// process for each class.
func (l *processes) Serial() bool { return !l.isolated }

// Series implements repair.Runner.
func (l *processes) Series(ctx context.Context, o suite.Order, overlay string, next func(*suite.Run) (string, bool)) error {
	p, err := l.take(overlay)
	if err != nil {
		return err
	}
	defer l.leave(p)
	err = l.tidy.run(l.sequential.Load(), suite.Batched, func() error {
		return p.pool.Series(ctx, o, harness.Question{Alone: l.sequential.Load()}, next)
	})
	return refused(err)
}

// folder is where processes run.
type folder struct {
	*tidy
	own bool // no other process works there meanwhile
}

// ask runs the order in the pool's processes as the build would, in a folder. If a test seems to hang
// and may only be slow, ask undoes what it wrote and runs the order again with more time. The error
// is errMet if the process may have seen files of others.
func (l *processes) ask(ctx context.Context, p *harness.Pool, f folder, o suite.Order, q harness.Question) (*suite.Run, error) {
	run, err := l.askOnce(ctx, p, f, o, q)
	if err != nil || run.Crash == nil || !run.Crash.Premature {
		return run, refused(err)
	}
	l.log.Info("asking again with more time", zap.String("test", string(run.Crash.During)), zap.String("hang", run.Crash.Detail))
	q.MoreTime = true
	run, err = l.askOnce(ctx, p, f, o, q)
	return run, refused(err)
}

func (l *processes) askOnce(ctx context.Context, p *harness.Pool, f folder, o suite.Order, q harness.Question) (run *suite.Run, err error) {
	several := false // processes of this order ran beside each other
	met, err := f.once(q.Alone || f.own, q.Price, func() error {
		if l.isolated {
			side := sideBySide(p.Parallel(), f, q)
			several = side > 1
			run, err = classwise(ctx, o, side, func(ctx context.Context, o suite.Order) (*suite.Run, error) { return p.Run(ctx, o, q) })
		} else {
			run, err = p.Run(ctx, o, q)
		}
		return err
	})
	if err == nil && (met || several && f.knownToWrite()) { // in an earlier run of another order, or in this one
		err = errMet
	}
	return run, err
}

// sideBySide returns how many processes of one order run beside each other, if each class has one.
func sideBySide(parallel int, f folder, q harness.Question) int {
	if q.Alone || f.own || f.knownToWrite() {
		return 1
	}
	return parallel
}

// Parallel implements repair.Runner.
func (l *processes) Parallel() int { return l.base.Parallel() }

// Sequential implements project.Project.
func (l *processes) Sequential() { l.sequential.Store(true) }

// Stats implements project.Project.
func (l *processes) Stats() project.Stats {
	s := l.base.Stats()
	out := project.Stats{Questions: s.Questions, Tests: s.Tests, Starts: s.Starts, Processor: s.Processor}
	out.Copies = l.copies.count()
	return out
}

// Notes implements project.Project.
func (l *processes) Notes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.notes)
}

func (l *processes) note(sentence string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, sentence)
}

func (l *processes) take(overlay string) (*overlayPool, error) {
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

func (l *processes) leave(p *overlayPool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.users--
	l.prune(keepPools)
}

// prune closes the least recently used pools without users until at most keep pools are left. The
// caller holds the lock.
func (l *processes) prune(keep int) {
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

// close ends every process.
func (l *processes) close() error {
	l.mu.Lock()
	pools := l.pools
	l.pools = nil
	l.mu.Unlock()
	for _, p := range pools {
		_ = p.pool.Close()
	}
	l.copies.close()
	return l.base.Close()
}
