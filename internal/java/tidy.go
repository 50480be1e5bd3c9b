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

// tidy keeps what tests write into a copy of the project from reaching the next
// question: a file that a polluter left would make its victim fail alone from then on. Before a
// fresh process starts, what earlier ones wrote is undone, for which those still at work are waited
// for. When one of several ends, the folder is looked at: where tests wrote, what it said may be
// due to another's files, and it is asked again by itself, as every fresh process is from then on.
// Only fresh answers are claimed: others begin where they can as after a fresh one. Its locks are
// held for as long as a process runs, which has a limit of its own.
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

// maxWrote bounds how many files are told of.
const maxWrote = 1000

// newTidy remembers the folder as it is, keeping its files in kept. Where that fails, nothing is
// undone. All copies of one project share testsWrite: tests that write in one do so in each.
func newTidy(ctx context.Context, log *zap.Logger, testsWrite *atomic.Bool, root, kept string) *tidy {
	tree, err := maven.Remember(ctx, root, kept)
	if err != nil {
		log.Warn("what tests write into the project's folder is not undone", zap.Error(err))
		return nil
	}
	return &tidy{tree: tree, log: log, testsWrite: testsWrite, clean: true}
}

// run does something with a process in the folder, once more where it may have met files of others.
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
// says whether files of others may have been met by a fresh one. A nil tidy does nothing.
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
		t.testsWrite.Store(true) // also where it cannot be told
	}
	t.dirty.Store(true)
	return true
}

// seen says whether tests are known to write files.
func (t *tidy) seen() bool { return t != nil && t.testsWrite.Load() }

// undo is called while nobody else works in the folder. It is false where something could not be
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
		t.log.Debug("tests write into the project's folder", zap.Strings("files", some(undone.Files)), zap.Strings("came and went in", some(undone.Passing)))
	}
	t.mu.Lock()
	t.wrote = append(t.wrote, undone.Files[:min(len(undone.Files), maxWrote-len(t.wrote))]...)
	t.mu.Unlock()
	return t.clean
}

// told is what was undone since it was asked for last, without waiting for processes at work.
func (t *tidy) told() []string {
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

// still does something with the folder while nobody works in it, as it was before tests ran.
func (t *tidy) still(do func() error) error {
	if t == nil {
		return do()
	}
	t.at.Lock()
	defer t.at.Unlock()
	t.undo()
	return do()
}

// left is what was written in the folder since it was asked for last.
func (t *tidy) left() []string {
	_ = t.still(func() error { return nil })
	return t.told()
}

// close undoes what is left; false where something stays.
func (t *tidy) close() bool {
	if t == nil {
		return false
	}
	t.at.Lock()
	defer t.at.Unlock()
	return t.undo()
}
