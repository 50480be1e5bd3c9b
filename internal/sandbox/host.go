package sandbox

import (
	"context"
	"errors"
	"os"
	"sync/atomic"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/page"
)

var _ page.Host = (*host)(nil)

// host is the source of the pages. The server needs it before the sandbox exists.
type host struct{ s atomic.Pointer[Sandbox] }

// Repository implements page.Host.
func (h *host) Repository(owner, name string) *githubtest.Repository {
	s := h.s.Load()
	if s == nil {
		return nil
	}
	return s.GitHub.Repository(owner, name)
}

// PullRequests implements page.Host.
func (h *host) PullRequests() []*githubtest.PullRequest {
	s := h.s.Load()
	if s == nil || s.pull.Load() == nil {
		return nil
	}
	return s.pull.Load().Repository().PullRequests()
}

// Busy implements page.Host.
func (h *host) Busy(*githubtest.PullRequest) string {
	s := h.s.Load()
	if s == nil {
		return ""
	}
	switch name := s.clock.now(); name {
	case "settled", "failed":
		return ""
	case "ci":
		return "CI runs the tests. This page reloads itself."
	default:
		return "odfix investigates the failure. This page reloads itself."
	}
}

// Accept implements page.Host.
func (h *host) Accept(ctx context.Context, p *githubtest.PullRequest, comment int64) error {
	s := h.s.Load()
	if s == nil {
		return errors.New("the sandbox is not ready yet")
	}
	return s.Accept(ctx, p, comment)
}

// Accept commits the suggestion of a review comment, as the author would. In the background, CI
// runs again and odfix receives its result.
func (s *Sandbox) Accept(ctx context.Context, p *githubtest.PullRequest, comment int64) error {
	if s.clock.now() != "settled" || s.ctx.Err() != nil {
		return errors.New("CI or odfix is still at work; try again when the pull request has settled")
	}
	if _, err := p.ApplySuggestions(ctx, s.Author, comment); err != nil {
		return err
	}
	s.phase("ci", "%s committed the suggestion", s.Author.Login)
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, s.o.Budget)
		defer cancel()
		_, err := s.runCI(ctx)
		if err == nil {
			err = s.settle(ctx)
		}
		if err != nil && s.ctx.Err() == nil {
			s.phase("failed", "after the suggestion was committed: %v", err)
		}
	})
	return nil
}

// WritePage writes the pull request's page into a file.
func (s *Sandbox) WritePage(ctx context.Context, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(page.Write(ctx, f, s.Pull), f.Close())
}
