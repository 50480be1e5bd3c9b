package githubtest

import (
	"context"
	"fmt"
)

// touch wakes everybody who waits for the state to change.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Await waits until a condition holds. It is asked again whenever a request was
// answered or a webhook delivered, without the server's lock.
func (s *Server) Await(ctx context.Context, what string, holds func() bool) error {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
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

// Drain waits until every webhook that is not held back was delivered or failed.
func (s *Server) Drain(ctx context.Context) error {
	return s.Await(ctx, "webhooks to be delivered", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, a := range s.apps {
			if a.sending > 0 || len(a.queue) > 0 && !a.held {
				return false
			}
		}
		return true
	})
}
