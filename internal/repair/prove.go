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
	Orders  []suite.Order  // the orders asked, where orders show the claim
	Tests   []suite.TestID // the tests in them that the claim is about
	Patched bool           // asked with the patch
	Pass    bool           // the tests are expected to pass (else to fail)
	// Bad are orders, each cut after a test that should pass in it and does not.
	Bad []suite.Order
}

// ProofInput is what a candidate is proved against.
type ProofInput struct {
	Groups  *suite.Groups // says which tests share a place in the sources
	Repeats int           // of each claim; at least 1
	// Failing are the whole orders in which the failures were seen: CI's, and
	// those of the diagnosis. Polluters that nobody looked for stand in them too.
	Failing []suite.Order
	// Original is the suite's own order, and Baseline says what becomes of it without
	// the patch. Left are tests that end their process, with or without a
	// patch: no other order holds them, and Original only those that do not do so there.
	Original suite.Order
	Baseline func(context.Context) (*suite.Run, error)
	Left     []suite.TestID
	// Neighbours are orders in which other tests of its class run directly before
	// a cured test, which therefore stands in them again and again:
	// NeighboursAsked pairs out of NeighboursOf.
	Neighbours                    []suite.Order
	NeighboursAsked, NeighboursOf int
	// Rows are rows of the Tuscan squares of the cured tests' classes, by class, out of RowsOf.
	Rows   [][]suite.Order
	RowsOf int
	// All says that nothing is left out for being one of many.
	All bool
	// Minimal are the orders to confirm, one for each cured test: polluter and victim, or the
	// brittle alone.
	Minimal []suite.Order
	// Shared are orders in each of which many of the cured tests fail, for those that have none in
	// Minimal.
	Shared []Shared
	// Holds reports whether a file, by its path in the patch, holds the test; nil: no file does.
	Holds func(path string, t suite.TestID) bool
	// TestCode reports whether a file, by its path in the patch, is test code.
	TestCode func(path string) bool
	// Plain runs orders without the patch, fresh.
	Plain Site
}

// Shared is an order in which several tests fail, wherever they stand.
type Shared struct {
	Order suite.Order
	Tests []suite.TestID
}

// Prove builds the candidate with the project's own build and asks every claim
// of a proof in fresh processes. It returns the checks made so far also when
// the budget ends; only a finished list in which every check holds is a proof.
func (p *Patcher) Prove(ctx context.Context, b Builder, c *Candidate, in ProofInput) (checks []Check, proved bool, err error) {
	p.say("building the patch with the project's own build")
	pr, done, err := p.begin(ctx, b, "compiles under the project's own build", c, c.Cures, in)
	if err != nil || pr.failed {
		return pr.checks, false, err
	}
	defer done()
	// What most often fails comes first and by itself; the rest goes side by side.
	for _, step := range []func(*prover, context.Context) error{(*prover).minimalOrders, (*prover).sharedOrders, (*prover).ownClasses} {
		if err := step(pr, ctx); err != nil || pr.failed {
			return pr.checks, false, err
		}
	}
	err = pr.atOnce(ctx, (*prover).alone, (*prover).failingOrders, (*prover).originalOrder, (*prover).minimality, (*prover).neighbours, (*prover).rows)
	return pr.checks, err == nil && !pr.failed, err
}

