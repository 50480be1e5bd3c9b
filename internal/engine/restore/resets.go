package restore

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

// resetFields is the number of fields of one cause for which statements are searched.
const resetFields = 8

// observePart: observing the polluter may take one part in this many of the time that is left to find
// statements.
const observePart = 2

// Finder searches the compiled code for statements that restore the state through which a cause
// affects its tests.
type Finder struct {
	*Search
	editor project.Editor
	// found is the last answer of the editor.
	found *project.Resets
	// Setter is a state-setter of a brittle test. The values in it serve as arguments.
	Setter suite.Order
	// same are differences that are the same in every process.
	same []state.Change
	// rewritten are the fields for which Rewrites has asked the editor.
	rewritten []string
	// Every asks for all kinds of statements, whatever the job wants.
	Every bool
}

// Finder returns a search for statements among what the editor reads in sources.
func (x *Search) Finder(editor project.Editor) *Finder { return &Finder{Search: x, editor: editor} }

// wants reports whether statements of a kind (job.Patch.Kind) are wanted.
func (f *Finder) wants(kind string) bool { return f.Every || f.s.Job.Wants(kind) }

var _ repair.Finder = (*Finder)(nil)

// fields returns the fields of the cause's tests. Fields of the project and of the process come
// first.
func (f *Finder) fields(c repair.Cause) []string {
	var own, other []string
	for _, cs := range c.Cases {
		for _, p := range f.known(cs.Test).ways {
			switch {
			case slices.Contains(own, p) || slices.Contains(other, p):
			case f.origin(p, cs.Test) <= project.Container:
				other = append(other, p)
			default:
				own = append(own, p)
			}
		}
	}
	all := slices.Concat(own, other)
	return all[:min(resetFields, len(all))]
}

// Rewrites implements repair.Finder. The editor knows which fields belong to the test's own class.
func (f *Finder) Rewrites(ctx context.Context, c repair.Cause) []patch.Made {
	if !f.wants(job.FromReset) {
		return nil
	}
	fields := f.fields(c)
	if n := len(c.Polluter); n > 0 && len(c.Tests()) > 0 {
		v, last := c.Tests()[0], c.Polluter[n-1]
		if unit := f.p.Groups.Unit(v); unit == f.p.Groups.Unit(last) {
			fields = append(fields, state.Instance+unit)
		}
		if f.p.Groups.Same(last, v) {
			fields = append(fields, state.Hooks+f.p.Groups.Top(v))
		}
	}
	fresh := slices.DeleteFunc(fields, func(field string) bool { return slices.Contains(f.rewritten, field) })
	f.rewritten = append(f.rewritten, fresh...)
	return f.editor.Rewrites(ctx, fresh, c.Tests())
}

// Find implements repair.Finder.
func (f *Finder) Find(ctx context.Context, c repair.Cause) ([]patch.Made, error) {
	f.found = &project.Resets{}
	if err := f.observe(ctx, c); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("observing the polluter: %w", err)
		}
		f.s.Log.Warn("observing the polluter", zap.Error(err)) // what the editor reads in the sources is all that is known
	}
	fields := f.fields(c)
	f.portable(ctx, c, fields)
	found, err := f.editor.Resets(ctx, project.ResetQuery{
		Cause: c, Setter: f.Setter, Fields: fields, Changes: f.same, Files: f.known(c.Cases[0].Test).left,
		Reset: f.wants(job.FromReset), Reflect: f.wants(job.FromReflection),
	})
	if found == nil {
		return nil, err
	}
	f.found = found
	return append(f.Rewrites(ctx, c), found.Made...), err
}

// portable observes a second time what the cause leaves changed. Patches are made from differences
// that are the same in two processes.
func (f *Finder) portable(ctx context.Context, c repair.Cause, fields []string) {
	f.same = nil
	v, causes := c.Cases[0].Test, f.causes(c)
	if len(f.known(v).changes) == 0 || len(causes) == 0 {
		return
	}
	again := f.known(v).again
	if len(again) == 0 {
		var err error
		if again, err = f.differences(ctx, "", causes, v, fields); err != nil {
			f.s.Log.Warn("what the cause leaves changed, once more", zap.Error(err))
			return // the statements are looked for without it
		}
	}
	f.same = portable(f.known(v).changes, again, f.p.About.Local)
}

// causes returns the polluter of a cause, or else the state-setter.
func (f *Finder) causes(c repair.Cause) suite.Order {
	if c.Brittle() {
		return f.Setter
	}
	return c.Polluter
}

