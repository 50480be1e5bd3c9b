// Package pause waits in a way that a context can end.
package pause

import (
	"context"
	"time"
)

// For waits. It is false if the context ended.
func For(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
