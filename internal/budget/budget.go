// Package budget divides the time that a job has left.
package budget

import (
	"context"
	"time"
)

// Share is one part in so many of the time that is left; where nothing ends the job, the time that
// is given.
func Share(ctx context.Context, endless time.Duration, oneIn int) time.Duration {
	end, limited := ctx.Deadline()
	if !limited {
		return endless
	}
	return max(0, time.Until(end)/time.Duration(oneIn))
}

// Part is the usual time for something, or the share of what is left where that is more: on a busy
// machine a process takes long. It is never more than half of what is left.
func Part(ctx context.Context, usual time.Duration, oneIn int) time.Duration {
	return max(Share(ctx, usual, oneIn), min(usual, Share(ctx, usual, 2)))
}
