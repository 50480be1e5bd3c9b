package cohort

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/odfix/odfix/internal/suite"
)

// Runner runs an order in one process whose state is new.
type Runner interface {
	Run(ctx context.Context, o suite.Order, p suite.Price) (*suite.Run, error)
	Parallel() int
}

// Member is a test that was shown to have the cause.
type Member struct {
	Test    suite.TestID
	Failure *suite.Failure // its first one
}

// Confirm runs the tests after the cause and without it, rerun fresh processes each, and returns
// the members: tests with one outcome each time after the cause and the other one each time
// without. Setter says that the cause makes tests pass. It ends early where no test is left. The
// error is the Runner's, or the context's.
func Confirm(ctx context.Context, r Runner, cause, tests suite.Order, setter bool, rerun int) ([]Member, error) {
	e := &experiment{
		runner: r, orders: [2]suite.Order{suite.Join(cause, tests), tests}, from: [2]int{len(cause), 0},
		want: [2]suite.Outcome{suite.Fail, suite.Pass}, agrees: make([]bool, len(tests)), failures: make([]*suite.Failure, len(tests)),
	}
	if setter {
		e.want = [2]suite.Outcome{suite.Pass, suite.Fail}
	}
	for i := range e.agrees {
		e.agrees[i] = true
	}
	for i := range rerun {
		if !slices.Contains(e.agrees, true) {
			break
		}
		if err := e.both(ctx, i > 0 && r.Parallel() > 1); err != nil {
			return nil, err
		}
	}
	var out []Member
	for i, t := range tests {
		if e.agrees[i] {
			out = append(out, Member{t, e.failures[i]})
		}
	}
	return out, nil
}

// experiment is two orders that differ in a cause only, and what they showed so far.
type experiment struct {
	runner Runner
	orders [2]suite.Order
	from   [2]int // where the tests begin
	want   [2]suite.Outcome

	mu       sync.Mutex
	agrees   []bool // by test: it had the wanted outcome each time
	failures []*suite.Failure
}

// both runs both orders once.
func (e *experiment) both(ctx context.Context, beside bool) error {
	if !beside {
		if err := e.run(ctx, 0); err != nil || !slices.Contains(e.agrees, true) {
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
	for i := range e.agrees {
		at := e.from[which] + i
		res := run.At(at)
		if res.Test != "" && res.Test != o[at] { // the process ran another test there
			res = suite.Result{Outcome: suite.Unresolved}
		}
		e.agrees[i] = e.agrees[i] && res.Outcome == e.want[which]
		if e.failures[i] == nil && res.Outcome == suite.Fail {
			e.failures[i] = res.Failure
		}
	}
	return nil
}
