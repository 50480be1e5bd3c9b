package jest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

var _ project.Observer = (*Project)(nil)

// variants are pools of processes that start in another way than the project's own. They start no
// process in advance.
type variants struct {
	mu    sync.Mutex
	pools map[variant]*harness.Pool
}

// variant is a working copy in which processes run, and how they start: with an option of Jest, or
// observing.
type variant struct {
	slot   *slot
	option string // "": observing
}

func (v *variants) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var errs []error
	for _, pool := range v.pools {
		errs = append(errs, pool.Close())
	}
	v.pools = nil
	return errors.Join(errs...)
}

// observing is the pool of observing processes in a working copy.
func (p *Project) observing(s *slot) (*harness.Pool, error) { return p.variant(variant{slot: s}) }

func (p *Project) variant(v variant) (*harness.Pool, error) {
	p.variants.mu.Lock()
	defer p.variants.mu.Unlock()
	if pool := p.variants.pools[v]; pool != nil {
		return pool, nil
	}
	var more []string
	if v.option != "" {
		more = append(more, v.option)
	}
	spec, err := p.spec(v.slot, p.installed, more...)
	if err != nil {
		return nil, err
	}
	if v.option == "" {
		spec.Env = append(slices.Clone(spec.Env), "ODFIX_OBSERVE=1", "ODFIX_RESETS="+resetNames)
	}
	pool, err := p.base.With(spec, spec)
	if err != nil {
		return nil, err
	}
	if p.variants.pools == nil {
		p.variants.pools = map[variant]*harness.Pool{}
	}
	p.variants.pools[v] = pool.NoSpares()
	return pool, nil
}

// Observe implements project.Observer. What tests read is not seen: a test counts as a reader of the
// places whose names stand in its code, and as a weaker one of every other place that it can reach.
func (p *Project) Observe(ctx context.Context, o suite.Order, look project.Look) (*project.Observation, error) {
	if why := inexpressible(o); why != "" {
		return nil, &project.RefusedError{Reason: why, Tests: o}
	}
	files, err := p.overlay(look.Overlay)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	var seen *reports
	var run *suite.Run
	err = p.with(ctx, suite.Fresh, files, func(s *slot) error {
		pool, err := p.observing(s)
		if err != nil {
			return err
		}
		seen = &reports{order: o, calls: &p.calls}
		run, err = pool.Observe(ctx, o, seen, look.Within)
		return err
	})
	p.log.Debug("observed an order", zap.Int("tests", len(o)), zap.Duration("took", time.Since(began)))
	if err != nil {
		return nil, refused(err)
	}
	out := &project.Observation{Trace: seen.trace(run, suite.NewGroups(p.suite, p.Syntax())), Run: run}
	if look.Contents {
		out.Heap = seen.heap(suite.NewGroups(p.suite, p.Syntax()), look)
	}
	return out, nil
}

// RunRestored implements project.Observer.
func (p *Project) RunRestored(ctx context.Context, o suite.Order, places []string, before int) (run *suite.Run, restored []project.Restored, err error) {
	if why := inexpressible(o); why != "" {
		return unresolved(o, suite.Fresh, why), nil, nil
	}
	began := time.Now()
	var all []harness.Restored
	err = p.with(ctx, suite.Fresh, nil, func(s *slot) error {
		pool, err := p.observing(s)
		if err != nil {
			return err
		}
		run, all, err = pool.RestoreRun(ctx, o, harness.Restore{Fields: places, Before: before})
		return err
	})
	p.log.Debug("restored state", zap.Int("tests", len(o)), zap.Int("fields", len(places)), zap.Duration("took", time.Since(began)))
	var r *harness.RefusedError
	if errors.As(err, &r) && !r.Gone {
		return unresolved(o, suite.Fresh, r.Reason), nil, nil
	}
	for _, one := range all {
		restored = append(restored, project.Restored{Field: one.Field, Changed: one.Changed, Problem: one.Problem})
	}
	return run, restored, refused(err)
}

// FilesLeft implements project.Observer.
func (p *Project) FilesLeft(ctx context.Context, o suite.Order) (files []string, err error) {
	err = p.with(ctx, suite.Fresh, nil, func(s *slot) error {
		run, err := s.pool.Run(ctx, o, harness.Question{Price: suite.Fresh, Alone: p.sequential.Load()})
		if err != nil {
			return err
		}
		if run.Crash != nil {
			return fmt.Errorf("the files that tests leave are not known, because their process ended: %s", run.Crash.Detail)
		}
		files, err = s.tree.written()
		return err
	})
	for i, f := range files {
		files[i] = p.launch.inCheckout(f)
	}
	return files, refused(err)
}

// written are the files below the folder that are new, or not as they were copied.
func (t *tree) written() (files []string, err error) {
	err = filepath.WalkDir(t.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == modules {
			return skip(d)
		}
		fi, err := d.Info()
		if err != nil || d.IsDir() {
			return err
		}
		rel := slashed(relative(t.dir, path))
		if want, known := t.entries[rel]; !known || !want.same(path, fi) {
			files = append(files, rel)
		}
		return nil
	})
	return files, err
}