// begin builds a copy with the candidate's files in it. The prover has failed
// where they do not compile, or are not test code; else done frees the copy.
func (p *Patcher) begin(ctx context.Context, b Builder, compiles string, c *Candidate, cures []suite.TestID, in ProofInput) (pr *prover, done func(), err error) {
	pr = &prover{p: p, c: c, in: in, cures: cures, say: p.say}
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

func (pr *prover) cured(t suite.TestID) bool { return slices.Contains(pr.cures, t) }

// errRefused ends the other steps of a proof where one check does not hold.
var errRefused = errors.New("a check does not hold")

// atOnce goes through the steps side by side, and keeps their checks in the
// order of the steps.
func (pr *prover) atOnce(ctx context.Context, steps ...func(*prover, context.Context) error) error {
	parts := make([]*prover, len(steps))
	workers := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
	for i, step := range steps {
		part := &prover{p: pr.p, c: pr.c, in: pr.in, patched: pr.patched, cures: pr.cures, say: pr.say}
		parts[i] = part
		workers.Go(func(ctx context.Context) error {
			if err := step(part, ctx); err != nil {
				return err
			}
			if part.failed {
				return errRefused
			}
			return nil
		})
	}
	err := workers.Wait()
	for _, part := range parts {
		pr.checks = append(pr.checks, part.checks...)
		pr.failed = pr.failed || part.failed
	}
	if errors.Is(err, errRefused) {
		return nil
	}
	return err
}

// prover collects checks.
type prover struct {
	p       *Patcher
	c       *Candidate
	in      ProofInput
	patched Site
	cures   []suite.TestID
	say     func(string)

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

// testCode: nothing but test sources is changed.
func (pr *prover) testCode() {
	check := Check{Name: "changes test code only", OK: len(pr.c.Built.Files) > 0, Repeats: 1, Patched: true}
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

// ask runs an order on a site n times and reports whether
// the last test always had the wanted outcome.
func (pr *prover) ask(ctx context.Context, s Site, o suite.Order, want suite.Outcome, n int) (bool, string, error) {
	var mu sync.Mutex
	bad := ""
	err := each(ctx, s.Parallel(), make([]int, n), func(ctx context.Context, _ int) error {
		run, err := s.Run(ctx, o)
		if err != nil {
			return err
		}
		if got := run.Last(); got.Outcome != want {
			mu.Lock()
			defer mu.Unlock()
			bad = fmt.Sprintf("%s: %s", got.Test, describe(got, run))
		}
		return nil
	})
	return bad == "", bad, err
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

// minimalOrders: each failing order passes with the patch and fails without it.
func (pr *prover) minimalOrders(ctx context.Context) error {
	pr.say("proving: failing orders with and without the patch")
	places := make([]int, len(pr.in.Minimal))
	for i := range places {
		places[i] = i
	}
	return each(ctx, pr.patched.Parallel(), places, func(ctx context.Context, at int) error {
		o, n := pr.in.Minimal[at], pr.repeats(at)
		ok, detail, err := pr.ask(ctx, pr.patched, o, suite.Pass, n)
		if err != nil {
			return err
		}
		pr.add(Check{Name: "failing order passes with the patch", OK: ok, Repeats: n, Detail: detail, Orders: []suite.Order{o}, Tests: o[len(o)-1:], Patched: true, Pass: true})
		if !ok {
			return nil
		}
		ok, detail, err = pr.ask(ctx, pr.in.Plain, o, suite.Fail, n)
		if err != nil {
			return err
		}
		pr.add(Check{Name: "failing order fails without the patch", OK: ok, Repeats: n, Detail: detail, Orders: []suite.Order{o}, Tests: o[len(o)-1:]})
		return nil
	})
}

// alone: each cured test passes by itself, or of many those that the patch can
// have changed and a sample of the others. That they do so
// without the patch is known from their diagnosis.
func (pr *prover) alone(ctx context.Context) error {
	check := Check{Name: "passes alone with the patch", OK: true, Repeats: 1, Patched: true, Pass: true, Tests: pr.runAlone()}
	if n := len(check.Tests); n < len(pr.cures) {
		check.Detail = fmt.Sprintf("%d of %d tests", n, len(pr.cures))
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

// failingOrders: in the orders in which the failures were seen, every cured test
// passes, and no other test behaves worse than without the patch.
func (pr *prover) failingOrders(ctx context.Context) error {
	return each(ctx, pr.patched.Parallel(), pr.seen(), func(ctx context.Context, o suite.Order) error {
		check := Check{Name: "an order that was seen to fail passes with the patch", Repeats: 1, Orders: []suite.Order{o}, Patched: true, Pass: true}
		for _, t := range pr.cures {
			if o.Index(t) >= 0 {
				check.Tests = append(check.Tests, t)
			}
		}
		if len(check.Tests) == 0 {
			return nil // the order says nothing of what is cured
		}
		plain := func(ctx context.Context) (*suite.Run, error) { return pr.in.Plain.Run(ctx, o) }
		if err := pr.compare(ctx, &check, o, plain); err != nil {
			return err
		}
		pr.add(check)
		return nil
	})
}

// seen are the orders in which failures were seen, but that of those that were asked as minimal
// ones only the first after each beginning stands for all: how those in front of the last test
// behave is the same in the others.
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

// contains reports whether the order is one of them.
func contains(orders []suite.Order, o suite.Order) bool {
	return slices.ContainsFunc(orders, func(x suite.Order) bool { return slices.Equal(x, o) })
}

// failed names the first of the tests that did not pass, wherever it stands in
// the order; "" where all did.
func failed(o suite.Order, run *suite.Run, tests []suite.TestID) string {
	if i := firstFailed(o, run, tests); i >= 0 {
		return fmt.Sprintf("%s: %s", o[i], describe(run.At(i), run))
	}
	return ""
}

// firstFailed is where the first of the tests stands that did not pass, or -1.
func firstFailed(o suite.Order, run *suite.Run, tests []suite.TestID) int {
	for i, t := range o {
		if run.At(i).Outcome != suite.Pass && slices.Contains(tests, t) {
			return i
		}
	}
	return -1
}

// maximal leaves out orders that another one begins with: running the longer
// one shows what becomes of the shorter.
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
