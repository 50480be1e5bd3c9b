package java

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Bounds of the search for statements that restore state.
const (
	resetForeign = 6  // added to the price of statements for a library's field
	resetsEach   = 60 // statements for one state
	resetsAll    = 120
	resetKnown   = 6 // differences of one state from which statements are made
	resetFiles   = 6 // files that the polluter leaves, and folders with all that is in them
)

// Rewrites implements project.Editor: it unshares static fields of test classes, and what is set up for
// all tests of a class with one instance.
func (e *editor) Rewrites(_ context.Context, places []string, tests []suite.TestID) []patch.Made {
	own := suite.Filter(places, func(place string) bool {
		return slices.ContainsFunc(tests, func(t suite.TestID) bool { return origin(place, t) == project.OwnGroup })
	})
	var out []patch.Made
	for _, place := range own {
		out = append(out, patch.Made{Unshare: []string{place}, Resets: place})
	}
	for _, place := range places {
		if class, ok := strings.CutPrefix(place, state.Instance); ok {
			out = append(out, patch.Made{Unshare: []string{class + patch.ClassSetUp}, Resets: place})
		}
	}
	if len(own) > 1 {
		out = append(out, patch.Made{Unshare: own, Resets: strings.Join(own, ", ")})
	}
	return out
}

// Resets implements project.Editor.
func (e *editor) Resets(ctx context.Context, q project.ResetQuery) (*project.Resets, error) {
	out := &project.Resets{Bodies: map[string]string{}}
	var all []priced
	var short error // why statements for some of the state are missing
	for i, place := range q.Fields {
		if more, is := e.process(place, i, q); is {
			all = append(all, more...)
			continue
		}
		more, err := e.field(ctx, place, i, q, out)
		if err != nil {
			e.log.Warn("looking for statements that restore a field", zap.String("field", place), zap.Error(err))
			short = errors.Join(short, err)
			continue // statements for other state may be enough
		}
		all = append(all, more...)
	}
	if !q.Cause.Brittle() && q.Reset {
		all = append(all, deleting(q.Files, e.p.copy.Tree(), &e.p.launch)...)
	}
	all = append(all, e.closing(ctx, q)...)
	if len(all) > resetsAll || short != nil {
		out.Looked = nil // not all statements are tried, so odfix cannot conclude that none helps
	}
	out.Made = append(likeliest(all), renewing(q)...)
	return out, short
}

// process returns the statements that restore state of the process. is reports whether place names
// such state.
func (e *editor) process(place string, i int, q project.ResetQuery) (out []priced, is bool) {
	m, is := ofProcess(place, e.p.preset, q.Cause.Brittle(), q.Changes)
	if m == nil || !q.Reset {
		return nil, is
	}
	out = append(out, priced{*m, 2 * i})
	if !q.Cause.Brittle() {
		for _, a := range annotated(place) {
			out = append(out, priced{a, 2*i - 1})
		}
	}
	return out, is
}

// field returns the statements that restore a static field. A patch puts them at the polluter or at
// the first test.
func (e *editor) field(ctx context.Context, place string, i int, q project.ResetQuery, out *project.Resets) ([]priced, error) {
	known := differences(place, q.Changes)
	found, err := e.client.Resets(ctx, workbench.ResetsRequest{
		Project: e.project, Field: place, Tests: testsOf(q), Limit: resetsEach, Sets: q.Cause.Brittle(), Changes: known, Reflection: true,
	})
	if err != nil {
		return nil, err
	}
	if origin(place, q.Cause.Cases[0].Test) <= project.Container {
		i += resetForeign
	} else if found.Known && found.Whole() && q.Reset {
		out.Looked = append(out.Looked, found.Field)
		if slices.ContainsFunc(testsOf(q), func(t suite.TestID) bool { return origin(place, t) == project.OwnGroup }) {
			out.OfTests = append(out.OfTests, found.Field)
		}
		out.Bodies[found.Field] = found.Body
	}
	if slices.ContainsFunc(found.Candidates, func(r workbench.Reset) bool { return r.Reflects() }) {
		out.Reflectable = append(out.Reflectable, found.Field)
	}
	e.log.Info("looked for statements that restore a field", zap.String("field", place),
		zap.Bool("known", found.Known), zap.Int("found", found.Found), zap.Any("differs", known))
	return madeFor(place, wanted(found.Candidates, q), known, i), nil
}

