// Package build has what odfix needs of a build tool of the JVM, whichever it is: a private copy of
// the checkout, how the build starts the JVM of its tests, and errors for people. Packages maven
// and gradle run the tools themselves.
//
// Invariants: odfix only reads the checkout. It builds in a private copy below Options.Work. The
// copy keeps its compiled outputs between runs and is locked while a Workspace is open. No process
// started here outlives odfix.
package build

import (
	"cmp"
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
	Module   string        // its folder, or its name in the build; empty: found from Tests and Dir
	Tests    []string      // failing tests ("a.B#m" or "a.B"), to find their module and plugin execution
	Args     []string      // passed to the build tool as they are
	Offline  bool          // run the build tool offline
	JavaHome string        // JDK for the build; empty: the environment's
	Work     string        // where copies and records are kept; empty: the user's cache folder
	Log      io.Writer     // receives what the build tool prints; nil: only the log file receives it
	Budget   time.Duration // wall time of one run of the build tool; zero: DefaultBudget
	Wait     time.Duration // how long to wait for another odfix to free the copy
}

// Folders are folders of a checkout. All paths are absolute and free of symbolic links.
type Folders struct {
	Start  string // of the build file nearest to the folder in which odfix was started
	Root   string // in which the build tool runs, the topmost one of the build
	Base   string // what is copied: Root, and what its build reads beside it
	Anchor string // the git work tree around Base, or Base itself; the copy's root corresponds to it
	Git    string // the .git of Anchor (folder or file), or ""
}

// Locate calls find with the folder of a job, without symbolic links. It adds the git work tree
// around what find returns.
func Locate(dir string, find func(dir string) (Folders, error)) (Folders, error) {
	dir = cmp.Or(dir, ".")
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return Folders{}, &Error{Code: CodeNoPom, Message: "there is no folder " + dir, Hint: "Name the folder of a project."}
	}
	if fi, err := os.Stat(abs); err == nil && !fi.IsDir() {
		abs = filepath.Dir(abs)
	}
	at, err := find(abs)
	if err != nil {
		return Folders{}, err
	}
	at.Anchor = at.Base
	for d := at.Base; ; d = filepath.Dir(d) {
		if Exists(filepath.Join(d, ".git")) {
			at.Anchor, at.Git = d, filepath.Join(d, ".git")
		}
		if at.Git != "" || d == filepath.Dir(d) {
			return at, nil
		}
	}
}

// Outputs says which folders of a checkout hold what its build has made.
type Outputs struct {
	Is      func(dir string) bool // reports whether the folder holds outputs
	Classes []string              // the folders in it with classes that a copy takes over; none: it takes over nothing
	Other   []string              // the folders in it that no compilation reads
	Reports []string              // those of Other with the reports of tests that run before anything is packaged
}

// Workspace is one checkout and its private copy. Its methods are not safe for concurrent use,
// except those on different clones.
type Workspace struct {
	Opts    Options
	At      Folders
	files   manifest
	outputs Outputs
	slot    string // folder of this project's copy and records
	lock    io.Closer
	// stopClean ends the removal of old copies of other checkouts.
	stopClean func()
}

// Open locks a copy of the checkout and updates it. Errors for people are of type *Error.
func Open(ctx context.Context, opts Options, at Folders, outputs Outputs) (*Workspace, error) {
	if opts.Budget <= 0 {
		opts.Budget = DefaultBudget
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
	w := &Workspace{Opts: opts, At: at, outputs: outputs}
	if err := w.takeSlot(ctx, limit); err != nil {
		return nil, err
	}
	if err := w.sync(ctx); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// Close frees the copy for other runs of odfix. Launches stay usable until the next build in the
// copy.
func (w *Workspace) Close() error {
	if w.lock == nil {
		return nil
	}
	w.stopClean()
	err := errors.Join(RemoveAll(filepath.Join(w.slot, scratchName)), w.lock.Close())
	w.lock = nil
	return err
}

// Checkout is the root of what was copied: the git work tree around the
// project or, outside git, the project's topmost folder. Paths in patches are
// relative to it.
func (w *Workspace) Checkout() string { return w.At.Anchor }

// Copy is the path in the private copy for a path in the checkout.
func (w *Workspace) Copy(path string) string { return rebase(path, w.At.Anchor, w.Tree()) }

// Source is the path in the checkout for a path in the private copy.
func (w *Workspace) Source(path string) string { return rebase(path, w.Tree(), w.At.Anchor) }

// Tree is the copy of At.Anchor. Its folder has the same name, because some builds use it.
func (w *Workspace) Tree() string { return filepath.Join(w.slot, "tree", filepath.Base(w.At.Anchor)) }

// Beside is the path of odfix' own file or folder of this name, beside the copy.
func (w *Workspace) Beside(name string) string { return filepath.Join(w.slot, name) }

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
func (w *Workspace) takeSlot(ctx context.Context, limit int64) error {
	sum := sha256.Sum256([]byte(w.At.Base + "\x00" + w.jdk()))
	name := filepath.Base(w.At.Base) + "-" + hex.EncodeToString(sum[:6])
	wait, cancel := context.WithTimeout(ctx, w.Opts.Wait)
	defer cancel()
	for {
		var lost error
		for i := 1; i <= slots; i++ {
			dir := filepath.Join(w.Opts.Work, "builds", fmt.Sprintf("%s-%d", name, i))
			// The copy holds sources, which other users of the machine must not read.
			lock, err := lockfile.TryIn(dir, cache.LockName, 0o700)
			if err != nil {
				return DiskError("cannot make and lock a folder to build in", err)
			}
			if lock != nil {
				w.slot, w.lock = dir, lock
				if err := w.discard(); err != nil {
					lost = DiskError("cannot remove a copy in which tests wrote", err)
					_ = w.lock.Close()
					w.lock = nil
					continue
				}
				w.stopClean = cache.Start(w.Opts.Work, limit, RemoveAll)
				sweep(filepath.Join(w.Opts.Work, "builds"))
				return nil
			}
		}
		if lost != nil {
			return lost
		}
		select {
		case <-wait.Done():
			return &Error{Code: CodeLocked, Message: fmt.Sprintf("%d other runs of odfix are using %s", slots, w.At.Base),
				Hint: "Wait for one of them to end, or stop it."}
		case <-time.After(200 * time.Millisecond):
		}
	}
}
