// Package maven finds out how a project compiles and launches its tests. It asks the project's own
// build tool. odfix can then launch the tests thousands of times in the same way without the build
// tool.
//
// An extension of Maven (runner/junit/launch) records the configured mojos of one real run; see
// Project.Record. odfix guesses nothing from the pom.
//
// Invariants: odfix only reads the checkout. It builds in a private copy below Options.Work. The
// copy keeps its compiled outputs between runs and is locked while a Project is open. No process
// started here outlives odfix.
package maven

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/odfix/odfix/internal/cache"
	"github.com/odfix/odfix/internal/lockfile"
)

// DefaultBudget bounds one run of the build tool if Options does not.
const DefaultBudget = 10 * time.Minute

// Options are what to build and how.
type Options struct {
	Dir      string        // the checkout, or any folder in it
	Module   string        // folder, artifactId or groupId:artifactId; empty: found from Tests and Dir
	Tests    []string      // failing tests ("a.B#m" or "a.B"), to find their module and plugin execution
	Args     []string      // passed to the build tool as they are
	Offline  bool          // run the build tool offline
	JavaHome string        // JDK for the build; empty: the environment's
	Work     string        // where copies and records are kept; empty: the user's cache folder
	Log      io.Writer     // receives what the build tool prints; nil: only the log file receives it
	Budget   time.Duration // wall time of one run of the build tool; zero: DefaultBudget
	Wait     time.Duration // how long to wait for another odfix to free the copy
}

// Project is one checkout and its private copy. Its methods are not safe for
// concurrent use, except TestCompile on different folders.
type Project struct {
	opts   Options
	layout layout
	slot   string // folder of this project's copy and records
	lock   io.Closer
	// stopClean ends the removal of old copies of other checkouts.
	stopClean func()
	files     manifest
	module    string // chosen module, relative to the reactor root; "" for all modules or the only one
	maven     mavenTool
	alone     bool   // the module is built in its own folder, because the reactor root does not list it
	phase     string // the build phase that must run before tests can be compiled: "test" or "package"
}

// Open finds the project around opts.Dir and locks a copy of it. Errors for people are of type
// *Error.
func Open(ctx context.Context, opts Options) (*Project, error) {
	if opts.Budget <= 0 {
		opts.Budget = DefaultBudget
	}
	l, err := locate(opts.Dir)
	if err != nil {
		return nil, err
	}
	work, err := workFolder(opts.Work)
	if err != nil {
		return nil, err
	}
	opts.Work = work
	limit, err := cache.Limit(os.Getenv)
	if err != nil {
		return nil, &Error{Code: CodeDisk, Message: err.Error(), Hint: "`odfix cache` shows what the folder holds."}
	}
	p := &Project{opts: opts, layout: l, phase: "test"}
	if err := p.takeSlot(ctx, limit); err != nil {
		return nil, err
	}
	if err := p.prepare(ctx); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Project) prepare(ctx context.Context) error {
	if err := p.sync(ctx); err != nil {
		return err
	}
	var err error
	if p.module, err = p.chooseModule(ctx); err != nil {
		return err
	}
	p.maven, err = p.findMaven()
	return err
}

// Close frees the copy for other runs of odfix. Launches stay usable until the next build in the
// copy.
func (p *Project) Close() error {
	if p.lock == nil {
		return nil
	}
	p.stopClean()
	err := errors.Join(RemoveAll(filepath.Join(p.slot, scratchName)), p.lock.Close())
	p.lock = nil
	return err
}

// Root is the checkout's folder in which the build tool is run.
func (p *Project) Root() string { return p.layout.reactor }

// Checkout is the root of what was copied: the git work tree around the
// project or, outside git, the project's topmost folder. Paths in patches are
// relative to it.
func (p *Project) Checkout() string { return p.layout.anchor }

// Copy is the path in the private copy for a path in the checkout.
func (p *Project) Copy(path string) string { return rebase(path, p.layout.anchor, p.tree()) }

// Source is the path in the checkout for a path in the private copy.
func (p *Project) Source(path string) string { return rebase(path, p.tree(), p.layout.anchor) }

// Tool names the build tool and its version where known, for people.
func (p *Project) Tool() string { return p.maven.String() }

// tree is the copy of layout.anchor. Its folder has the same name, because some builds use it.
func (p *Project) tree() string { return filepath.Join(p.slot, "tree", filepath.Base(p.layout.anchor)) }

func workFolder(work string) (string, error) {
	if work != "" {
		return filepath.Abs(work)
	}
	dir, err := cache.Dir()
	if err != nil {
		return "", &Error{Code: CodeDisk, Message: "no folder to build in: " + err.Error(),
			Hint: "Name one: set HOME, or pass a work folder."}
	}
	return dir, nil
}

// slots is how many runs of odfix may have the same checkout open at once, each with its own copy.
const slots = 4

// takeSlot locks the first free copy of the checkout. A second run of odfix uses a second copy, so
// that class files do not change under its tests. Each JDK has its own copies, because an older JDK
// would not compile again what a newer one has compiled.
func (p *Project) takeSlot(ctx context.Context, limit int64) error {
	sum := sha256.Sum256([]byte(p.layout.base + "\x00" + p.jdk()))
	name := filepath.Base(p.layout.base) + "-" + hex.EncodeToString(sum[:6])
	wait, cancel := context.WithTimeout(ctx, p.opts.Wait)
	defer cancel()
	for {
		var lost error
		for i := 1; i <= slots; i++ {
			dir := filepath.Join(p.opts.Work, "builds", fmt.Sprintf("%s-%d", name, i))
			// The copy holds sources, which other users of the machine must not read.
			lock, err := lockfile.TryIn(dir, cache.LockName, 0o700)
			if err != nil {
				return diskError("cannot make and lock a folder to build in", err)
			}
			if lock != nil {
				p.slot, p.lock = dir, lock
				if err := p.discard(); err != nil {
					lost = diskError("cannot remove a copy in which tests wrote", err)
					_ = p.lock.Close()
					p.lock = nil
					continue
				}
				p.stopClean = cache.Start(p.opts.Work, limit, RemoveAll)
				sweep(filepath.Join(p.opts.Work, "builds"))
				return nil
			}
		}
		if lost != nil {
			return lost
		}
		select {
		case <-wait.Done():
			return &Error{Code: CodeLocked, Message: fmt.Sprintf("%d other runs of odfix are using %s", slots, p.layout.base),
				Hint: "Wait for one of them to end, or stop it."}
		case <-time.After(200 * time.Millisecond):
		}
	}
}
