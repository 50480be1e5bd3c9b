package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Lab runs orders of one module and stores fresh results, so that a proof need not repeat runs of
// the same job's diagnosis.
type Lab struct {
	Base project.Project // makes the runs
	log  *zap.Logger
	ends endings // of the project itself, not of patches
	// timed learns how long fresh runs take, and of how many tests; may be nil.
	timed func(tests int, took time.Duration)

	sequential atomic.Bool // results of parallel processes are distrusted

	site   repair.Site       // of the last proof; nil: none is open
	siteOf [sha256.Size]byte // its patch

	asking sync.Mutex // held while the suite's own order runs for baseline

	mu       sync.Mutex
	Original suite.Order             // the suite's own order
	own      *suite.Run              // its fresh run without a patch; nil: it did not run
	fresh    map[string][]*suite.Run // fresh runs without a patch, by order
	long     int                     // how many of them are runs of long orders
	patched  map[[sha256.Size]byte]*patchedRuns
	nanos    map[suite.TestID]int64 // how long tests last ran, with or without a patch
}

// Fresh runs are stored for proofs: all runs of orders with at most keepOrder tests, and keepLong
// runs of longer orders.
const (
	keepOrder = 64
	keepLong  = 8
)

var (
	_ repair.Runner   = (*Lab)(nil)
	_ diagnose.Runner = asker{}
)

// Run implements repair.Runner.
func (l *Lab) Run(ctx context.Context, o suite.Order, t repair.Trial) (*suite.Run, error) {
	run, err := l.run(ctx, o, t)
	if err == nil && t.Overlay == "" && t.Price == suite.Fresh {
		l.remember(o, run)
	}
	return run, err
}

// run is Run, and stores no result.
func (l *Lab) run(ctx context.Context, o suite.Order, t repair.Trial) (*suite.Run, error) {
	run, err := l.Base.Run(ctx, o, t)
	l.clock(run)
	if t.Overlay != "" {
		return run, err
	}
	l.ends.note(run)
	if err == nil && t.Price == suite.Fresh && l.timed != nil && run.Crash == nil {
		l.timed(len(o), time.Duration(run.Nanos))
	}
	return run, err
}

// clock records how long the tests of a run took.
func (l *Lab) clock(run *suite.Run) {
	if run == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.nanos == nil {
		l.nanos = map[suite.TestID]int64{}
	}
	for _, r := range run.Results {
		if r.Nanos > 0 {
			l.nanos[r.Test] = r.Nanos
		}
	}
}

// Took returns how long the tests of an order last ran, all together, as far as this is known.
func (l *Lab) Took(o suite.Order) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all int64
	for _, t := range o {
		all += l.nanos[t]
	}
	return time.Duration(all)
}

// Serial implements repair.Runner.
func (l *Lab) Serial() bool { return l.Base.Serial() }

// Series implements repair.Runner.
func (l *Lab) Series(ctx context.Context, o suite.Order, overlay string, next func(*suite.Run) (string, bool)) error {
	return l.Base.Series(ctx, o, overlay, next)
}

// Parallel implements repair.Runner.
func (l *Lab) Parallel() int { return l.Base.Parallel() }

// NoteEnding records what is unusual in a run that the lab did not make.
func (l *Lab) NoteEnding(run *suite.Run) { l.ends.note(run) }

// AsksSequentially reports whether every run is exclusive, as AskSequentially has asked.
func (l *Lab) AsksSequentially() bool { return l.sequential.Load() }

// remember stores a fresh run.
func (l *Lab) remember(o suite.Order, run *suite.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Equal(o, l.Original) {
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

// recall returns the stored fresh results of an order.
func (l *Lab) recall(o suite.Order) []*suite.Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.fresh[o.Key()])
}

// beginning returns what stored fresh runs show of an order with which they began. It is nil if
// there is no such run, or if they disagree.
func (l *Lab) beginning(o suite.Order) *suite.Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	begun := beginningOf(l.own, o)
	for _, runs := range l.fresh {
		for _, run := range runs {
			other := beginningOf(run, o)
			if other != nil && begun != nil && !sameOutcomes(begun, other) {
				return nil
			}
			begun = cmp.Or(begun, other)
		}
	}
	return begun
}

