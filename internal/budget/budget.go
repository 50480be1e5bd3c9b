// Package budget divides the time that a job has left.
package budget

import (
	"context"
	"time"
)

// Share is the time that is left, divided by oneIn. Without a deadline it is endless.
func Share(ctx context.Context, endless time.Duration, oneIn int) time.Duration {
	end, limited := ctx.Deadline()
	if !limited {
		return endless
	}
	return max(0, time.Until(end)/time.Duration(oneIn))
}

// Part is the larger of the usual time and the share of the time that is left. A long job needs the
// share, since a process takes long on a busy machine. The usual time counts only up to half of the
// time that is left.
func Part(ctx context.Context, usual time.Duration, oneIn int) time.Duration {
	return max(Share(ctx, usual, oneIn), min(usual, Share(ctx, usual, 2)))
}
