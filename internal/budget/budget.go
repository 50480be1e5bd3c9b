// Package budget divides the time that a job has left.
package budget

import (
	"context"
	"math"
	"time"
)

// Share returns the time that is left, divided by oneIn. Without a deadline there is no limit.
func Share(ctx context.Context, oneIn int) time.Duration {
	end, limited := ctx.Deadline()
	if !limited {
		return math.MaxInt64
	}
	return max(0, time.Until(end)/time.Duration(oneIn))
}

// Part returns the larger of the usual time and the share of the time that is left. A long job
// needs the share, because processes are slower on a busy machine. The usual time is limited to
// half of the time that is left.
func Part(ctx context.Context, usual time.Duration, oneIn int) time.Duration {
	if _, limited := ctx.Deadline(); !limited {
		return usual
	}
	return max(Share(ctx, oneIn), min(usual, Share(ctx, 2)))
}
