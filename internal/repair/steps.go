package repair

import (
	"context"
	"errors"
	"slices"

	"github.com/sourcegraph/conc/pool"
)

// errRefused stops the other steps of a proof because one check does not hold.
var errRefused = errors.New("a check does not hold")

// inParallel runs the steps in parallel, and adds their checks in the order of the steps.
func (pr *prover) inParallel(ctx context.Context, steps ...func(*prover, context.Context) error) error {
	parts, err := pr.parallel(ctx, steps...)
	pr.take(parts...)
	return err
}

// parallel runs the steps in parallel, or one after the other if only one process may run at a time.
// Each has a part of its own.
func (pr *prover) parallel(ctx context.Context, steps ...func(*prover, context.Context) error) ([]*prover, error) {
	parts := make([]*prover, len(steps))
	most := len(steps)
	if pr.patched.Parallel() == 1 {
		most = 1 // otherwise chance decides which step uses a result that both can use
	}
	workers := pool.New().WithContext(ctx).WithMaxGoroutines(max(1, most)).WithCancelOnError().WithFirstError()
	for i, step := range steps {
		part := &prover{p: pr.p, c: pr.c, in: pr.in, patched: pr.patched, fixes: pr.fixes, say: pr.say}
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
	if errors.Is(err, errRefused) {
		err = nil
	}
	return parts, err
}

// take adds the checks of the parts.
func (pr *prover) take(parts ...*prover) {
	for _, part := range parts {
		pr.checks = append(pr.checks, part.checks...)
	}
	pr.failed = pr.failed || anyFailed(parts)
}

func anyFailed(parts []*prover) bool {
	return slices.ContainsFunc(parts, func(part *prover) bool { return part.failed })
}
