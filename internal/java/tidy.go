package java

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/suite"
)

// tidy undoes what tests write into a copy of the project, so that files do not affect later runs.
// For example, a file that a polluter left would make its victim fail alone.
//
// Before a fresh process starts, tidy waits for running processes and undoes what earlier processes
// wrote. When a process ends, tidy compares the folder. If tests wrote files, and other processes
// worked there meanwhile, their files may explain the outcome. The order then runs again alone, and
// from then on every fresh process runs alone.
//
// Claims need fresh outcomes. So a process that is not fresh starts at once if it cannot get the
// folder for itself. The locks are held while a process runs, and a process has a time limit.
type tidy struct {
	tree *build.Pristine
	log  *zap.Logger

	at         sync.RWMutex // read-locked by processes that share the folder, write-locked by one that runs alone
	dirty      atomic.Bool  // a process ran since files were undone
	testsWrite *atomic.Bool // tests were seen to write files, in this copy of the project or another
	clean      bool         // all that was written could be undone

	mu    sync.Mutex
	wrote []string        // what was undone since the last takeWritten; at most maxWrote
	here  map[*visit]bool // the processes that share the folder now
}

// visit is a process that shares the folder with others.
type visit struct {
	met bool // another process was there at the same time
}

// maxWrote bounds how many files tidy reports.
const maxWrote = 1000

// newTidy records the folder, and keeps copies of its files in kept. The folder may be a copy of
// another one, whose tidy has copies of the same files already. If that fails, nothing is undone.
// All copies of one project share testsWrite, because tests that write in one copy write in each.
func newTidy(ctx context.Context, log *zap.Logger, testsWrite *atomic.Bool, of *tidy, root, kept string) *tidy {
	tree, err := of.pristine().RememberCopy(ctx, root, kept)
	if err != nil {
		log.Warn("what tests write into the project's folder is not undone", zap.Error(err))
		return nil
	}
	return &tidy{tree: tree, log: log, testsWrite: testsWrite, clean: true}
}

// pristine returns the folder's recorded content, or nil if it was not recorded.
func (t *tidy) pristine() *build.Pristine {
	if t == nil {
		return nil
	}
	return t.tree
}

// run calls do, which runs a process in the folder. It calls do again if the process may have seen
// files of other processes.
func (t *tidy) run(alone bool, price suite.Price, do func() error) error {
	met, err := t.once(alone, price, do)
	if err == nil && met {
		_, err = t.once(true, price, do)
	}
	return err
}

// once calls do, which runs a process in the folder. It reports whether the process may have seen
// files of other processes.
func (t *tidy) once(alone bool, price suite.Price, do func() error) (met bool, err error) {
	leave := t.enter(alone, price)
	err = do()
	return leave(), err
}

// enter waits until a process may work in the folder, and undoes what earlier processes wrote.
// leave reports whether a fresh process may have seen files of other processes. A nil tidy does
// nothing.
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
	var v *visit
	for {
		t.at.RLock()
		v = t.join() // before it looks for files of others, which may end meanwhile
		if !t.dirty.Load() || !fresh && !t.testsWrite.Load() {
			break
		}
		t.part(v)
		t.at.RUnlock()
		switch {
		case fresh:
			t.at.Lock()
		case !t.at.TryLock():
			t.at.RLock() // other processes run, and this one may see their files
			return t.leave(t.join())
		}
		t.undo()
		t.at.Unlock()
	}
	if fresh {
		return func() bool { return t.look(v) }
	}
	return t.leave(v)
}

// join adds a process to those that share the folder.
func (t *tidy) join() *visit {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := &visit{met: len(t.here) > 0}
	for other := range t.here {
		other.met = true
	}
	if t.here == nil {
		t.here = map[*visit]bool{}
	}
	t.here[v] = true
	return v
}

// part removes the process again. It reports whether another one was there at the same time.
func (t *tidy) part(v *visit) (met bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.here, v)
	return v.met
}

func (t *tidy) leave(v *visit) func() (met bool) {
	return func() bool {
		t.dirty.Store(true)
		t.part(v)
		t.at.RUnlock()
		return false
	}
}

// look is leave for a fresh process.
func (t *tidy) look(v *visit) (met bool) {
	defer t.at.RUnlock()
	defer func() { met = t.part(v) && met }()
	if !t.testsWrite.Load() {
		wrote, err := t.tree.Written()
		if err == nil && !wrote {
			return false
		}
		if err != nil {
			t.log.Warn("looking for what tests wrote into the project's folder", zap.Error(err))
		}
		t.testsWrite.Store(true) // also if the folder could not be compared
	}
	t.dirty.Store(true)
	return true
}

// knownToWrite reports whether tests are known to write files.
func (t *tidy) knownToWrite() bool { return t != nil && t.testsWrite.Load() }

// undo restores the folder. The caller makes sure that no process works there. undo reports whether
// everything could be undone.
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

// takeWritten returns what was undone since the last call. It does not wait for running processes.
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

// whileIdle undoes what tests wrote and calls do while no process works in the folder.
func (t *tidy) whileIdle(do func() error) error {
	if t == nil {
		return do()
	}
	t.at.Lock()
	defer t.at.Unlock()
	t.undo()
	return do()
}

// left calls do, which runs a process in the folder while no other works there. It undoes what the
// process wrote, and returns these files.
func (t *tidy) left(do func() error) (files []string, err error) {
	err = t.whileIdle(func() error {
		t.takeWritten() // files of earlier processes
		err := do()
		if t != nil {
			t.dirty.Store(true)
			t.undo()
			files = t.takeWritten()
		}
		return err
	})
	return files, err
}

// close undoes what tests wrote. It reports whether everything could be undone.
func (t *tidy) close() bool {
	if t == nil {
		return false
	}
	t.at.Lock()
	defer t.at.Unlock()
	return t.undo()
}
