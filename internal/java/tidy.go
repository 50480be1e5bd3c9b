package java

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/suite"
)

// tidy undoes what tests write into a copy of the project, so that it does not affect the next
// question: a file that a polluter left would make its victim fail alone from then on.
//
// Before a fresh process starts, it waits for the processes at work and undoes what earlier ones
// wrote. When one of several processes ends, it compares the folder. Where tests wrote, the outcome
// may be due to another process's files: the order runs again alone, as every fresh process does
// from then on. Only fresh outcomes are claimed: other processes begin where they can, as after a
// fresh one. The locks are held for as long as a process runs, which has a limit of its own.
type tidy struct {
	tree *maven.Pristine
	log  *zap.Logger

	at         sync.RWMutex // held by processes at work; to write by one that is to be by itself
	dirty      atomic.Bool  // a process ran since files were undone
	testsWrite *atomic.Bool // tests were seen to write files, in this copy of the project or another
	clean      bool         // all that was written could be undone

	mu    sync.Mutex
	wrote []string // what was undone and not asked for yet; at most maxWrote
}

// maxWrote bounds how many files are reported.
const maxWrote = 1000

// newTidy records the folder, and keeps its files in kept. If that fails, nothing is undone. All
// copies of one project share testsWrite: tests that write in one do so in each.
func newTidy(ctx context.Context, log *zap.Logger, testsWrite *atomic.Bool, root, kept string) *tidy {
	tree, err := maven.Remember(ctx, root, kept)
	if err != nil {
		log.Warn("what tests write into the project's folder is not undone", zap.Error(err))
		return nil
	}
	return &tidy{tree: tree, log: log, testsWrite: testsWrite, clean: true}
}

// run calls do, which runs a process in the folder, and once more where the process may have met
// files of others.
func (t *tidy) run(alone bool, price suite.Price, do func() error) error {
	leave := t.enter(alone, price)
	err := do()
	if met := leave(); err == nil && met {
		leave = t.enter(true, price)
		defer leave()
		return do()
	}
	return err
}

// enter waits until a process may work in the folder, and undoes what earlier ones wrote. Leaving
// reports whether a fresh process may have met files of others. A nil tidy does nothing.
func (t *tidy) enter(alone bool, price suite.Price) (leave func() (met bool)) {
	if t == nil {
		return func() bool { return false }
	}
	fresh := price == suite.Fresh
	if alone || fresh && t.testsWrite.Load() {
		t.at.Lock()
		t.undo()
		return func() bool {
			defer t.at.Unlock()
			t.dirty.Store(true)
			if fresh { // its process has ended
				t.undo()
			}
			return false
		}
	}
	for {
		t.at.RLock()
		if !t.dirty.Load() || !fresh && !t.testsWrite.Load() {
			break
		}
		t.at.RUnlock()
		switch {
		case fresh:
			t.at.Lock()
		case !t.at.TryLock():
			t.at.RLock() // beside others: their files may be there
			return t.leave
		}
		t.undo()
		t.at.Unlock()
	}
	if fresh {
		return t.look
	}
	return t.leave
}

func (t *tidy) leave() (met bool) {
	t.dirty.Store(true)
	t.at.RUnlock()
	return false
}

// look is leave for a fresh process beside which others may have worked.
func (t *tidy) look() (met bool) {
	defer t.at.RUnlock()
	if !t.testsWrite.Load() {
		wrote, err := t.tree.Written()
		if err == nil && !wrote {
			return false
		}
		if err != nil {
			t.log.Warn("looking for what tests wrote into the project's folder", zap.Error(err))
		}
		t.testsWrite.Store(true) // also where it is not known
	}
	t.dirty.Store(true)
	return true
}

// knownToWrite reports whether tests are known to write files.
func (t *tidy) knownToWrite() bool { return t != nil && t.testsWrite.Load() }

// undo is called while no process works in the folder. It is false where something could not be
// undone.
func (t *tidy) undo() bool {
	if !t.dirty.Swap(false) {
		return t.clean
	}
	undone, err := t.tree.Restore()
	if err != nil {
		t.clean = false
		t.log.Warn("undoing what tests wrote into the project's folder", zap.Error(err))
	}
	if undone.Wrote() {
		t.testsWrite.Store(true)
		t.log.Debug("tests write into the project's folder", zap.Strings("files", some(undone.Files)),
			zap.Strings("came and went in", some(undone.Passing)))
	}
	t.mu.Lock()
	t.wrote = append(t.wrote, undone.Files[:min(len(undone.Files), maxWrote-len(t.wrote))]...)
	t.mu.Unlock()
	return t.clean
}

// takeWritten is what was undone since the last call, without waiting for processes at work.
func (t *tidy) takeWritten() []string {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	files := t.wrote
	t.wrote = nil
	slices.Sort(files)
	return slices.Compact(files)
}

func some(files []string) []string { return files[:min(len(files), 5)] }

// whileIdle calls do while no process works in the folder, after undoing what tests wrote.
func (t *tidy) whileIdle(do func() error) error {
	if t == nil {
		return do()
	}
	t.at.Lock()
	defer t.at.Unlock()
	t.undo()
	return do()
}

// written is what was written in the folder since the last call.
func (t *tidy) written() []string {
	_ = t.whileIdle(func() error { return nil })
	return t.takeWritten()
}

// close undoes what tests wrote; false where something could not be undone.
func (t *tidy) close() bool {
	if t == nil {
		return false
	}
	t.at.Lock()
	defer t.at.Unlock()
	return t.undo()
}
