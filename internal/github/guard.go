package github

import (
	"context"
	"fmt"
	"time"
)

// Guard decides whether a request of an installation may be sent; repository 0: about no single
// one. Its error is that of the request.
type Guard func(ctx context.Context, installation, repository int64) error

// Guard sets what decides on each request of an installation. Call it before the first request.
// Requests with the App's own key, which are about no installation, are not asked about.
func (a *App) Guard(g Guard) { a.guard = g }

// PausedError means that the operator has paused the work. Like after a LimitError, the caller
// tries again at Until.
type PausedError struct {
	Until  time.Time
	Reason string
}

func (e *PausedError) Error() string { return fmt.Sprintf("paused by the operator: %s", e.Reason) }
