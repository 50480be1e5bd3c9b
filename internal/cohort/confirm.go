package cohort

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/odfix/odfix/internal/suite"
)

// Runner runs an order in one new process.
type Runner interface {
	Run(ctx context.Context, o suite.Order, p suite.Price) (*suite.Run, error)
	Parallel() int
}

// Member is a test that was shown to have the cause.
type Member struct {
	Test    suite.TestID
	Failure *suite.Failure // the first one seen
}

// Confirm runs the tests after the cause and without it (see Compare). Setter says that the cause
// makes tests pass.
func Confirm(ctx context.Context, r Runner, cause, tests suite.Order, setter bool, rerun int) ([]Member, error) {
	want := suite.Fail
	if setter {
		want = suite.Pass
	}
	return Compare(ctx, r, Orders{
		First: suite.Join(cause, tests), Second: tests, Tests: tests, Want: func(suite.TestID) suite.Outcome { return want }, Rerun: rerun,
	})
}

// Orders are two orders that differ in what may be the cause.
type Orders struct {
	First, Second suite.Order
	Tests         suite.Order // tests that are in both orders
	// Want is the outcome of a member in the first order. A member has the opposite outcome in the
	// second.
	Want  func(suite.TestID) suite.Outcome
	Rerun int // runs of each order
	Had   int // earlier runs of the first order, with the outcomes that Want returns
}

// Compare runs both orders in fresh processes and returns the members: tests with the wanted
// outcome in each run of the first order, and the opposite one in each run of the second. It stops
// early if no test is left. The error comes from the Runner or the context.
func Compare(ctx context.Context, r Runner, in Orders) ([]Member, error) {
	e := &experiment{runner: r, orders: [2]suite.Order{in.First, in.Second}, tests: make([]observed, len(in.Tests)), open: len(in.Tests)}
	for which, o := range e.orders {
		at := make(map[suite.TestID]int, len(o))
		for i, t := range o {
			at[t] = i
		}
		for i, t := range in.Tests {
			e.tests[i].at[which] = at[t]
		}
	}
	for i, t := range in.Tests {
		e.tests[i].want = [2]suite.Outcome{suite.Fail, suite.Pass}
		if in.Want(t) == suite.Pass {
			e.tests[i].want = [2]suite.Outcome{suite.Pass, suite.Fail}
		}
	}
	for i := 0; i < in.Rerun && e.open > 0; i++ {
		if err := e.both(ctx, i < in.Had, i > in.Had && r.Parallel() > 1); err != nil {
			return nil, err
		}
	}
	var out []Member
	for i, t := range e.tests {
		if !t.out {
			out = append(out, Member{in.Tests[i], t.failure})
		}
	}
	return out, nil
}

// experiment is a comparison of two orders in progress.
type experiment struct {
	runner Runner
	orders [2]suite.Order

	mu    sync.Mutex
	tests []observed
	open  int // tests that may be members
}

// observed is what is known of one test. Arrays have one entry for each order.
type observed struct {
	at      [2]int // its position
	want    [2]suite.Outcome
	failure *suite.Failure
	out     bool // it is no member
}

// both runs both orders once. If had is set, the first order has run before, and only the second
// runs.
func (e *experiment) both(ctx context.Context, had, beside bool) error {
	if had {
		return e.run(ctx, 1)
	}
	if !beside {
		if err := e.run(ctx, 0); err != nil || e.open == 0 {
			return err
		}
		return e.run(ctx, 1)
	}
	errs := make(chan error, 2)
	for i := range e.orders {
		go func() { errs <- e.run(ctx, i) }()
	}
	return errors.Join(<-errs, <-errs)
}

func (e *experiment) run(ctx context.Context, which int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := e.orders[which]
	run, err := e.runner.Run(ctx, o, suite.Fresh)
	if err != nil {
		return fmt.Errorf("running %d tests: %w", len(o), err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.tests {
		t := &e.tests[i]
		at := t.at[which]
		res := run.At(at)
		if res.Test != "" && res.Test != o[at] { // the process ran another test there
			res = suite.Result{Outcome: suite.Unresolved}
		}
		if t.failure == nil && res.Outcome == suite.Fail {
			t.failure = res.Failure
		}
		if !t.out && res.Outcome != t.want[which] {
			t.out = true
			e.open--
		}
	}
	return nil
}
