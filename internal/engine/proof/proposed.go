package proof

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
	"github.com/odfix/odfix/internal/suite"
)

// Limits for proposing statements again.
const (
	proposePart   = 4 // one part in this many of the time that is left
	proposeCauses = 6 // causes of one patch
)

// proposed checks that odfix proposes the statements of a patch without a helper here, too: for the
// causes that the report names, from what this process observes. Who made the report could have
// written any other code. The patch gets the description of the proposals.
func (v *verifier) proposed(ctx context.Context, p job.Patch, editor project.Editor) (*patch.Made, repair.Check, error) {
	check := repair.Check{Name: suite.CheckProposed, Repeats: 1, Patched: true}
	if len(p.Made.Fields) > 0 && !within(p.Made.IDs(), p.StatementIDs) {
		check.Detail = "it keeps a value, and does not have all statements that put it back"
		return p.Made, check, nil
	}
	limited, cancel := context.WithTimeout(ctx, budget.Share(ctx, proposePart))
	defer cancel()
	parts := &partsOf{want: p.Made}
	for _, c := range v.causes(p) {
		if parts.whole() {
			break
		}
		for _, m := range v.propose(limited, editor, c, statesOf(p.Made)) {
			parts.add(m)
		}
	}
	if check.OK = parts.whole(); check.OK {
		made := parts.made()
		return &made, check, nil
	}
	check.Detail = "odfix does not propose it for these tests here: " + parts.missing()
	if limited.Err() != nil {
		check.Detail = "the time ended before odfix proposed it here: " + parts.missing()
	}
	return p.Made, check, ctx.Err()
}

// statesOf returns the states that the statements restore, as a report names them.
func statesOf(m *patch.Made) []string { return strings.Split(m.Resets, ", ") }

// causes returns what the tests of a patch depend on, according to the report.
func (v *verifier) causes(p job.Patch) []repair.Cause {
	var own, wide []repair.Cause
	for _, t := range v.old.Tests {
		cases := []repair.Case{{Test: t.Test}}
		setters := slices.DeleteFunc(slices.Clone(t.StateSetters), func(o suite.Order) bool { return len(o) == 0 })
		switch {
		case !slices.Contains(p.Fixes, t.Test):
		case t.Verdict == suite.Victim:
			for _, polluter := range t.Polluters {
				own = append(own, repair.Cause{Polluter: polluter, Cases: cases})
			}
		case len(setters) > 0:
			own = append(own, repair.Cause{Helpers: setters, Cases: cases})
		}
	}
	for _, o := range p.WidenedFor { // a part of the statements may be for a further polluter
		if n := len(o); n > 1 && slices.Contains(p.Fixes, o[n-1]) {
			wide = append(wide, repair.Cause{Polluter: o[n-2 : n-1], Cases: []repair.Case{{Test: o[n-1]}}})
		}
	}
	all := slices.Insert(own, min(1, len(own)), wide...)
	all = slices.DeleteFunc(all, func(c repair.Cause) bool { return len(c.Polluter)+len(c.Helpers) == 0 })
	return all[:min(len(all), proposeCauses)]
}

// propose returns the statements that odfix proposes for a cause. It observes the states that the report
// names, and those through which the cause is seen to affect its test.
func (v *verifier) propose(ctx context.Context, editor project.Editor, c repair.Cause, named []string) []patch.Made {
	t := c.Cases[0].Test
	key := fmt.Sprintf("%s\n%q\n%q", t, c.Polluter, named)
	if made, known := v.proposals[key]; known {
		return made
	}
	f := v.search.Finder(editor)
	f.Every = true
	if c.Brittle() {
		f.Setter = c.Helpers[0]
	}
	v.search.Forget(t)
	defer v.search.Forget(t)
	if err := f.ObserveNamed(ctx, c, named); err != nil {
		v.s.Log.Warn("observing the cause of a patch", zap.Error(err)) // what the sources show is proposed nevertheless
	}
	made, err := f.Find(ctx, c)
	if err != nil {
		v.s.Log.Warn("proposing the statements of a patch", zap.Error(err))
	}
	v.s.Log.Info("proposed", zap.String("test", string(t)), zap.Strings("states", v.search.Ways(t)), zap.Any("made", made))
	if err == nil {
		v.proposals[key] = made
	}
	return made
}

// partsOf are the proposals of which the statements of a patch consist.
type partsOf struct {
	want *patch.Made
	from []patch.Made
}

// add adds a proposal if the patch contains all of it.
func (s *partsOf) add(m patch.Made) {
	w := s.want
	if within(m.Fields, w.Fields) && within(m.Statements, w.Statements) && within(m.Imports, w.Imports) &&
		within(m.Unshare, w.Unshare) && within(m.Annotate, w.Annotate) && within(m.Await, w.Await) {
		s.from = append(s.from, m)
	}
}

// within reports whether the one list has all that the other one has.
func within[T comparable](small, large []T) bool {
	return !slices.ContainsFunc(small, func(x T) bool { return !slices.Contains(large, x) })
}

// made returns what the patch consists of, with the description of the proposals.
func (s *partsOf) made() patch.Made {
	out := *s.want
	var states []string
	for _, m := range s.from {
		out.Reflects = out.Reflects || m.Reflects
		states = suite.AppendNew(states, m.Resets)
	}
	out.Resets = strings.Join(states, ", ")
	return out
}

func (s *partsOf) whole() bool { return s.missing() == "" }

// missing returns a part of the patch that is in no proposal; "" if there is none.
func (s *partsOf) missing() string {
	var all patch.Made
	var imports []patch.Import
	for _, m := range s.from {
		all.Fields, all.Statements = append(all.Fields, m.Fields...), append(all.Statements, m.Statements...)
		all.Unshare, all.Annotate = append(all.Unshare, m.Unshare...), append(all.Annotate, m.Annotate...)
		all.Await = append(all.Await, m.Await...)
		imports = append(imports, m.Imports...)
	}
	for _, i := range s.want.Imports {
		if !slices.Contains(imports, i) {
			return "import " + i.Local()
		}
	}
	for _, parts := range [][2][]string{{s.want.Fields, all.Fields}, {s.want.Statements, all.Statements},
		{s.want.Unshare, all.Unshare}, {s.want.Annotate, all.Annotate}, {s.want.Await, all.Await}} {
		for _, text := range parts[0] {
			if !slices.Contains(parts[1], text) {
				return text
			}
		}
	}
	return ""
}
