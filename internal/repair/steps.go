package repair

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/sourcegraph/conc/pool"
)

// errRefused stops the other steps of a proof because one check does not hold.
var errRefused = errors.New("a check does not hold")

// step makes one or more checks of a proof.
type step func(*prover, context.Context) error

// inParallel runs the steps in parallel, and adds their checks in the order of the steps.
func (pr *prover) inParallel(ctx context.Context, steps ...step) error {
	parts, _, err := pr.overlapping(ctx, steps, nil)
	pr.take(parts...)
	return err
}

// overlapping runs the first steps in parallel, or one after the other if only one process may run
// at a time. The later steps begin while the last of the first ones runs, since it may leave
// processes idle. Each step has a part of its own; that of a step that has not begun is empty.
func (pr *prover) overlapping(ctx context.Context, first, later []step) (firstParts, laterParts []*prover, err error) {
	most, last := len(first)+len(later), int64(1)
	if pr.patched.Parallel() <= 1 {
		most, last = 1, 0 // otherwise chance decides which step uses a result that both can use
	}
	workers := pool.New().WithContext(ctx).WithMaxGoroutines(most).WithCancelOnError().WithFirstError()
	var left atomic.Int64
	left.Store(int64(len(first)))
	begin := make(chan struct{}) // closed when the later steps may
	parts := make([]*prover, 0, len(first)+len(later))
	for i, do := range slices.Concat(first, later) {
		part := &prover{p: pr.p, c: pr.c, in: pr.in, patched: pr.patched, fixes: pr.fixes, say: pr.say}
		parts = append(parts, part)
		workers.Go(func(ctx context.Context) error {
			if i >= len(first) {
				select {
				case <-begin:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			if err := do(part, ctx); err != nil {
				return err
			}
			if part.failed {
				return errRefused
			}
			if i < len(first) && left.Add(-1) == min(last, int64(len(first)-1)) {
				close(begin)
			}
			return nil
		})
	}
	err = workers.Wait()
	if errors.Is(err, errRefused) {
		err = nil
	}
	return parts[:len(first)], parts[len(first):], err
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