// testsOf returns the tests whose code shows how the state is used: the failing test, the last
// polluter, and the last state-setter.
func testsOf(q project.ResetQuery) []suite.TestID {
	tests := []suite.TestID{q.Cause.Cases[0].Test}
	if n := len(q.Cause.Polluter); n > 0 {
		tests = append(tests, q.Cause.Polluter[n-1])
	}
	if n := len(q.Setter); n > 0 {
		tests = append(tests, q.Setter[n-1])
	}
	return tests
}

// wanted keeps the candidates of the requested kinds.
func wanted(found []workbench.Reset, q project.ResetQuery) []workbench.Reset {
	return slices.DeleteFunc(slices.Clone(found), func(r workbench.Reset) bool {
		if r.Reflects() {
			return !q.Reflect
		}
		return !q.Reset
	})
}

// differences returns the known differences at and below the place.
func differences(place string, changes []state.Change) []workbench.Change {
	var out []workbench.Change
	for _, ch := range changes {
		known := workbench.Change{Path: ch.Path, Before: ch.Before, After: ch.After}
		if ch.Field == place && !slices.Contains(out, known) && len(out) < resetKnown {
			out = append(out, known)
		}
	}
	return out
}

// deleting returns statements that delete files that the polluter leaves in the module's folder of
// build output: all of them, and each one. files is sorted. Tests find them from their working
// directory. Elsewhere, a file at that path may be a developer's own.
func deleting(files []string, tree string, l *build.Launch) []priced {
	output := filepath.Dir(l.TestOutput)
	if output == filepath.Clean(l.Basedir) {
		return nil
	}
	var out []priced
	for _, file := range slices.Backward(fewest(files)) { // a folder is empty when what is in it is deleted
		path := filepath.Join(tree, file)
		built, outside := filepath.Rel(output, path)
		from, err := filepath.Rel(l.Dir, path)
		if outside != nil || !filepath.IsLocal(built) || err != nil {
			continue
		}
		out = append(out, priced{patch.Made{
			Statements: []string{"new java.io.File(" + javaString(filepath.ToSlash(from)) + ").delete();"},
			Resets:     job.LeftFile + filepath.ToSlash(from),
		}, 0})
	}
	if len(out) < 2 {
		return out
	}
	var all patch.Made
	var names []string
	for _, f := range out {
		all.Statements = append(all.Statements, f.Statements...)
		names = append(names, f.Resets)
	}
	all.Resets = strings.Join(names, ", ")
	return append(out, priced{all, 1})
}

// fewest returns at most resetFiles of the sorted files: those with nothing in them first, then folders
// with all that is in them.
func fewest(files []string) []string {
	in := func(dir, file string) bool { return strings.HasPrefix(file, dir+string(filepath.Separator)) }
	var tops [][]string // each file or folder with all that is in it
	for _, f := range files {
		if n := len(tops); n > 0 && in(tops[n-1][0], f) {
			tops[n-1] = append(tops[n-1], f)
		} else {
			tops = append(tops, []string{f})
		}
	}
	slices.SortStableFunc(tops, func(a, b []string) int { return cmp.Compare(len(a), len(b)) })
	var out []string
	for _, all := range tops {
		if len(out)+len(all) <= resetFiles {
			out = append(out, all...)
		}
	}
	slices.Sort(out)
	return out
}

// closing returns statements that close what the polluter's class leaves open. They do not depend
// on the state that is known to matter.
func (e *editor) closing(ctx context.Context, q project.ResetQuery) []priced {
	if len(q.Cause.Polluter) == 0 || !q.Reset {
		return nil
	}
	last := q.Cause.Polluter[len(q.Cause.Polluter)-1]
	found, err := e.client.ClosingStatements(ctx, workbench.ClosingRequest{Project: e.project, Tests: []suite.TestID{last}})
	if err != nil {
		e.log.Warn("looking for what the polluter's class leaves open", zap.String("class", classOf(last)), zap.Error(err))
		return nil // the other statements are tried nevertheless
	}
	var out []priced
	for _, r := range found.Candidates {
		place := r.Field
		if place == "" {
			place = state.LeftOpen + classOf(last)
		}
		out = append(out, madeFor(place, []workbench.Reset{r}, nil, 0)...)
	}
	return out
}
