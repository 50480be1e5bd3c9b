package main

import (
	"context"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/build"
	"github.com/odfix/odfix/internal/suite"
)

// tidy keeps what tests write into a copy of the project from reaching the next
// question: a file that a polluter left would make its victim fail alone from then on. Before a fresh process
// starts, what earlier ones wrote is undone, for which those still at work are waited for. Once tests were seen to write,
// every fresh process works there by itself, since only fresh answers are claimed, and others begin
// where they can as after a fresh one. Its locks are held for as long as a process runs, which has a limit of its own.
type tidy struct {
	tree *build.Pristine
	log  *zap.Logger

	at      sync.RWMutex // held by processes at work; to write by one that is to be by itself
	dirty   atomic.Bool  // a process ran since files were undone
	litters atomic.Bool  // tests were seen to write files
	clean   bool         // all that was written could be undone
	wrote   []string     // what was undone last
}

// newTidy remembers the folder as it is, keeping its files in kept. Where that fails, nothing is undone.
func newTidy(ctx context.Context, log *zap.Logger, remember func(ctx context.Context, kept string) (*build.Pristine, error), kept string) *tidy {
	tree, err := remember(ctx, kept)
	if err != nil {
		log.Warn("what tests write into the project's folder is not undone", zap.Error(err))
		return nil
	}
	return &tidy{tree: tree, log: log, clean: true}
}

// enter waits until a process may work in the folder, and undoes what earlier ones wrote. A nil tidy does nothing.
func (t *tidy) enter(alone bool, price suite.Price) (leave func()) {
	if t == nil {
		return func() {}
	}
	fresh := price == suite.Fresh
	if alone || fresh && t.litters.Load() {
		t.at.Lock()
		t.undo()
		return func() { t.dirty.Store(true); t.at.Unlock() }
	}
	for {
		t.at.RLock()
		if !t.dirty.Load() || !fresh && !t.litters.Load() {
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
	return t.leave
}

func (t *tidy) leave() { t.dirty.Store(true); t.at.RUnlock() }

// seen says whether tests are known to write files.
func (t *tidy) seen() bool { return t != nil && t.litters.Load() }

// undo is called while nobody else works in the folder. It is false where something could not be undone.
func (t *tidy) undo() bool {
	if !t.dirty.Swap(false) {
		return t.clean
	}
	files, err := t.tree.Restore()
	if err != nil {
		t.clean = false
		t.log.Warn("undoing what tests wrote into the project's folder", zap.Error(err))
	}
	if len(files) > 0 && !t.litters.Swap(true) {
		t.log.Info("tests write into the project's folder", zap.Int("files", len(files)), zap.Strings("some", files[:min(len(files), 5)]))
	}
	t.wrote = files
	return t.clean
}

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

// left is what was written in the folder since it was last undone.
func (t *tidy) left() (files []string) {
	_ = t.still(func() error { return nil })
	if t != nil {
		t.at.Lock()
		defer t.at.Unlock()
		files, t.wrote = t.wrote, nil
	}
	return files
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
