package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Bounds of looking for statements that put state back.
const (
	resetPlaces  = 8  // of one cause
	resetForeign = 6  // how much less a library's field is tried than the project's own
	resetsEach   = 60 // statements of one place
	resetsAll    = 120
	resetKnown   = 6 // differences of one place that statements are made from
)

// finder looks in the compiled code for statements that put back the state by
// which a cause was seen to reach its tests.
type finder struct {
	m *mender
	// looked are the project's own static fields that were looked at, by their names in source.
	looked []string
	// bodies are what would put those back in a method of their own class, where that is simple.
	bodies map[string]string
	// reflectable are those that reflection may put back.
	reflectable map[string]bool
	// setter is what a brittle was seen to pass behind: its literals serve as arguments, too.
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
			case foreignPlace(p, cs.Test):
				other = append(other, p)
			default:
				own = append(own, p)
			}
		}
	}
	all := slices.Concat(own, other)
	return all[:min(resetPlaces, len(all))]
}

// foreignPlace: it is neither the process's nor the project's own.
func foreignPlace(place string, t suite.TestID) bool {
	_, process := processState[place]
	return !process && !strings.HasPrefix(place, propertyPlace) && !related(place, t.Class())
}

// Unshare implements repair.Finder. Which places are fields of the test's own class the editor knows.
func (f *finder) Unshare(c repair.Cause) []repair.Made {
	if !f.m.w.job.Wants(job.FromReset) {
		return nil
	}
	var own []string
	for _, place := range f.places(c) {
		if f.ofTestClass(place, c) && !slices.Contains(f.unshared, place) {
			own = append(own, place)
		}
	}
	f.unshared = append(f.unshared, own...)
	var out []repair.Made
	for _, place := range own {
		out = append(out, repair.Made{Unshare: []string{place}, Resets: place})
	}
	if len(own) > 1 {
		out = append(out, repair.Made{Unshare: own, Resets: strings.Join(own, ", ")})
	}
	return out
}

// ofTestClass: by its name the place may be a field of the class of one of the cause's tests, or of one around it.
func (f *finder) ofTestClass(place string, c repair.Cause) bool {
	at := strings.LastIndexByte(place, '.')
	return at > 0 && slices.ContainsFunc(c.Cases, func(cs repair.Case) bool {
		return cs.Test.Class() == place[:at] || strings.HasPrefix(cs.Test.Class(), place[:at]+"$")
	})
}

// Find implements repair.Finder.
func (f *finder) Find(ctx context.Context, c repair.Cause) ([]repair.Made, error) {
	var all []priced
	f.looked, f.bodies, f.reflectable = nil, map[string]string{}, map[string]bool{}
	if err := f.observe(ctx, c); err != nil {
		return nil, fmt.Errorf("observing the polluter: %w", err)
	}
	places := f.places(c)
	f.portable(ctx, c, places)
	var short error // why not all places were looked at
	for i, place := range places {
		if m, is := ofProcess(place, f.m.p.preset, c.Brittle(), f.known); is {
			if m != nil && f.m.w.job.Wants(job.FromReset) {
				all = append(all, priced{*m, 2 * i})
				if !c.Brittle() {
					for _, a := range annotated(place) {
						all = append(all, priced{a, 2*i - 1})
					}
				}
			}
			continue
		}
		known := f.differences(place)
		found, err := f.m.editor.resets(ctx, place, c, f.setter, known)
		if err != nil {
			f.m.w.log.Warn("looking for statements that put a field back", zap.String("field", place), zap.Error(err))
			short = errors.Join(short, err)
			continue // those of other places may do
		}
		more := i
		if foreignPlace(place, c.Cases[0].Test) {
			more += resetForeign
		} else if found.Known && found.Whole() && f.m.w.job.Wants(job.FromReset) {
			f.looked = append(f.looked, found.Field)
			f.bodies[found.Field] = found.Body
		}
		all = append(all, madeFor(place, f.wanted(found), known, more)...)
		f.m.w.log.Info("looked for statements that put a field back", zap.String("field", place), zap.Bool("known", found.Known), zap.Int("found", found.Found), zap.Any("differs", known))
	}
	if len(all) > resetsAll || short != nil {
		f.looked = nil // not all are tried, so that nobody can say that none helps
	}
	all = append(all, f.endings(ctx, c)...)
	return append(f.Unshare(c), likeliest(all)...), short
}

