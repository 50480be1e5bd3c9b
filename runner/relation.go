package main

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
// do with static state. Where a process ends early, another one goes on behind the
// test that ended it.
func (p *project) relation(ctx context.Context, w *worker) (*state.Relation, error) {
	if n := len(p.original); n > maxRelated {
		return nil, &job.Error{
			Code: "too-many-tests", Message: fmt.Sprintf("%d tests are too many to be related with each other by what they do with static state: %d is the most", n, maxRelated),
			Hint: "Ask for a technique that needs no observation, such as " + string(order.TechniqueIntraClass) + ".",
		}
	}
	w.say(job.Event{Message: fmt.Sprintf("observing what %d tests do with static state", len(p.original))})
	began := time.Now()
	pool, err := p.observers()
	if err != nil {
		return nil, err
	}
	defer func() { _ = pool.Close() }()
	orders := []suite.Order{p.original}
	if p.isolated {
		orders = suite.ByVisit(p.original)
	}
	var traces []*state.Trace
	for endings := 0; len(orders) > 0; orders = orders[1:] {
		t, run, err := traced(ctx, pool, orders[0])
		if err != nil {
			return nil, err
		}
		traces = append(traces, t)
		rest, note := unseen(run)
		if note != "" {
			t.Note(note)
			endings++
		}
		if len(rest) > 0 && endings <= maxRestarts {
			orders = slices.Insert(orders, 1, rest)
		} else if len(rest) > 0 {
			t.Note(fmt.Sprintf("%d tests from %s on were not observed", len(rest), rest[0]))
		}
	}
	r := state.Relate(traces...)
	r.Apart = p.isolated
	w.log.Info("observed", zap.Int("tests", len(r.Tests)), zap.Int("places", len(r.Places)), zap.Any("pairs", r.Count()), zap.Duration("took", time.Since(began)), zap.Strings("notes", r.Notes))
	return r, nil
}

// traced is what one process said of an order.
func traced(ctx context.Context, pool *harness.Pool, o suite.Order) (*state.Trace, *suite.Run, error) {
	t := state.NewTrace(o)
	run, err := pool.Observe(ctx, o, listener{t})
	if err != nil {
		return nil, nil, err
	}
	for i, res := range run.Results {
		if res.Outcome == suite.Fail {
			t.Failed(i)
		}
	}
	return t, run, nil
}

// observers is a pool whose processes are launched as the build does, with the agent beside.
func (p *project) observers() (*harness.Pool, error) {
	agent, err := junit.Unpack(filepath.Dir(filepath.Dir(p.jar)), junit.State)
	if err != nil {
		return nil, err
	}
	jvm := p.jvm(p.launch)
	jvm.Agent = agent
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

// listener writes what a process says into a trace.
type listener struct{ to *state.Trace }

var _ harness.Observer = listener{}

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
