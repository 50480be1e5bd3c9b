package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// resetPlaces is at how many places of one cause statements that restore them are looked for.
const resetPlaces = 8

// finder looks in the compiled code for statements that restored the state by which a cause was
// seen to reach its tests.
type finder struct {
	m *repairing
	// found is what the editor answered last.
	found *project.Resets
	// setter is what a brittle was seen to pass after: its literals serve as arguments, too.
	setter suite.Order
	// known are differences that hold everywhere.
	known []state.Change
	// unshared are the places for which unsharing was thought of.
	unshared []string
}

var _ repair.Finder = (*finder)(nil)

// places are those of the cause's tests, the project's own and the process's first.
func (f *finder) places(c repair.Cause) []string {
	var own, other []string
	for _, cs := range c.Cases {
		for _, p := range f.m.w.ways[cs.Test] {
			switch {
			case slices.Contains(own, p) || slices.Contains(other, p):
			case f.m.p.origin(p, cs.Test) == project.Library:
				other = append(other, p)
			default:
				own = append(own, p)
			}
		}
	}
	all := slices.Concat(own, other)
	return all[:min(resetPlaces, len(all))]
}

// Unshare implements repair.Finder. Which places are fields of the test's own class the editor
// knows.
func (f *finder) Unshare(c repair.Cause) []patch.Made {
	if !f.m.w.job.Wants(job.FromReset) {
		return nil
	}
	fresh := slices.DeleteFunc(f.places(c), func(place string) bool { return slices.Contains(f.unshared, place) })
	f.unshared = append(f.unshared, fresh...)
	return f.m.editor.Unshare(fresh, tests(c))
}

// Find implements repair.Finder.
func (f *finder) Find(ctx context.Context, c repair.Cause) ([]patch.Made, error) {
	f.found = &project.Resets{}
	if err := f.observe(ctx, c); err != nil {
		return nil, fmt.Errorf("observing the polluter: %w", err)
	}
	places := f.places(c)
	f.portable(ctx, c, places)
	found, err := f.m.editor.Resets(ctx, project.ResetQuery{
		Cause: c, Setter: f.setter, Fields: places, Changes: f.known,
		Reset: f.m.w.job.Wants(job.FromReset), Reflect: f.m.w.job.Wants(job.FromReflection),
	})
	if found == nil {
		return nil, err
	}
	f.found = found
	return append(f.Unshare(c), found.Made...), err
}

// portable asks once more what the cause leaves changed: patches are made from what two processes
// agree on.
func (f *finder) portable(ctx context.Context, c repair.Cause, places []string) {
	f.known = nil
	v, causes := c.Cases[0].Test, c.Polluter
	if len(causes) == 0 {
		causes = f.setter
	}
	if len(f.m.w.changes[v]) == 0 || len(causes) == 0 {
		return
	}
	again, err := f.m.p.differences(ctx, causes, v, places)
	if err != nil {
		f.m.w.log.Warn("what the cause leaves changed, once more", zap.Error(err))
		return // the statements are looked for without it
	}
	f.known = portable(f.m.w.changes[v], again, f.m.p.about.Local)
}

// maxMissing is how many fields without a reset method are named.
const maxMissing = 3

// describe says which fields have no reset method, where every statement that was found was tried:
// those that are known to matter, or the only one that was seen to be left changed.
func (f *finder) describe(c repair.Cause) {
	f.m.each(tests(c), func(t *job.TestReport) {
		for _, field := range f.found.Looked {
			matters := slices.ContainsFunc(t.State, func(place string) bool {
				return strings.HasPrefix(strings.ReplaceAll(place, "$", ".")+".", field+".")
			})
			if (matters || len(t.State) == 0 && len(f.found.Looked) == 1) && len(t.NoReset) < maxMissing {
				t.NoReset = append(t.NoReset, field)
				if slices.Contains(f.found.OfTests, field) {
					t.NoResetOfTests = append(t.NoResetOfTests, field)
				}
				f.body(t, field)
				if slices.Contains(f.found.Reflectable, field) && !f.m.w.job.Wants(job.FromReflection) {
					t.Reflectable = append(t.Reflectable, field)
				}
			}
		}
	})
}

// body says what a reset method for the field would do, where that is known.
func (f *finder) body(t *job.TestReport, field string) {
	if f.found.Bodies[field] == "" {
		return
	}
	if t.ResetBodies == nil {
		t.ResetBodies = map[string]string{}
	}
	t.ResetBodies[field] = f.found.Bodies[field]
}

// observe runs polluter and victim once more, observed, and adds what the former leaves changed and
// the latter reads. Where the victim ran first it may have filled what the polluter then finds
// filled: that order shows nothing of it.
func (f *finder) observe(ctx context.Context, c repair.Cause) error {
	v := c.Cases[0].Test
	if _, ok := f.m.p.base.(project.Observer); !ok {
		return nil // what the editor reads in the sources is all that is known
	}
	if len(c.Polluter) == 0 || len(f.m.w.ways[v]) > 0 || f.m.w.elsewhere[v] {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, budget.Part(ctx, throughTime, throughPart))
	defer cancel()
	trace, err := f.m.p.traced(ctx, suite.Join(c.Polluter, suite.Order{v}))
	if err != nil {
		return err
	}
	relation := state.Relate(trace)
	for _, p := range slices.Backward(c.Polluter) {
		for _, place := range relation.Ways(p, v) {
			if !slices.Contains(f.m.w.ways[v], place) {
				f.m.w.ways[v] = append(f.m.w.ways[v], place)
			}
		}
	}
	if places := f.places(c); len(places) > 0 {
		changes, err := f.m.p.differences(ctx, c.Polluter, v, places)
		if err != nil {
			f.m.w.log.Warn("what the polluters leave changed", zap.Error(err))
			return nil // the statements are looked for without it
		}
		f.m.w.changes[v] = changes
	}
	return nil
}
