package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/sourcegraph/conc/pool"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/suite"
)

// Check is one claim of a proof and whether it held.
type Check struct {
	Name    string
	OK      bool
	Repeats int
	Detail  string
	Orders  []suite.Order  // the orders that were run for the claim, if any
	Tests   []suite.TestID // the tests in them that the claim is about
	Patched bool           // whether the orders ran with the patch
	Pass    bool           // the tests are expected to pass (else to fail)
	// Bad are orders, each up to a test that should pass in it and does not.
	Bad []suite.Order
	// Worse says that the check failed by another test than the fixed ones.
	Worse bool
}

// ProofInput is what a candidate is proved against.
type ProofInput struct {
	Groups  *suite.Groups // says which tests are declared in one class
	Repeats int           // runs for each claim; at least 1
	// Failing are the whole orders in which the failures were seen: CI's orders, and those of the
	// diagnosis. They may contain further polluters.
	Failing []suite.Order
	// Original is the suite's own order, and Baseline runs it without the patch. Left are tests
	// that end their process in some order, with or without a patch. They are left out of other
	// orders; in Original they stay if they do not end the process there.
	Original suite.Order
	Baseline func(context.Context) (*suite.Run, error)
	Left     []suite.TestID
	// Neighbours are short orders in which a test of its class runs directly before a fixed test.
	// Several of them can have the same fixed test. They contain NeighboursAsked pairs out of
	// NeighboursOf.
	Neighbours                    []suite.Order
	NeighboursAsked, NeighboursOf int
	// Rows are rows of the Tuscan squares of the fixed tests' classes, by class, out of RowsOf.
	Rows   [][]suite.Order
	RowsOf int
	// All makes every order run, even if there are many.
	All bool
	// Apart makes each order run in a process of its own. Otherwise orders of several tests or classes
	// may share one, and what the tests of one class do could hide a failure in another one.
	Apart bool
	// Separate says that each outermost group has an environment of its own: a process, or a realm
	// of JavaScript. A group affects another one only through what is outside of it: files, and in
	// one process the runtime's own modules.
	Separate bool
	// Minimal are the orders to confirm, one for each fixed test: polluter and victim, or the
	// brittle test alone.
	Minimal []suite.Order
	// Shared are orders in each of which many of the fixed tests fail. They confirm tests that have
	// no order in Minimal.
	Shared []Shared
	// TestCode reports whether a file, by its path in the patch, is test code.
	TestCode func(path string) bool
	// Strict makes a test refuse a patch that is worse with it again while no other process runs.
	// Otherwise such a test may still turn out to be flaky.
	Strict bool
	// Plain runs orders without the patch, fresh.
	Plain Site
}

// Shared is an order in which several tests fail, at any position.
type Shared struct {
	Order suite.Order
	Tests []suite.TestID
	Cause suite.Order // the polluters with which the order begins
}

// Prove builds the candidate with the project's own build and checks every claim of a proof in
// fresh processes. When the budget ends, it returns the checks made so far. Only a complete list in
// which every check holds is a proof.
func (p *Patcher) Prove(ctx context.Context, b Builder, c *Candidate, in ProofInput) (checks []Check, proved bool, err error) {
	p.say("building the patch with the project's own build")
	pr, done, err := p.begin(ctx, b, suite.CheckCompiles, c, c.Fixes, in)
	if err != nil || pr.failed {
		return pr.checks, false, err
	}
	defer done()
	// The checks that fail most often run first, one at a time. Of the others, those with short orders
	// run before those with long ones, until the last of these checks: a short order that must run
	// alone would wait for a long one, and keep all others waiting.
	for _, step := range []step{(*prover).minimalOrders, (*prover).sharedOrders} {
		if err := step(pr, ctx); err != nil || pr.failed {
			return pr.checks, false, err
		}
	}
	short, long, err := pr.overlapping(ctx, []step{(*prover).ownClasses, (*prover).alone, (*prover).minimality, (*prover).neighbours},
		[]step{(*prover).failingOrders, (*prover).originalOrder, (*prover).rows})
	pr.take(short[0], short[1], long[0], long[1], short[2], short[3], long[2])
	return pr.checks, err == nil && !pr.failed, err
}

// begin builds a copy of the project with the candidate's files. The proof fails if the files do
// not compile, or are not test code. Otherwise done removes the copy.
func (p *Patcher) begin(ctx context.Context, b Builder, compiles string, c *Candidate, fixes []suite.TestID, in ProofInput) (pr *prover,
	done func(), err error) {
	pr = &prover{p: p, c: c, in: in, fixes: fixes, say: p.say}
	if pr.testCode(); pr.failed {
		return pr, func() {}, nil
	}
	pr.patched, err = b.Build(ctx, c.Built.Files)
	var unfit *UnfitError
	switch {
	case errors.As(err, &unfit):
		pr.add(Check{Name: compiles, Detail: unfit.Reason, Patched: true})
		return pr, func() {}, nil
	case err != nil:
		return pr, func() {}, err
	}
	pr.add(Check{Name: compiles, OK: true, Repeats: 1, Patched: true})
	return pr, func() {
		if cerr := pr.patched.Close(); cerr != nil {
			p.log().Warn("closing the patched copy", zap.Error(cerr))
		}
	}, nil
}

func (pr *prover) fixed(t suite.TestID) bool { return slices.Contains(pr.fixes, t) }

// prover collects checks.
type prover struct {
	p       *Patcher
	c       *Candidate
	in      ProofInput
	patched Site
	fixes   []suite.TestID
	say     func(string)
	draft   bool // a hint is enough

	mu     sync.Mutex
	checks []Check
	failed bool
}

