package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/odfix/odfix/internal/suite"
)

// Crowd is what is asked of Together.
type Crowd struct {
	Groups *suite.Groups // for sentences; nil: tests are called by their ids
	// Cause is a polluter (Setters: a state-setter) that was confirmed for a test like these.
	Cause   suite.Order
	Setters bool
	// Tests are in the order in which they are to run behind it, those of the visit of its last test first. None is in Cause.
	Tests suite.Order
	// Rerun is how many fresh processes must agree on each outcome; below 1 means DefaultRerun.
	Rerun int
}

// Shared is the answer of Together: one order of many tests behind their cause, and the same without it.
type Shared struct {
	With, Without suite.Order
	Repeats       int // of each
	// Tests are those who fared otherwise in the two each time. They share the two orders, so that theirs hold none.
	Tests []TestResult
}

// Together shows for many tests at once that a cause known from one of them is theirs: they run behind it, and without it, in
// orders that differ in nothing else, each Rerun times; the first time with nothing beside. Each order shows it of all, where
// asking for every test by itself takes several processes each. Who fares otherwise only behind others of them, or puts
// the state in order, may be missed, and is left to be asked by itself. It ends early where nobody is left. The error is the Runner's, or the context's.
func Together(ctx context.Context, r Runner, in Crowd) (*Shared, error) {
	rerun := in.Rerun
	if rerun < 1 {
		rerun = DefaultRerun
	}
	out := &Shared{With: suite.Join(in.Cause, in.Tests), Without: in.Tests, Repeats: rerun}
	pair := &pairing{runner: r, orders: [2]suite.Order{out.With, out.Without}, from: [2]int{len(in.Cause), 0}}
	pair.want = [2]suite.Outcome{suite.Fail, suite.Pass}
	if in.Setters {
		pair.want = [2]suite.Outcome{suite.Pass, suite.Fail}
	}
	pair.same = make([]bool, len(in.Tests))
	pair.failures = make([]*suite.Failure, len(in.Tests))
	for i := range pair.same {
		pair.same[i] = true
	}
	for i := range rerun {
		if !slices.Contains(pair.same, true) {
			break
		}
		if err := pair.run(ctx, i > 0 && r.Parallel() > 1); err != nil {
			return nil, err
		}
	}
	for i, t := range in.Tests {
		if pair.same[i] {
			out.Tests = append(out.Tests, in.result(t, pair.failures[i], rerun))
		}
	}
	return out, nil
}

// result is the verdict on one of them.
func (in Crowd) result(t suite.TestID, failure *suite.Failure, rerun int) TestResult {
	verdict, with, without := Victim, "fails", "passes"
	res := TestResult{Test: t, Failure: failure, Polluters: []suite.Order{in.Cause}}
	if in.Setters {
		verdict, with, without = Brittle, without, with
		res.Polluters, res.StateSetters = nil, []suite.Order{in.Cause}
	}
	res.Verdict = verdict
	res.Reason = fmt.Sprintf("%s with %s in front of it and of others like it (%d of %d), %s in the same order without (%d of %d)", with, in.Groups.Names(in.Cause), rerun, rerun, without, rerun, rerun)
	return res
}

// pairing is two orders that differ in a cause only, and what they showed so far.
type pairing struct {
	runner Runner
	orders [2]suite.Order
	from   [2]int // where the tests begin
	want   [2]suite.Outcome

	mu       sync.Mutex
	same     []bool // by test: it fared as wanted each time
	failures []*suite.Failure
}

// run runs both once.
func (p *pairing) run(ctx context.Context, beside bool) error {
	if !beside {
		if err := p.one(ctx, 0); err != nil || !slices.Contains(p.same, true) {
			return err
		}
		return p.one(ctx, 1)
	}
	errs := make(chan error, 2)
	for i := range p.orders {
		go func() { errs <- p.one(ctx, i) }()
	}
	return errors.Join(<-errs, <-errs)
}

func (p *pairing) one(ctx context.Context, which int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := p.orders[which]
	run, err := p.runner.Run(ctx, o, suite.Fresh)
	if err != nil {
		return fmt.Errorf("running %d tests: %w", len(o), err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.same {
		res := at(o, run, p.from[which]+i)
		p.same[i] = p.same[i] && res.Outcome == p.want[which]
		if p.failures[i] == nil && res.Outcome == suite.Fail {
			p.failures[i] = res.Failure
		}
	}
	return nil
}
