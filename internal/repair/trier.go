package repair

import (
	"context"
	"errors"
	"strings"

	"github.com/odfix/odfix/internal/ddmin"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// trier checks, for lists of one helper's statements, whether the failing order passes with them in
// one spot.
type trier struct {
	p       *Patcher
	s       *script
	failing []suite.Order
	at      spot
	style   patch.Style

	ids      []string // the statements that have switches, in the order in which they run
	built    *Built   // with switches; nil if each list is compiled separately
	position map[string]int

	flips bool   // each statement may be tried in one process with all others
	lone  string // the statement that seemed to be enough in that process; "" if none did
}

// maxMisfits bounds how many lists are tried, each without the statements of the last one that do not
// fit.
const maxMisfits = 4

// beginEither begins inline. If the statements cannot be written inline, it uses a method of the
// helper's class. Statements that compile inline but do not help would not help in a method either.
// Statements that fit in neither are left out, with those that need them. It returns the rest.
func (t *trier) beginEither(ctx context.Context, ids []string) (rest []string, ok bool, err error) {
	for range maxMisfits {
		var unfit *UnfitError
		var culprits []string // of the last style that names any
		for _, t.style = range []patch.Style{patch.Inline, patch.Method} {
			if ok, err = t.begin(ctx, ids); err == nil || !errors.As(err, &unfit) {
				return ids, ok, err
			}
			if len(unfit.Culprits) > 0 {
				culprits = unfit.Culprits
			}
		}
		fit := t.s.without(ids, culprits)
		if len(fit) == 0 || len(fit) == len(ids) {
			break
		}
		ids = fit
	}
	return nil, false, err
}

// begin compiles the list with switches, or without them if that does not compile. It reports
// whether the order passes with the whole list.
func (t *trier) begin(ctx context.Context, ids []string) (bool, error) {
	t.ids, t.built, t.position, t.lone = ids, nil, map[string]int{}, ""
	for i, id := range ids {
		t.position[id] = i
	}
	built, err := t.p.Editor.Build(ctx, t.edit(ids, true))
	if _, ok := errors.AsType[*UnfitError](err); err != nil && !ok {
		return false, err
	}
	t.built = built
	if t.flips && built != nil && t.p.Runner.Serial() && len(t.failing) == 1 && len(ids) > 1 && len(ids) <= maxFlips {
		return t.flip(ctx, ids)
	}
	return t.passes(ctx, ids)
}

// flip reports whether the failing order passes with the whole list, which is the first run of a
// process. The same process then tries each statement separately. If one statement is enough, most
// searches are unnecessary; a patch made of it is checked like any other.
func (t *trier) flip(ctx context.Context, ids []string) (bool, error) {
	got, err := t.p.flip(ctx, t.failing[0], t.built.Overlay, len(ids), true, len(ids)+1)
	if err == nil && got.crashed {
		return t.passes(ctx, ids) // a process that crashed shows nothing about the list
	}
	if got.polluted {
		for _, i := range got.each {
			if len(t.s.close(ids, ids[i:i+1])) == 1 {
				t.lone = ids[i] // the last one: statements that restore state are mostly at a helper's end
			}
		}
	}
	return got.all, err
}

func (t *trier) edit(keep []string, switched bool) Edit {
	return Edit{Helper: t.s.helper, Keep: keep, Switched: switched, Location: t.at.location, At: t.at.at, Style: t.style}
}

// passes runs the failing orders with the list in the location.
func (t *trier) passes(ctx context.Context, keep []string) (bool, error) {
	trial := Trial{Price: suite.Warm}
	if t.built != nil {
		trial.Overlay, trial.Switches = t.built.Overlay, t.switches(keep)
	} else {
		built, err := t.p.Editor.Build(ctx, t.edit(keep, false))
		if err != nil {
			return false, err
		}
		trial.Overlay = built.Overlay
	}
	for _, o := range t.failing {
		run, err := t.p.Runner.Run(ctx, o, trial)
		if err != nil || run.Last().Outcome != suite.Pass {
			return false, err
		}
	}
	return true, nil
}

func (t *trier) switches(keep []string) string {
	on := []byte(strings.Repeat("0", len(t.ids)))
	for _, id := range keep {
		on[t.position[id]] = '1'
	}
	return string(on)
}

// ddmin minimises a list that is known to work.
func (t *trier) ddmin(ctx context.Context, ids []string) (keep []string, unfinished bool, err error) {
	ask := func(ctx context.Context, keep []string) (ddmin.Answer, error) {
		ok, err := t.passes(ctx, keep)
		var unfit *UnfitError
		switch {
		case errors.As(err, &unfit) && unfit.Unknown:
			return ddmin.Unresolved, nil
		case errors.As(err, &unfit):
			return ddmin.No, nil
		case err != nil:
			return ddmin.Unresolved, err
		case ok:
			return ddmin.Yes, nil
		}
		return ddmin.No, nil
	}
	res, err := ddmin.Minimize(ctx, ids, ask, ddmin.Options[string]{
		Parallel: t.p.Runner.Parallel(),
		FromEnd:  true, // statements that restore state are mostly at a helper's end
		FullYes:  true,
		EmptyNo:  true,
		Close:    func(positions []int) []int { return t.s.closePositions(ids, positions) },
	})
	if err != nil {
		return nil, false, err
	}
	return res.Items, !res.Done, nil
}