// Origin implements project.Observer.
func (p *Project) Origin(place string, t suite.TestID) project.Origin {
	kind, rest, _ := strings.Cut(place, " ")
	if strings.HasPrefix(place, state.Unfinished) {
		return project.Own
	}
	switch kind {
	case "var", "mock", "module", "mocked":
		switch file := jestid.File(t); {
		case rest == file || strings.HasPrefix(rest, file+" "):
			return project.OwnGroup
		case strings.Contains(rest, modules+"/"):
			return project.Library
		}
		return project.Own
	case "global":
		return project.Own
	}
	return project.Process
}

// Unobserved implements project.Observer.
func (p *Project) Unobserved() string {
	return "What functions keep in closures, what packages in node_modules keep, and what lies outside of the test process is not observed."
}

// ofProcess reports whether all files of a process share the place. Jest gives each file its own
// modules and globals, so that every other place is one of a file.
func ofProcess(place string) bool {
	kind, _, _ := strings.Cut(place, " ")
	return kind == "file" || kind == "core"
}

// reports are what a process reported of an order.
type reports struct {
	order    suite.Order
	names    []string // of the places, by number
	notes    []string
	segments []state.Segment
	captures []state.Capture
	calls    *calls
}

var (
	_ harness.HeapObserver = (*reports)(nil)
	_ harness.CallObserver = (*reports)(nil)
)

func (r *reports) Field(_ int, name string, _ bool) { r.names = append(r.names, name) }
func (r *reports) Note(text string)                 { r.notes = append(r.notes, text) }
func (r *reports) Segment(s state.Segment)          { r.segments = append(r.segments, s) }
func (r *reports) Capture(c state.Capture)          { r.captures = append(r.captures, c) }
func (r *reports) Calls(position int, list []harness.Call, imports []harness.Imported) {
	r.calls.add(r.file(position), list)
	r.calls.addImports(r.file(position), imports)
}
func (r *reports) file(position int) (file string) { return jestid.Syntax{}.Group(r.order[position]) }

// scoped is a place of the process, with an empty file, or of one test file.
type scoped struct {
	name, file string
}

// scope is the place of that number as seen in the file.
func (r *reports) scope(place int, file string) scoped {
	if name := r.names[place]; !ofProcess(name) {
		return scoped{name, file}
	}
	return scoped{name: r.names[place]}
}

// trace is the reports with reads.
func (r *reports) trace(run *suite.Run, groups *suite.Groups) *state.Trace {
	n := numbering{of: map[scoped]int{}, reach: map[string][]int{}, named: map[int][]int{}}
	t := state.NewTrace(r.order, groups)
	for _, s := range r.segments {
		if s.Kind == 'o' {
			continue
		}
		for _, place := range s.Written {
			at := r.scope(place, r.file(s.Position))
			if _, known := n.of[at]; known {
				continue
			}
			n.of[at] = len(n.of)
			n.reach[at.file] = append(n.reach[at.file], n.of[at])
			t.Field(at.name, false)
		}
	}
	for _, s := range r.segments {
		if isMention(s) {
			for _, place := range s.Read {
				if at, known := n.of[r.scope(place, r.file(s.Position))]; known {
					n.named[s.Position] = append(n.named[s.Position], at)
				}
			}
		}
	}
	for _, s := range r.segments {
		if s.Kind != 'o' && !isMention(s) {
			t.Segment(r.segment(s, n))
		}
	}
	for _, note := range r.notes {
		t.Note(note)
	}
	for i, res := range run.Results {
		if res.Outcome == suite.Fail {
			t.Failed(i)
		}
	}
	return t
}

// isMention reports whether a segment only says which places stand in the code of a test.
func isMention(s state.Segment) bool { return len(s.Read) > 0 }

// numbering is the places of a trace.
type numbering struct {
	of    map[scoped]int
	reach map[string][]int // by file: its own places; by "": those of the process
	named map[int][]int    // by position: the places that stand in the code of the test
}

// segment is one with the numbers of the trace.
func (r *reports) segment(s state.Segment, n numbering) state.Segment {
	file := r.file(s.Position)
	out := state.Segment{Kind: s.Kind, Position: s.Position}
	if s.Kind == 't' {
		out.Read, out.InitRead = n.named[s.Position], slices.Concat(n.reach[file], n.reach[""])
	}
	for _, place := range s.Written {
		out.Written = append(out.Written, n.of[r.scope(place, file)])
	}
	for _, v := range s.Values {
		v.Field = n.of[r.scope(v.Field, file)]
		out.Values = append(out.Values, v)
	}
	return out
}

// heap returns the reported differences in the observed fields.
func (r *reports) heap(groups *suite.Groups, look project.Look) *state.Heap {
	h := state.NewHeap(r.order, groups)
	for _, c := range r.captures {
		c.Changes = slices.DeleteFunc(c.Changes, func(ch state.Change) bool {
			return look.Fields != nil && !slices.Contains(look.Fields, ch.Field)
		})
		h.Capture(c)
	}
	return h
}
