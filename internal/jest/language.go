// Package jest investigates projects whose tests run with Jest.
//
// A Project is a copy of the checkout: one folder for each process that runs at a time, with links
// to the installed packages. Its tests run in processes that load the project's own Jest (package
// harness, runner/jest). Sources are parsed by the Babel that Jest carries, and edited as text.
package jest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/cache"
	"github.com/odfix/odfix/internal/lockfile"
	"github.com/odfix/odfix/internal/project"
)

// Language is JavaScript or TypeScript with Jest.
type Language struct{}

var _ project.Language = Language{}

// Name implements project.Language.
func (Language) Name() string { return "jest" }

// Recognises implements project.Language. A package with another test runner is recognised, too:
// the error of Open then says that it is not supported. So is a folder inside of a package.
func (Language) Recognises(dir string) bool {
	_, ok := packageFolder(dir)
	return ok
}

// Open implements project.Language.
func (Language) Open(ctx context.Context, o project.Options) (project.Project, error) {
	o = withDefaults(o)
	o.Phase(project.Building)
	o.Progress("making a copy of the project")
	p := &Project{opts: o, log: o.Log}
	if err := p.open(ctx); err != nil {
		_ = p.Close()
		return nil, explained(err)
	}
	if err := p.discover(ctx); err != nil {
		_ = p.Close()
		return nil, explained(err)
	}
	p.log.Info("project", zap.String("package", p.launch.pkg), zap.Int("tests", len(p.suite.Order())))
	return p, nil
}

// Build implements project.Language.
func (Language) Build(ctx context.Context, o project.Options) error {
	o = withDefaults(o)
	o.Phase(project.Building)
	o.Progress("fetching what the build needs")
	p := &Project{opts: o, log: o.Log}
	err := explained(p.open(ctx))
	_ = p.Close()
	return err
}

// withDefaults replaces callbacks that are not there.
func withDefaults(o project.Options) project.Options {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Phase == nil {
		o.Phase = func(project.Phase) {}
	}
	return o
}

// lockWait is how long another odfix in the same checkout is waited for.
const lockWait = 30 * time.Second

// workFolder is where the copies of a checkout are, kept for one odfix at a time.
func workFolder(ctx context.Context, o project.Options, root string) (dir string, lock io.Closer, err error) {
	if o.Work == "" {
		if o.Work, err = cache.Dir(); err != nil {
			return "", nil, err
		}
	}
	if o.Work, err = filepath.Abs(o.Work); err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256([]byte(root))
	dir = filepath.Join(o.Work, "jest", hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", nil, err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	end := time.After(lockWait)
	for {
		if lock, err = lockfile.TryIn(dir, cache.LockName, 0o755); err != nil || lock != nil {
			return dir, lock, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", nil, ctx.Err()
		case <-end:
			return "", nil, &project.Error{Code: CodeBusy, Message: "another odfix is at work in this project",
				Hint: "Wait until it is done, or end it."}
		}
	}
}
