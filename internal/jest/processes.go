package jest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// slot is a working copy, in which one process works at a time. What tests write in it is undone
// before the next.
type slot struct {
	dir, tmp string // the copy of the checkout, and what its tests have for temporary files
	tree     *tree
	pool     *harness.Pool
	living   *harness.Living // answers one order after the other
}

// fill makes the copy, with links to the packages that are installed in another folder.
func (s *slot) fill(ctx context.Context, from *tree, installed string) (err error) {
	for _, dir := range []string{s.dir, s.tmp} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if s.tree, err = from.clone(ctx, s.dir); err != nil {
		return err
	}
	return linkModules(s.tree, installed, s.dir)
}

// variant is the file that names what odfix has replaced in the copy, beside it.
func (s *slot) variant() string { return filepath.Join(filepath.Dir(s.dir), ".replaced") }

// replaces writes the variant: a digest of the replaced files that others may import, which no test
// file is.
func (s *slot) replaces(files map[string]string, isTest func(rel string) bool) error {
	h, n := sha256.New(), 0
	for _, rel := range slices.Sorted(maps.Keys(files)) {
		if !isTest(rel) {
			n++
			fmt.Fprintf(h, "%s %d\n%s", rel, len(files[rel]), files[rel])
		}
	}
	if n == 0 {
		err := os.Remove(s.variant())
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return os.WriteFile(s.variant(), fmt.Appendf(nil, "%x", h.Sum(nil)), 0o644)
}

// clean undoes what the last process wrote.
func (s *slot) clean(from *tree) (wrote []string, err error) {
	entries, err := os.ReadDir(s.tmp)
	for _, e := range entries {
		err = errors.Join(err, removeAll(filepath.Join(s.tmp, e.Name())))
	}
	wrote, rerr := s.tree.restore(from)
	if s.living != nil && len(wrote)+len(entries) > 0 {
		s.living.Forget()
	}
	return wrote, errors.Join(err, rerr)
}

// processes run orders of one package, as it is or with files replaced.
type processes struct {
	log        *zap.Logger
	tree       *tree // what working copies are restored from
	base       *harness.Pool
	slots      []*slot
	free       chan struct{} // one for each slot in idle
	sequential atomic.Bool
	isTest     func(rel string) bool // whether a file is a test file, which no other file imports

	mu       sync.Mutex
	overlays map[string]map[string]string // replaced files, by the name of the edit
	wrote    []string                     // files that tests were seen to write, of the first run that did
	closed   bool
	idle     []*slot // the one that was used last stands last
}

var (
	_ repair.Runner  = (*processes)(nil)
	_ repair.Builder = (*processes)(nil)
)

func newProcesses(log *zap.Logger, t *tree, n int) *processes {
	return &processes{log: log, tree: t, free: make(chan struct{}, n), overlays: map[string]map[string]string{},
		isTest: func(string) bool { return false }}
}

// take waits for a working copy.
func (l *processes) take(ctx context.Context) (*slot, error) { return l.takeFor(ctx, suite.Fresh) }

// takeFor waits for a working copy, for a question of the price. Cheap ones prefer a copy in which a
// living process waits.
func (l *processes) takeFor(ctx context.Context, price suite.Price) (*slot, error) {
	select {
	case <-l.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := len(l.idle) - 1
	for i, s := range l.idle {
		if (price == suite.Fresh) != (s.living != nil && s.living.Runs()) {
			at = i
		}
	}
	s := l.idle[at]
	l.idle = slices.Delete(l.idle, at, at+1)
	return s, nil
}

// back makes a working copy free.
func (l *processes) back(s *slot) {
	l.mu.Lock()
	l.idle = append(l.idle, s)
	l.mu.Unlock()
	l.free <- struct{}{}
}

// give cleans a working copy and hands it back.
func (l *processes) give(s *slot) { l.giveReplaced(s, nil) }

// giveReplaced is give for a copy in which odfix has replaced files.
func (l *processes) giveReplaced(s *slot, replaced map[string]string) {
	wrote, err := s.clean(l.tree)
	if err != nil {
		l.log.Warn("undoing what tests wrote into the project's folder", zap.Error(err))
	}
	wrote = slices.DeleteFunc(wrote, func(rel string) bool { _, ours := replaced[rel]; return ours })
	if len(wrote) > 0 {
		l.mu.Lock()
		if len(l.wrote) == 0 {
			l.wrote = wrote
		}
		l.mu.Unlock()
	}
	l.back(s)
}

// Run implements repair.Runner.
func (l *processes) Run(ctx context.Context, o suite.Order, t repair.Trial) (*suite.Run, error) {
	files, err := l.overlay(t.Overlay)
	if err != nil {
		return nil, err
	}
	q := harness.Question{Price: t.Price, Switches: t.Switches, Alone: t.Alone || l.sequential.Load()}
	return l.ask(ctx, o, q, &site{l: l, files: files})
}

// ask runs the order at a site, in a working copy. A test that seems to hang and may only be slow
// runs again with more time.
func (l *processes) ask(ctx context.Context, o suite.Order, q harness.Question, at *site) (*suite.Run, error) {
	began := time.Now()
	defer func() {
		l.log.Debug("asked", zap.Int("tests", len(o)), zap.String("price", string(q.Price)),
			zap.Bool("patched", at.changed()), zap.Duration("took", time.Since(began)))
	}()
	if why := inexpressible(o); why != "" {
		return unresolved(o, q.Price, why), nil
	}
	var run *suite.Run
	err := l.with(ctx, q.Price, at.files, func(s *slot) (err error) {
		run, err = at.run(ctx, s, o, q)
		return err
	})
	var r *harness.RefusedError
	if errors.As(err, &r) && !r.Gone {
		return unresolved(o, q.Price, r.Reason), nil
	}
	if err != nil {
		return nil, refused(err)
	}
	if run.Crash == nil || !run.Crash.Premature {
		return run, nil
	}
	l.log.Info("asking again with more time", zap.String("test", string(run.Crash.During)), zap.String("hang", run.Crash.Detail))
	q.MoreTime = true
	err = l.with(ctx, q.Price, at.files, func(s *slot) (err error) {
		run, err = at.run(ctx, s, o, q)
		return err
	})
	return run, refused(err)
}

// run runs an order in a new process, or in the living one where a hint is enough.
func (at *site) run(ctx context.Context, s *slot, o suite.Order, q harness.Question) (*suite.Run, error) {
	switch {
	case at.pool != nil:
		pool, err := at.pool(s)
		if err != nil {
			return nil, err
		}
		return pool.Run(ctx, o, q)
	case q.Price == suite.Fresh:
		return s.pool.Run(ctx, o, q)
	}
	return s.living.Run(ctx, o, q)
}

// inexpressible says why Jest cannot run an order: it runs each file once, and each test of it
// once.
func inexpressible(o suite.Order) string {
	tests, files := map[suite.TestID]bool{}, map[string]bool{}
	for i, t := range o {
		file, _ := jestid.Split(t)
		if tests[t] {
			return string(t) + " stands in the order twice, and Jest runs a test once"
		}
		if files[file] && file != jestid.Syntax.Group(jestid.Syntax{}, o[i-1]) {
			return "the order leaves the file " + file + " and comes back to it, and Jest runs a file once"
		}
		tests[t], files[file] = true, true
	}
	return ""
}

// unresolved is the run of an order that Jest cannot run although its tests are there. It shows
// nothing, and ends no search.
func unresolved(o suite.Order, price suite.Price, why string) *suite.Run {
	run := &suite.Run{Order: o, Price: price, Output: "odfix: " + why + "\n"}
	for i, t := range o {
		run.Results = append(run.Results, suite.Result{Test: t, Outcome: suite.Unresolved, Position: i})
	}
	return run
}

// with does something in a working copy in which files are replaced.
func (l *processes) with(ctx context.Context, price suite.Price, files map[string]string, do func(*slot) error) error {
	l.mu.Lock()
	closed := l.closed
	l.mu.Unlock()
	if closed {
		return harness.ErrClosed
	}
	s, err := l.takeFor(ctx, price)
	if err != nil {
		return err
	}
	defer l.giveReplaced(s, files)
	if err := s.replaces(files, l.isTest); err != nil {
		return fmt.Errorf("writing the patch: %w", err)
	}
	for rel, text := range files {
		if err := replace(s.dir, rel, text); err != nil {
			return fmt.Errorf("writing the patch: %w", err)
		}
	}
	return do(s)
}

// replace writes a file of a copy. A link that leads out of the copy is never followed: what it
// points to belongs to somebody else.
func replace(root, rel, text string) error {
	path := filepath.Join(root, filepath.FromSlash(rel))
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	if to, err := filepath.Rel(real, dir); err != nil || !filepath.IsLocal(to) {
		return fmt.Errorf("%s is reached through a link that leads out of the project", rel)
	}
	path = filepath.Join(dir, filepath.Base(path))
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	when := timeOf(text)
	return os.Chtimes(path, when, when)
}

// timeOf is a time that stands for a text. Jest takes files of equal times for equal.
func timeOf(text string) time.Time {
	sum := sha256.Sum256([]byte(text))
	return time.Unix(1<<30+int64(binary.BigEndian.Uint32(sum[:])>>3), 0)
}

// addOverlay keeps replaced files under a name.
func (l *processes) addOverlay(files map[string]string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := fmt.Sprintf("edit-%d", len(l.overlays))
	l.overlays[name] = maps.Clone(files)
	return name
}

func (l *processes) overlay(name string) (map[string]string, error) {
	if name == "" {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	files, ok := l.overlays[name]
	if !ok {
		return nil, fmt.Errorf("there is no edit %s", name)
	}
	return files, nil
}

// Series implements repair.Runner.
func (l *processes) Series(ctx context.Context, o suite.Order, overlay string, next func(*suite.Run) (string, bool)) error {
	files, err := l.overlay(overlay)
	if err != nil {
		return err
	}
	var last *suite.Run
	for {
		switches, more := next(last)
		if !more || last != nil && last.Crash != nil {
			return nil
		}
		q := harness.Question{Price: suite.Batched, Switches: switches, Alone: l.sequential.Load()}
		if last, err = l.ask(ctx, o, q, &site{l: l, files: files}); err != nil {
			return fmt.Errorf("in a series of orders: %w", err)
		}
	}
}

// Serial implements repair.Runner.
func (l *processes) Serial() bool { return true }

// Parallel implements repair.Runner.
func (l *processes) Parallel() int { return len(l.slots) }

// Sequential implements project.Project.
func (l *processes) Sequential() { l.sequential.Store(true) }

// Stats implements project.Project.
func (l *processes) Stats() project.Stats {
	s := l.base.Stats()
	return project.Stats{Questions: s.Questions, Tests: s.Tests, Starts: s.Starts, Processor: s.Processor, Copies: len(l.slots)}
}

// Notes implements project.Project.
func (l *processes) Notes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.wrote) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The tests write into the project's folder (%s); odfix undoes that after each order.",
		strings.Join(l.wrote[:min(len(l.wrote), 3)], ", "))}
}

// close ends every process. The pools come first: after them no hint starts another process.
func (l *processes) close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	var err error
	for _, s := range l.slots {
		if s.pool != nil {
			err = errors.Join(err, s.pool.Close())
		}
		if s.living != nil {
			s.living.Close()
		}
	}
	return err
}

// size is how many bytes the tree takes.
func (t *tree) size() (n int64) {
	for _, e := range t.entries {
		n += e.size
	}
	return n
}
