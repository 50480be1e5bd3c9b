package java

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Build implements repair.Builder. Paths are relative to the checkout's root.
func (p *Project) Build(ctx context.Context, files map[string]string) (repair.Site, error) {
	dir, err := os.MkdirTemp(p.work, "site-")
	if err != nil {
		return nil, fmt.Errorf("no scratch folder: %w", err)
	}
	c, err := p.clone(ctx, dir, func() error { return p.applyPatch(ctx, dir, files) })
	if err != nil {
		return nil, err
	}
	return &patched{clone: c, side: &laterCopies{copy: c.copies}}, nil
}

// applyPatch writes the files into a clone and compiles them with the project's own build. A check
// of sources that fails in the same way without the patch is left out: odfix has recorded the build
// without such checks.
func (p *Project) applyPatch(ctx context.Context, dir string, files map[string]string) error {
	began := time.Now()
	err := p.compileWith(ctx, dir, files)
	for range maxLeftOut {
		failed, ok := errors.AsType[*build.Error](err)
		if !ok || failed.Part == "" {
			break
		}
		before, berr := p.before(files)
		if berr != nil {
			return berr
		}
		unpatched := p.compileWith(ctx, dir, before)
		same, ok := errors.AsType[*build.Error](unpatched)
		if !ok || same.Part != failed.Part || same.Detail != failed.Detail || !p.checks.leaveOut(failed.Part) {
			break
		}
		err = p.compileWith(ctx, dir, files)
		if again, ok := errors.AsType[*build.Error](err); !ok || again.Part != failed.Part {
			p.note("Without a patch, too, the project's own build fails in " + failed.Part + " here. Patches are built without this check.")
		}
	}
	p.log.Debug("compiled a patched copy", zap.Duration("took", time.Since(began)))
	if broken, ok := errors.AsType[*build.Error](err); ok && broken.Code == build.CodeBroken {
		return &repair.UnfitError{Reason: broken.Message + "\n" + broken.Detail}
	}
	return err
}

// maxLeftOut is how many checks of sources are left out.
const maxLeftOut = 3

// checks are the plugins that are left out of builds of patches.
type checks struct {
	mu  sync.Mutex
	out []string
}

// leaveOut leaves a plugin out, by its name with version and goal. It reports whether it was not
// left out before.
func (c *checks) leaveOut(part string) bool {
	plugin, _, _ := strings.Cut(part, ":")
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.out, plugin) {
		return false
	}
	c.out = append(c.out, plugin)
	return true
}

func (c *checks) leftOut() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.out)
}

// compileWith writes files into a clone and compiles its tests.
func (p *Project) compileWith(ctx context.Context, dir string, files map[string]string) error {
	for path, text := range files {
		at := p.copy.InClone(dir, filepath.Join(p.copy.Checkout(), filepath.FromSlash(path)))
		if err := writeInside(dir, at, text); err != nil {
			return fmt.Errorf("writing the patch: %w", err)
		}
	}
	return p.build.TestCompile(ctx, dir, p.checks.leftOut())
}

// before returns the texts that the files of a patch have in the checkout. It leaves new files out,
// so that those of the patch stay.
func (p *Project) before(files map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for path := range files {
		text, err := p.Source(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[path] = text
	}
	return out, nil
}

// writeInside replaces a file of a clone, or makes it with its folders. It never follows a link
// that leads out of the clone.
func writeInside(clone, path, text string) error {
	root, err := filepath.EvalSymlinks(clone)
	if err != nil {
		return err
	}
	dir, missing := filepath.Dir(path), ""
	there, err := filepath.EvalSymlinks(dir)
	for errors.Is(err, os.ErrNotExist) && dir != filepath.Dir(dir) { // a change removed the folder
		dir, missing = filepath.Dir(dir), filepath.Join(filepath.Base(dir), missing)
		there, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(root, there); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s is reached by a link that leads out of the project", path)
	}
	if err := os.MkdirAll(filepath.Join(there, missing), 0o755); err != nil {
		return err
	}
	path = filepath.Join(there, missing, filepath.Base(path))
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// patched is a clone of the project with a patch in it.
type patched struct {
	*clone
	side  *laterCopies // where fresh runs work at the same time
	alone bool
}

var _ repair.Site = (*patched)(nil)

// Run implements repair.Site.
func (s *patched) Run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	began := time.Now()
	defer func() {
		s.p.log.Debug("asked the patched copy", zap.Int("tests", len(o)), zap.Duration("took", time.Since(began)))
	}()
	q := harness.Question{Price: suite.Fresh, Alone: s.alone || s.p.sequential.Load()}
	return again(func() (*suite.Run, error) {
		if q.Alone || s.Parallel() < 2 || !s.tidy.knownToWrite() && !s.apart(o) {
			return s.run(ctx, o, q, "", false)
		}
		c, err := s.side.take(ctx)
		if err != nil {
			s.p.log.Warn("working copies of the patched project", zap.Error(err))
		}
		if c == nil {
			return s.run(ctx, o, q, "", false)
		}
		return c.run(ctx, o, q, "")
	})
}

// Orders so long, in a project so small, run in copies before it is known whether tests write: they
// would run twice if the tests do.
const (
	longOrder = 500       // tests
	quickCopy = 128 << 20 // bytes of all copies
)

// apart reports whether an order runs in a copy that no other process uses.
func (s *patched) apart(o suite.Order) bool {
	return !s.p.isolated && len(o) >= longOrder && s.p.copy.Size()*int64(s.Parallel()-1) <= quickCopy
}

// Alone implements repair.Site.
func (s *patched) Alone() repair.Site { return &patched{clone: s.clone, side: s.side, alone: true} }

// Parallel implements repair.Site.
func (s *patched) Parallel() int { return s.pool.Parallel() }

// Close implements repair.Site.
func (s *patched) Close() error {
	s.side.close()
	return s.close()
}
