package state

import (
	"context"
	"errors"
	"slices"

	"github.com/odfix/odfix/internal/ddmin"
)

// Undone is what became of a test in front of which places were restored.
type Undone int8

// What can become of it.
const (
	Unclear Undone = iota // a place could not be restored, or there is no answer
	Helps                 // it behaves as if the cause had not run
	HelpsNot
)

// Undo has the cause run, restores these places, and runs the test. It is safe for concurrent use.
type Undo func(ctx context.Context, places []string) (Undone, error)

// Matters finds places, none of which can go, such that restoring them undoes what the cause did to
// the test: what ODRepair's Debugger (Li et al., ICSE 2022, section 3.1, Figure 2) finds for single
// static fields, here by delta debugging for several together. The likeliest place is tried by
// itself, since most causes act through one; then all likely ones, then all that the cause left
// changed. likely is sorted, likeliest first.
//
// It answers Helps with the places; HelpsNot where not even all of them help, so that the
// dependence goes another way; Unclear otherwise. The error is Undo's or ctx's.
func Matters(ctx context.Context, undo Undo, likely, all []string, parallel int) ([]string, Undone, error) {
	answer := Unclear
	if len(likely) > 1 {
		if got, err := undo(ctx, likely[:1]); err != nil || got == Helps {
			return likely[:1:1], got, err
		}
	}
	for _, places := range [][]string{likely, more(likely, all)} {
		if len(places) == 0 {
			continue
		}
		got, err := undo(ctx, places)
		if err != nil {
			return nil, Unclear, err
		}
		if got == Helps {
			found, err := fewest(ctx, undo, places, parallel)
			return found, Helps, err
		}
		answer = got
	}
	return nil, answer, nil
}

// more is both lists, or nothing where the second has nothing to add.
func more(likely, all []string) []string {
	out := slices.Clone(likely)
	for _, p := range all {
		if !slices.Contains(likely, p) {
			out = append(out, p)
		}
	}
	if len(out) == len(likely) {
		return nil
	}
	return out
}

// fewest takes away what is not needed.
func fewest(ctx context.Context, undo Undo, places []string, parallel int) ([]string, error) {
	if len(places) == 1 {
		return places, nil
	}
	ask := func(ctx context.Context, subset []string) (ddmin.Answer, error) {
		if len(subset) == 0 {
			return ddmin.No, nil // the test was seen to behave otherwise after the cause
		}
		got, err := undo(ctx, subset)
		switch {
		case err != nil || got == Unclear:
			return ddmin.Unresolved, err
		case got == Helps:
			return ddmin.Yes, nil
		}
		return ddmin.No, nil
	}
	res, err := ddmin.Minimize(ctx, places, ask, ddmin.Options[string]{Parallel: parallel, FullYes: true, EmptyNo: true})
	if err == nil && !res.Done {
		err = errors.Join(res.Stopped, ctx.Err())
	}
	return res.Items, err
}
