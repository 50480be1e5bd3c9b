package java

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/runner/junit"
)

// agents are the pools of processes with the state agent. They exist as long as the project. They
// start no process in advance.
type agents struct {
	mu              sync.Mutex
	quick, ordinary *harness.Pool
}

func (a *agents) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, pool := range []*harness.Pool{a.quick, a.ordinary} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	a.quick, a.ordinary = nil, nil
	return errors.Join(errs...)
}

// observers returns a pool whose processes observe static fields only. Quick processes run without
// the optimising compiler. In suites that run for less than minutes, this compiler costs more than
// it gains. Observed runs prove nothing.
func (p *Project) observers(quick bool) (_ *harness.Pool, err error) {
	p.agents.mu.Lock()
	defer p.agents.mu.Unlock()
	at := &p.agents.ordinary
	if quick {
		at = &p.agents.quick
	}
	if *at == nil {
		*at, err = p.withAgent("", "", "", quick)
	}
	return *at, err
}

// Observe implements project.Observer.
func (p *Project) Observe(ctx context.Context, o suite.Order, look project.Look) (*project.Observation, error) {
	alone := look.Alone || p.sequential.Load()
	if !look.Contents {
		pool, err := p.observers(!look.Suite)
		if err != nil {
			return nil, explained(err)
		}
		seen, err := p.watch(ctx, pool, o, alone, look.Within)
		if err != nil {
			return nil, err
		}
		seen.Heap = nil
		return seen, nil
	}
	options, err := p.agentFile(look)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(options) }()
	folder := ""
	if look.Suite { // files that tests make among temporary files are compared, too
		own, err := newTemporary()
		if err != nil {
			return nil, err
		}
		defer func() { _ = own.Close() }()
		folder = own.dir
	}
	pool, err := p.withAgent(options, folder, look.Overlay, true)
	if err != nil {
		return nil, explained(err)
	}
	defer func() { _ = pool.Close() }()
	return p.watch(ctx, pool, o, alone, look.Within)
}

// watch runs the order in an observed process. If the order runs again, watch drops the reports of
// the first run.
func (p *Project) watch(ctx context.Context, pool *harness.Pool, o suite.Order, alone bool, within time.Duration) (*project.Observation, error) {
	began := time.Now()
	var l listener
	var run *suite.Run
	err := p.tidy.run(alone, suite.Fresh, func() (err error) {
		left := within
		if within > 0 {
			left = max(within-time.Since(began), time.Second)
		}
		l = listener{order: o, within: left, to: state.NewTrace(o, p.groups), heap: state.NewHeap(o, p.groups)}
		run, err = l.run(ctx, pool)
		return err
	})
	p.log.Debug("observed an order", zap.Int("tests", len(o)), zap.Duration("took", time.Since(began)))
	if err != nil {
		return nil, refused(err)
	}
	return &project.Observation{Trace: l.to, Heap: l.heap, Run: run}, nil
}

// RunRestored implements project.Observer.
func (p *Project) RunRestored(ctx context.Context, o suite.Order, places []string, before int) (run *suite.Run,
	restored []project.Restored, err error) {
	pool, err := p.observers(false)
	if err != nil {
		return nil, nil, explained(err)
	}
	began := time.Now()
	var all []harness.Restored
	err = p.tidy.run(p.sequential.Load(), suite.Fresh, func() (err error) {
		run, all, err = pool.RestoreRun(ctx, o, harness.Restore{Fields: places, Before: before})
		return err
	})
	p.log.Debug("restored state", zap.Int("tests", len(o)), zap.Int("fields", len(places)), zap.Duration("took", time.Since(began)))
	for _, r := range all {
		restored = append(restored, project.Restored{Field: r.Field, Changed: r.Changed, OtherLoader: r.Elsewhere, Problem: r.Problem})
	}
	return run, restored, refused(err)
}

var _ project.Initialiser = (*Project)(nil)

// RunInitialised implements project.Initialiser.
func (p *Project) RunInitialised(ctx context.Context, o suite.Order, classes []string) (run *suite.Run, failed []string, err error) {
	const place = "class "
	var places []string
	for _, c := range classes {
		places = append(places, place+c)
	}
	run, problems, err := p.RunRestored(ctx, o, places, 0)
	for _, r := range problems {
		failed = append(failed, strings.TrimPrefix(r.Field, place))
	}
	return run, failed, err
}

// FilesLeft implements project.Observer.
func (p *Project) FilesLeft(ctx context.Context, o suite.Order) ([]string, error) {
	var run *suite.Run
	files, err := p.tidy.left(func() (err error) {
		run, err = p.ask(ctx, p.base, folder{}, o, harness.Question{Price: suite.Fresh, Alone: p.sequential.Load()})
		return err
	})
	if err != nil {
		return nil, err
	}
	if run.Crash != nil {
		return nil, fmt.Errorf("the files that tests leave are not known, because their process ended: %s", run.Crash.Detail)
	}
	return files, nil
}

// withAgent returns a pool whose processes have the state agent. They use the given folder for
// temporary files, unless the build sets one. Without a folder, they use the machine's. The classes
// of the overlay, if there is one, come first.
func (p *Project) withAgent(options, temporary, overlay string, quick bool) (*harness.Pool, error) {
	agent, err := junit.Unpack(filepath.Dir(filepath.Dir(p.jar)), junit.State)
	if err != nil {
		return nil, err
	}
	jvm := p.jvm(p.launch)
	jvm.Agent, jvm.AgentFile, jvm.Quick = agent, options, quick
	if overlay != "" {
		jvm.Overlay = []string{overlay}
	}
	const tmpdir = "java.io.tmpdir"
	if own := jvm.Properties[tmpdir] != "" ||
		slices.ContainsFunc(jvm.Args, func(a string) bool { return strings.HasPrefix(a, "-D"+tmpdir+"=") }); temporary != "" && !own {
		jvm.Properties[tmpdir] = temporary
	}
	spec, err := jvm.Spec()
	if err != nil {
		return nil, err
	}
	pool, err := p.base.With(spec, spec)
	if err != nil {
		return nil, err
	}
	return pool.NoSpares(), nil
}

// listener writes what a process reports into a trace, and captures of the heap into a Heap.
type listener struct {
	order  suite.Order
	within time.Duration // see project.Look
	to     *state.Trace
	heap   *state.Heap
}

var (
	_ harness.HeapObserver  = listener{}
	_ harness.ClassObserver = listener{}
)

// run runs the order and records which tests failed.
func (l listener) run(ctx context.Context, pool *harness.Pool) (*suite.Run, error) {
	run, err := pool.Observe(ctx, l.order, l, l.within)
	if err != nil {
		return nil, err
	}
	for i, res := range run.Results {
		if res.Outcome == suite.Fail {
			l.to.Failed(i)
		}
	}
	return run, nil
}

func (l listener) Field(_ int, name string, ambient bool) { l.to.Field(name, ambient) }
func (l listener) Initialised(class string)               { l.to.Initialised(class) }
func (l listener) Note(text string)                       { l.to.Note(text) }
func (l listener) Segment(s state.Segment)                { l.to.Segment(s) }
func (l listener) Capture(c state.Capture)                { l.heap.Capture(c) }
