package jest

import (
	"context"
	"maps"
	"path/filepath"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Build implements repair.Builder: Jest transforms sources when it loads them, so that there is
// nothing to build beforehand.
func (l *processes) Build(_ context.Context, files map[string]string) (repair.Site, error) {
	for rel := range files {
		if !filepath.IsLocal(filepath.FromSlash(rel)) {
			return nil, &repair.UnfitError{Reason: rel + " is outside of the project"}
		}
	}
	return &site{l: l, files: maps.Clone(files)}, nil
}

// site is the project with a patch in it, or with other options of Jest.
type site struct {
	l     *processes
	files map[string]string
	pool  func(*slot) (*harness.Pool, error) // of a working copy; nil: its own
	alone bool
}

func (s *site) changed() bool { return len(s.files) > 0 || s.pool != nil }

var _ repair.Site = (*site)(nil)

// Run implements repair.Site.
func (s *site) Run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	return s.l.ask(ctx, o, harness.Question{Price: suite.Fresh, Alone: s.alone || s.l.sequential.Load()}, s)
}

// Alone implements repair.Site.
func (s *site) Alone() repair.Site { return &site{l: s.l, files: s.files, pool: s.pool, alone: true} }

// Parallel implements repair.Site.
func (s *site) Parallel() int { return s.l.Parallel() }

// Close implements repair.Site.
func (s *site) Close() error { return nil }
