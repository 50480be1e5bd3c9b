package java

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Build implements repair.Builder. Paths are relative to the checkout's root.
func (p *Project) Build(ctx context.Context, files map[string]string) (repair.Site, error) {
	dir, err := os.MkdirTemp(p.work, "site-")
	if err != nil {
		return nil, fmt.Errorf("no scratch folder: %w", err)
	}
	s := &patched{dir: dir, lab: p.processes}
	if err := p.fill(ctx, s, files); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func (p *Project) fill(ctx context.Context, s *patched, files map[string]string) error {
	if err := p.tidy.still(func() error { return p.build.Clone(ctx, s.dir) }); err != nil {
		return err
	}
	for path, text := range files {
		at := p.build.InClone(s.dir, filepath.Join(p.build.Checkout(), filepath.FromSlash(path)))
		if err := writeInside(s.dir, at, text); err != nil {
			return fmt.Errorf("writing the patch: %w", err)
		}
	}
	if err := p.build.TestCompile(ctx, s.dir); err != nil {
		var broken *maven.Error
		if errors.As(err, &broken) && broken.Code == maven.CodeBroken {
			return &repair.UnfitError{Reason: broken.Message + "\n" + broken.Detail}
		}
		return err
	}
	exact, quick, err := p.specs(p.build.LaunchInClone(s.dir, p.launch), "")
	if err != nil {
		return err
	}
	s.tidy = newTidy(ctx, p.log, &p.litters, func(ctx context.Context, kept string) (*maven.Pristine, error) {
		return maven.Remember(ctx, s.dir, kept)
	}, s.dir+".kept")
	pool, err := p.base.With(exact, quick)
	if err == nil {
		s.pool = pool.NoSpares()
	}
	return err
}

// writeInside replaces a file of a clone. A link that leads out of the clone is
// never followed: what it points to belongs to somebody else.
func writeInside(clone, path, text string) error {
	root, err := filepath.EvalSymlinks(clone)
	if err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(root, dir); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s lies behind a link that leads out of the project", path)
	}
	path = filepath.Join(dir, filepath.Base(path))
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// patched is a copy of the project with a patch in it.
type patched struct {
	dir   string
	pool  *harness.Pool
	lab   *processes // of the project without the patch: how to ask
	tidy  *tidy
	alone bool
}

var _ repair.Site = (*patched)(nil)

// Run implements repair.Site.
func (s *patched) Run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	began := time.Now()
	defer func() {
		s.lab.log.Debug("asked the patched copy", zap.Int("tests", len(o)), zap.Duration("took", time.Since(began)))
	}()
	return s.lab.ask(ctx, s.pool, s.tidy, o, harness.Question{Price: suite.Fresh, Alone: s.alone || s.lab.sequential.Load()})
}

// Alone implements repair.Site.
func (s *patched) Alone() repair.Site {
	return &patched{dir: s.dir, pool: s.pool, lab: s.lab, tidy: s.tidy, alone: true}
}

// Parallel implements repair.Site.
func (s *patched) Parallel() int { return s.pool.Parallel() }

// Close implements repair.Site.
func (s *patched) Close() error {
	if s.pool != nil {
		_ = s.pool.Close()
	}
	return errors.Join(maven.RemoveAll(s.dir), maven.RemoveAll(s.dir+".kept"))
}