// endings are statements by which the polluter's class ends what it leaves open, wherever the state of that is.
func (f *finder) endings(ctx context.Context, c repair.Cause) []priced {
	if len(c.Polluter) == 0 || !f.m.w.job.Wants(job.FromReset) {
		return nil
	}
	last := c.Polluter[len(c.Polluter)-1]
	found, err := f.m.editor.client.Endings(ctx, workbench.EndingsRequest{Project: f.m.editor.project, Tests: []suite.TestID{last}})
	if err != nil {
		f.m.w.log.Warn("what the polluter's class opened", zap.String("class", last.Class()), zap.Error(err))
		return nil // the other statements are tried without
	}
	var out []priced
	for _, r := range found.Candidates {
		place := r.Place
		if place == "" {
			place = job.LeftOpen + last.Class()
		}
		out = append(out, madeFor(place, []workbench.Reset{r}, nil, 0)...)
	}
	return out
}

// wanted are the candidates of the kinds that the job asks for.
func (f *finder) wanted(found *workbench.Resets) []workbench.Reset {
	return slices.DeleteFunc(found.Candidates, func(r workbench.Reset) bool {
		if !r.Reflects() {
			return !f.m.w.job.Wants(job.FromReset)
		}
		f.reflectable[found.Field] = true
		return !f.m.w.job.Wants(job.FromReflection)
	})
}

// portable asks once more what the cause leaves changed: patches are made from what two processes agree on.
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
	f.known = portable(f.m.w.changes[v], again, f.m.p.here())
}

// differences are what is known to differ at and below the place.
func (f *finder) differences(place string) []workbench.Change {
	var out []workbench.Change
	for _, ch := range f.known {
		known := workbench.Change{Path: ch.Path, Before: ch.Before, After: ch.After}
		if ch.Place == place && !slices.Contains(out, known) && len(out) < resetKnown {
			out = append(out, known)
		}
	}
	return out
}

// resets are the statements for a static field, to stand at the polluter or at the first test.
func (e *editor) resets(ctx context.Context, place string, c repair.Cause, setter suite.Order, known []workbench.Change) (*workbench.Resets, error) {
	tests := []suite.TestID{c.Cases[0].Test}
	if n := len(c.Polluter); n > 0 {
		tests = append(tests, c.Polluter[n-1])
	}
	if n := len(setter); n > 0 {
		tests = append(tests, setter[n-1])
	}
	return e.client.Resets(ctx, workbench.ResetsRequest{Project: e.project, Place: place, Tests: tests, Limit: resetsEach, Sets: c.Brittle(), Changes: known, Reflection: true})
}

// maxMissing is how many fields without a reset method are named.
const maxMissing = 3

// tell says which fields have no reset method, where every statement that was found was
// tried: those that are known to matter, or the only one that was seen to be left changed.
func (f *finder) tell(c repair.Cause) {
	f.m.each(tests(c), func(t *job.TestReport) {
		for _, field := range f.looked {
			matters := slices.ContainsFunc(t.State, func(place string) bool {
				return strings.HasPrefix(strings.ReplaceAll(place, "$", ".")+".", field+".")
			})
			if (matters || len(t.State) == 0 && len(f.looked) == 1) && len(t.NoReset) < maxMissing {
				t.NoReset = append(t.NoReset, field)
				f.body(t, field)
				if f.reflectable[field] && !f.m.w.job.Wants(job.FromReflection) {
					t.Reflectable = append(t.Reflectable, field)
				}
			}
		}
	})
}

// body says what a reset method for the field would do, where that is known.
func (f *finder) body(t *job.TestReport, field string) {
	if f.bodies[field] == "" {
		return
	}
	if t.ResetBodies == nil {
		t.ResetBodies = map[string]string{}
	}
	t.ResetBodies[field] = f.bodies[field]
}

// observe runs polluter and victim once more, observed, and adds what the former leaves
// changed and the latter reads. Where the victim ran first it may have filled
// what the polluter then finds filled: that order shows nothing of it.
func (f *finder) observe(ctx context.Context, c repair.Cause) error {
	v := c.Cases[0].Test
	if len(c.Polluter) == 0 || len(f.m.w.ways[v]) > 0 || f.m.w.elsewhere[v] {
		return nil
	}
	pool, err := f.m.p.observers("")
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	ctx, cancel := context.WithTimeout(ctx, max(throughTime, part(ctx, throughTime, throughPart)))
	defer cancel()
	trace, _, err := f.m.p.traced(ctx, pool, suite.Join(c.Polluter, suite.Order{v}))
	if err != nil {
		return err
	}
	relation := state.Relate(trace)
	if f.m.w.ways == nil {
		f.m.w.ways = map[suite.TestID][]string{}
	}
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
		if f.m.w.changes == nil {
			f.m.w.changes = map[suite.TestID][]state.Change{}
		}
		f.m.w.changes[v] = changes
	}
	return nil
}