func (pr *prover) add(c Check) {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	pr.checks = append(pr.checks, c)
	pr.failed = pr.failed || !c.OK
}

// testCode checks that only test sources change.
func (pr *prover) testCode() {
	check := Check{Name: suite.CheckTestCode, OK: len(pr.c.Built.Files) > 0, Repeats: 1, Patched: true}
	for path := range pr.c.Built.Files {
		if pr.in.TestCode == nil || !pr.in.TestCode(path) {
			check.OK, check.Detail = false, path+" is not a test source of the module"
		}
	}
	pr.add(check)
}

// each runs f for every item on as many processes as the site allows.
func each[T any](ctx context.Context, parallel int, items []T, f func(context.Context, T) error) error {
	workers := pool.New().WithContext(ctx).WithMaxGoroutines(max(1, parallel)).WithCancelOnError().WithFirstError()
	for _, item := range items {
		workers.Go(func(ctx context.Context) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(ctx, item)
		})
	}
	return workers.Wait()
}

func describe(r suite.Result, run *suite.Run) string {
	if r.Outcome == suite.Unresolved && run.Crash != nil {
		return run.Crash.String()
	}
	if r.Failure != nil && r.Failure.Type != "" {
		return fmt.Sprintf("%s (%s)", r.Outcome, r.Failure.Type)
	}
	return string(r.Outcome)
}

// joint reports whether a test failed only in orders that it shares with other tests.
func (in *ProofInput) joint(t suite.TestID) bool {
	return slices.ContainsFunc(in.Shared, func(sh Shared) bool { return slices.Contains(sh.Tests, t) })
}

// confirmed returns all orders in which fixed tests should fail without the patch.
func (in *ProofInput) confirmed() []suite.Order {
	out := slices.Clone(in.Minimal)
	for _, sh := range in.Shared {
		out = append(out, sh.Order)
	}
	return out
}

// alone checks that each fixed test passes alone. If there are many, it runs those that the patch
// may affect, and a sample of the others. Their diagnosis has shown that they pass alone without
// the patch.
func (pr *prover) alone(ctx context.Context) error {
	check := Check{Name: suite.CheckAlone, OK: true, Repeats: 1, Patched: true, Pass: true, Tests: pr.runAlone()}
	if n := len(check.Tests); n < len(pr.fixes) {
		check.Detail = fmt.Sprintf("%d of %d tests", n, len(pr.fixes))
	}
	var mu sync.Mutex
	err := each(ctx, pr.patched.Parallel(), check.Tests, func(ctx context.Context, t suite.TestID) error {
		bad, _, err := pr.passes(ctx, suite.Order{t}, []suite.TestID{t})
		mu.Lock()
		defer mu.Unlock()
		check.Orders = append(check.Orders, suite.Order{t})
		if bad != "" {
			check.OK, check.Detail = false, bad
			if pr.in.joint(t) {
				check.Bad = append(check.Bad, suite.Order{t})
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	pr.add(check)
	return nil
}

// failingOrders checks the orders in which the failures were seen: every fixed test passes, and no
// other test behaves worse than without the patch.
func (pr *prover) failingOrders(ctx context.Context) error {
	return each(ctx, pr.patched.Parallel(), pr.seen(), func(ctx context.Context, o suite.Order) error {
		check := Check{Name: suite.CheckSeen, Repeats: 1, Orders: []suite.Order{o},
			Patched: true, Pass: true}
		check.Tests = suite.Filter(pr.fixes, func(t suite.TestID) bool { return o.Index(t) >= 0 })
		if len(check.Tests) == 0 {
			return nil // the order holds no fixed test
		}
		plain := func(ctx context.Context) (*suite.Run, error) { return pr.in.Plain.Run(ctx, o) }
		if err := pr.compare(ctx, &check, o, plain); err != nil {
			return err
		}
		pr.add(check)
		return nil
	})
}

// seen returns the orders in which failures were seen. Of minimal orders that differ only in their
// last test, it returns the first, since the tests before the last one behave the same in all.
func (pr *prover) seen() []suite.Order {
	begun := map[string]bool{}
	return slices.DeleteFunc(maximal(pr.in.Failing), func(o suite.Order) bool {
		if !contains(pr.in.Minimal, o) {
			return false
		}
		key := o[:len(o)-1].Key()
		again := begun[key]
		begun[key] = true
		return again
	})
}

// contains reports whether the list contains the order.
func contains(orders []suite.Order, o suite.Order) bool {
	return slices.ContainsFunc(orders, func(x suite.Order) bool { return slices.Equal(x, o) })
}

// failed names the first of the tests that did not pass, at any position in the order. It is "" if
// all passed.
func failed(o suite.Order, run *suite.Run, tests []suite.TestID) string {
	if i := firstFailed(o, run, tests); i >= 0 {
		return fmt.Sprintf("%s: %s", o[i], describe(run.At(i), run))
	}
	return ""
}

// firstFailed returns the position of the first of the tests that did not pass, or -1.
func firstFailed(o suite.Order, run *suite.Run, tests []suite.TestID) int {
	for i, t := range o {
		if run.At(i).Outcome != suite.Pass && slices.Contains(tests, t) {
			return i
		}
	}
	return -1
}

// maximal leaves out orders that are the beginning of another order. Running the longer order shows
// the outcomes of the shorter one.
func maximal(orders []suite.Order) []suite.Order {
	var out []suite.Order
	for i, o := range orders {
		covered := len(o) == 0
		for j, other := range orders {
			longer := len(other) > len(o) || len(other) == len(o) && j < i
			covered = covered || longer && slices.Equal(o, other[:len(o)])
		}
		if !covered {
			out = append(out, o)
		}
	}
	return out
}
