package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/runner/junit"
)

// maxRestarts is how many processes of an observed run may end early before the
// rest of the suite is left unobserved.
const maxRestarts = 20

// maxRelated is how many tests are related with each other: a relation takes memory for their square.
const maxRelated = 30_000

// relation runs the suite in its own order, observed, and says what its tests
// do with static state.
func (p *project) relation(ctx context.Context, w *worker) (*state.Relation, error) {
	r, _, err := p.observed(ctx, w, p.original, nil)
	return r, err
}

// observed runs the tests in this order, observed. Where a process ends early, another one goes on behind the
// test that ended it. With a file of the agent's options it also tells what became of the heap.
func (p *project) observed(ctx context.Context, w *worker, tests suite.Order, look *heapLook) (_ *state.Relation, _ []*state.Heap, err error) {
	if n := len(tests); n > maxRelated {
		return nil, nil, &job.Error{
			Code: "too-many-tests", Message: fmt.Sprintf("%d tests are too many to be related with each other by what they do with static state: %d is the most", n, maxRelated),
			Hint: "Ask for a technique that needs no observation, such as " + string(order.TechniqueIntraClass) + ".",
		}
	}
	w.say(job.Event{Message: fmt.Sprintf("observing what %d tests do with static state", len(tests))})
	began := time.Now()
	folder, options := "", ""
	if look != nil {
		options = look.options
		own, err := newTemporary()
		if err != nil {
			return nil, nil, err
		}
		defer func() { _ = own.Close() }()
		folder = own.dir
	}
	pool, err := p.withAgent(options, folder, options != "")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = pool.Close() }()
	orders := []suite.Order{tests}
	if p.isolated {
		orders = p.groups.Split(tests)
	}
	var traces []*state.Trace
	var heaps []*state.Heap
	for endings := 0; len(orders) > 0; orders = orders[1:] {
		// By itself, so that it need not be repeated: what the first one left elsewhere the second would find.
		l, run, err := p.watch(ctx, pool, orders[0], look, look != nil || p.lab.sequential.Load())
		if err != nil {
			return nil, nil, err
		}
		traces, heaps = append(traces, l.to), append(heaps, l.heap)
		rest, note := unseen(run)
		if note != "" {
			l.to.Note(note)
			l.heap.EndedEarly()
			endings++
		}
		if len(rest) > 0 && endings <= maxRestarts {
			orders = slices.Insert(orders, 1, rest)
		} else if len(rest) > 0 {
			l.to.Note(fmt.Sprintf("%d tests from %s on were not observed", len(rest), rest[0]))
		}
	}
	r := state.Relate(traces...)
	r.Apart = p.isolated
	w.log.Info("observed", zap.Int("tests", len(r.Tests)), zap.Int("places", len(r.Places)), zap.Any("pairs", r.Count()), zap.Duration("took", time.Since(began)), zap.Strings("notes", r.Notes))
	return r, heaps, nil
}

// traced is what one process said of an order.
func (p *project) traced(ctx context.Context, pool *harness.Pool, o suite.Order) (*state.Trace, *suite.Run, error) {
	l, run, err := p.watch(ctx, pool, o, nil, p.lab.sequential.Load())
	return l.to, run, err
}

// heapLook is how the heap is looked at in an observed process, too.
type heapLook struct {
	options string       // the agent's file of options
	files   func() error // lists the files that there are, where somebody asks: right before a process begins
}

// watch runs the order in an observed process; where it has to run once more, what the first one said is forgotten.
func (p *project) watch(ctx context.Context, pool *harness.Pool, o suite.Order, look *heapLook, alone bool) (l listener, run *suite.Run, err error) {
	err = p.lab.tidy.run(alone, suite.Fresh, func() (err error) {
		l = newListener(o, p.groups)
		if look != nil {
			if err := look.files(); err != nil {
				return err
			}
		}
		run, err = l.run(ctx, pool)
		return err
	})
	return l, run, err
}

// restorers is a pool whose processes are launched as the build does, with the agent beside.
func (p *project) restorers() (*harness.Pool, error) { return p.withAgent("", "", false) }

// observers is a pool whose processes are observed in short orders; where options is a file, the agent looks at the heap, too.
// They go without the optimising compiler: it costs more than it gains until a suite has worked for minutes. What is observed is no claim.
func (p *project) observers(options string) (*harness.Pool, error) {
	return p.withAgent(options, "", true)
}

// withAgent is a pool whose processes have the agent beside. They have the folder for
// temporary files to themselves, where the build gives them none: in the machine's, others work, too.
func (p *project) withAgent(options, temporary string, quick bool) (*harness.Pool, error) {
	agent, err := junit.Unpack(filepath.Dir(filepath.Dir(p.jar)), junit.State)
	if err != nil {
		return nil, err
	}
	jvm := p.jvm(p.launch)
	jvm.Agent, jvm.AgentFile, jvm.Quick = agent, options, quick
	const tmpdir = "java.io.tmpdir"
	if own := jvm.Properties[tmpdir] != "" || slices.ContainsFunc(jvm.Args, func(a string) bool { return strings.HasPrefix(a, "-D"+tmpdir+"=") }); temporary != "" && !own {
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

// unseen are the tests behind the one that ended the process.
func unseen(run *suite.Run) (rest suite.Order, note string) {
	if run.Crash == nil {
		return nil, ""
	}
	at := slices.IndexFunc(run.Results, func(r suite.Result) bool { return r.Outcome == suite.Unresolved })
	if at < 0 {
		return nil, ""
	}
	why, _, _ := strings.Cut(run.Crash.Detail, "\n")
	return run.Order[at+1:], fmt.Sprintf("the process that was observed ended in %s: %s", run.Order[at], why)
}

// listener writes what a process says into a trace, and where it looks at the heap into captures.
type listener struct {
	order suite.Order
	to    *state.Trace
	heap  *state.Heap
}

var _ harness.HeapObserver = listener{}

func newListener(o suite.Order, groups *suite.Groups) listener {
	return listener{order: o, to: state.NewTrace(o, groups), heap: state.NewHeap(o, groups)}
}

// run runs the order.
func (l listener) run(ctx context.Context, pool *harness.Pool) (*suite.Run, error) {
	run, err := pool.Observe(ctx, l.order, l)
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

func (l listener) Place(_ int, name string, ambient bool) { l.to.Place(name, ambient) }
func (l listener) Note(text string)                       { l.to.Note(text) }

func (l listener) Segment(s harness.Segment) {
	values := make([]state.Value, len(s.Values))
	for i, v := range s.Values {
		values[i] = state.Value(v)
	}
	l.to.Segment(state.Segment{
		Kind: s.Kind, Position: s.Position, Read: s.Read, Written: s.Written,
		InitRead: s.InitRead, InitWrite: s.InitWrite, Values: values,
	})
}

func (l listener) Capture(c harness.Capture) {
	changes := make([]state.Change, len(c.Changes))
	for i, ch := range c.Changes {
		changes[i] = state.Change(ch)
	}
	l.heap.Capture(state.Capture{
		Kind: c.Kind, Position: c.Position, Objects: c.Objects, Roots: c.Roots, Cut: c.Cut, Micros: c.Micros, Changes: changes,
	})
}
