package githubtest

import (
	"context"
	"fmt"
	"slices"
)

// touch wakes the callers of Await.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Await waits until a condition holds. It checks the condition after each answer and each
// delivered webhook, without the server's lock.
func (s *Server) Await(ctx context.Context, what string, holds func() bool) error {
	for {
		unlock := s.lock()
		changed := s.changed
		unlock()
		if holds() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		case <-s.ended.Done():
			return fmt.Errorf("waiting for %s: the server was closed", what)
		}
	}
}

// Drain waits until every webhook that is not held back is delivered or has failed.
func (s *Server) Drain(ctx context.Context) error {
	return s.Await(ctx, "webhooks to be delivered", func() bool {
		defer s.lock()()
		return !slices.ContainsFunc(s.apps, func(a *App) bool { return a.sending > 0 || len(a.queue) > 0 && !a.held })
	})
}