// Left implements repair.Finder. If nothing is known yet of the state through which the cause
// affects its tests, it is observed first. Otherwise statements of a helper would count as exact,
// and come before those that are found later.
func (f *Finder) Left(ctx context.Context, c repair.Cause, overlay string) (int, bool, error) {
	if err := f.observe(ctx, c); err != nil {
		return 0, false, fmt.Errorf("observing the polluter: %w", err)
	}
	fields := f.fields(c)
	known := slices.ContainsFunc(fields, func(field string) bool { return f.origin(field, c.Cases[0].Test) != project.Container })
	if _, ok := f.p.Base.(project.Observer); !ok || !known || len(c.Polluter) == 0 {
		return 0, false, nil
	}
	left, err := f.differences(ctx, overlay, c.Polluter, c.Cases[0].Test, fields)
	return len(left), true, err
}

// maxMissing is how many fields without a reset method are named.
const maxMissing = 3

// Describe adds to the report of a test which fields have no reset method, after every statement
// was tried. It names the fields that are known to matter, or the only field that was seen to
// change. A later search for the same cause replaces what an earlier one found.
func (f *Finder) Describe(t *job.TestReport) {
	ForgetNoReset(t)
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
			if slices.Contains(f.found.Reflectable, field) && !f.s.Job.Wants(job.FromReflection) {
				t.Reflectable = append(t.Reflectable, field)
			}
		}
	}
}

// ForgetNoReset removes what Describe adds.
func ForgetNoReset(t *job.TestReport) {
	t.NoReset, t.NoResetOfTests, t.Reflectable, t.ResetBodies = nil, nil, nil, nil
}

// body adds what a reset method for the field would do, if it is known.
func (f *Finder) body(t *job.TestReport, field string) {
	if f.found.Bodies[field] == "" {
		return
	}
	if t.ResetBodies == nil {
		t.ResetBodies = map[string]string{}
	}
	t.ResetBodies[field] = f.found.Bodies[field]
}

// observe runs polluter and victim once more, observed, and records the fields that the polluter
// changes and the victim reads. If the victim ran first, it may have filled a field that the
// polluter then leaves unchanged; such an order does not show the dependence.
func (f *Finder) observe(ctx context.Context, c repair.Cause) error {
	v := c.Cases[0].Test
	if _, ok := f.p.Base.(project.Observer); !ok {
		return nil // only the sources are known
	}
	if len(c.Polluter) == 0 || len(f.known(v).ways) > 0 || f.known(v).elsewhere || f.known(v).observed {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, budget.Share(ctx, observePart))
	defer cancel()
	trace, err := f.traced(ctx, suite.Join(c.Polluter, suite.Order{v}))
	if err != nil {
		return err
	}
	relation := state.Relate(trace)
	f.known(v).ways = suite.AppendNew(f.known(v).ways, relation.Ways(c.Polluter, v)...)
	f.known(v).observed = true
	if fields := f.fields(c); len(fields) > 0 {
		changes, err := f.differences(ctx, "", c.Polluter, v, fields)
		if err != nil {
			f.s.Log.Warn("what the polluters leave changed", zap.Error(err))
			return nil // the statements are looked for without it
		}
		f.known(v).changes = changes
	}
	return nil
}

// ObserveNamed observes the state through which a cause affects its test, before Find: the states
// with these names, and those through which the cause is seen to affect the test.
func (f *Finder) ObserveNamed(ctx context.Context, c repair.Cause, named []string) error {
	at, ok := f.p.Base.(project.Observer)
	if !ok {
		return nil
	}
	t, causes := c.Cases[0].Test, f.causes(c)
	trace, err := f.traced(ctx, suite.Join(causes, suite.Order{t}))
	if err != nil {
		return err
	}
	relation := state.Relate(trace)
	var ways []string
	for _, s := range named { // a name that nothing was seen at could be any text
		if slices.ContainsFunc(relation.Fields, func(x state.Field) bool { return x.Name == s }) {
			ways = append(ways, s)
		}
	}
	f.known(t).ways = suite.AppendNew(ways, relation.Ways(causes, t)...)
	if slices.ContainsFunc(named, func(s string) bool { return strings.HasPrefix(s, job.LeftFile) }) {
		f.known(t).left = causeSearch{at: at, cause: causes}.filesLeft(ctx, t)
	}
	fields := f.fields(c)
	if len(fields) == 0 {
		return nil
	}
	f.known(t).changes, err = f.differences(ctx, "", causes, t, fields)
	return err
}