func sameOutcomes(a, b *suite.Run) bool {
	return slices.EqualFunc(a.Results, b.Results, func(x, y suite.Result) bool { return x.Outcome == y.Outcome })
}

// beginningOf returns the part of a run in which it ran an order. It is nil if the run did not
// begin with the order, or has no result of some test.
func beginningOf(run *suite.Run, o suite.Order) *suite.Run {
	if run == nil || len(run.Results) < len(o) || len(run.Order) < len(o) || !slices.Equal(run.Order[:len(o)], o) {
		return nil
	}
	out := &suite.Run{Order: o, Results: slices.Clone(run.Results[:len(o)]), Price: suite.Batched}
	for i, r := range out.Results {
		if r.Test != o[i] || r.Outcome == suite.Unresolved {
			return nil
		}
	}
	return out
}

// AskSequentially makes every later run exclusive. It forgets the results of parallel runs, which
// are no evidence any more.
func (l *Lab) AskSequentially() {
	if l.sequential.Swap(true) {
		return
	}
	l.Base.Sequential()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own, l.fresh, l.long, l.patched = nil, nil, 0, nil
}

// LeaveOut removes tests from the suite's own order that end their process there.
func (l *Lab) LeaveOut(tests []suite.TestID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kept := suite.Without(l.Original, tests); len(kept) < len(l.Original) {
		l.Original, l.own = kept, nil
	}
}

// Baseline returns the run of the suite's own order without any patch.
func (l *Lab) Baseline(ctx context.Context) (*suite.Run, error) {
	l.asking.Lock() // concurrent callers wait for the run in progress
	defer l.asking.Unlock()
	l.mu.Lock()
	own := l.own
	l.mu.Unlock()
	if own != nil {
		return own, nil
	}
	return l.Run(ctx, l.Original, repair.Trial{Price: suite.Fresh})
}

// asker is the lab for a diagnosis, without patches.
type asker struct{ l *Lab }

// Run answers a hint from a fresh run that began with the order, if there is one: a proof may have
// run the suite's own order. Stored runs may have run in parallel, so they are no answer if this
// run is to be exclusive.
func (a asker) Run(ctx context.Context, o suite.Order, p suite.Price, exclusive bool) (*suite.Run, error) {
	if p == suite.Batched && !exclusive && !a.l.sequential.Load() {
		if run := a.l.beginning(o); run != nil {
			return run, nil
		}
	}
	return a.l.Run(ctx, o, repair.Trial{Price: p, Alone: exclusive})
}

func (a asker) Parallel() int { return a.l.Parallel() }

// Asker returns the lab for a diagnosis, without patches.
func (l *Lab) Asker() diagnose.Runner { return asker{l} }

// plain is the unpatched project for one proof, always with fresh processes. It uses each fresh
// result of the same job once, so that repeats come from as many processes.
type plain struct {
	l     *Lab
	alone bool
	used  *usedRuns
}

// usedRuns are the results that a proof has used.
type usedRuns struct {
	mu   sync.Mutex
	runs map[*suite.Run]bool
}

// Plain returns the unpatched project for one proof.
func (l *Lab) Plain() repair.Site {
	return plain{l: l, used: &usedRuns{runs: map[*suite.Run]bool{}}}
}

// use marks the first of these results that is not used yet, and returns it; nil: there is none.
func (u *usedRuns) use(runs ...*suite.Run) *suite.Run {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, run := range runs {
		if !u.runs[run] {
			u.runs[run] = true
			return run
		}
	}
	return nil
}

func (p plain) Run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	if !p.alone {
		if run := p.used.use(p.l.recall(o)...); run != nil {
			return run, nil
		}
	}
	run, err := p.l.run(ctx, o, repair.Trial{Price: suite.Fresh, Alone: p.alone})
	if err == nil {
		p.used.use(run) // before it is stored
		p.l.remember(o, run)
	}
	return run, err
}

func (p plain) Alone() repair.Site { return plain{p.l, true, p.used} }

func (p plain) Parallel() int { return p.l.Parallel() }
func (p plain) Close() error  { return nil }
