package state

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/odfix/odfix/internal/ddmin"
	"github.com/odfix/odfix/internal/suite"
)

// Undone is how a test behaves after fields were restored before it.
type Undone int8

// The values of Undone.
const (
	Unclear Undone = iota // a field could not be restored, or the test gave no result
	Helps                 // it behaves as if the cause had not run
	HelpsNot
)

// Undo runs the cause, restores these fields, and runs the test. It is safe for concurrent use.
type Undo func(ctx context.Context, fields []string) (Undone, error)

// Tried keeps the fields that were not found to be enough: the test behaves as after the cause
// although they were restored, alone or with others. They may be a part of what has to be restored.
// It is safe for concurrent use.
type Tried struct {
	mu        sync.Mutex
	notEnough map[string]bool
}

// Watch returns the same function, whose answers are kept.
func (t *Tried) Watch(undo Undo) Undo {
	return func(ctx context.Context, fields []string) (Undone, error) {
		answer, err := undo(ctx, fields)
		if err == nil && answer == HelpsNot {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.notEnough == nil {
				t.notEnough = map[string]bool{}
			}
			for _, f := range fields {
				t.notEnough[f] = true
			}
		}
		return answer, err
	}
}

// Left returns those of the fields that may be enough, as far as is known.
func (t *Tried) Left(fields []string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return suite.Filter(fields, func(f string) bool { return !t.notEnough[f] })
}

// singles is the number of likely fields that are tried alone.
const singles = 5

// Matters returns a minimal list of fields that have to be restored so that the test behaves as if
// the cause had not run. This is the job of ODRepair's Debugger (Li et al., ICSE 2022, section 3.1,
// Figure 2). The Debugger finds a single static field; Matters finds several together, by delta
// debugging. The likeliest field is tried alone first, because most causes act through one field.
// Then all likely fields are tried, then all fields that the cause left changed. likely is sorted,
// likeliest first. If all together do not help, the next few likely fields are tried alone: one
// field may be of harm to another. For example, a counter that is set back gives a number again
// that an object still has.
//
// The answer is Helps together with the fields. It is HelpsNot if restoring all fields does not
// help: then the test depends on something else. Otherwise it is Unclear. The error is that of Undo
// or of ctx.
func Matters(ctx context.Context, undo Undo, likely, all []string, parallel int) ([]string, Undone, error) {
	answer := Unclear
	if len(likely) > 1 {
		if got, err := undo(ctx, likely[:1]); err != nil || got == Helps {
			return likely[:1:1], got, err
		}
	}
	for _, fields := range [][]string{likely, more(likely, all)} {
		if len(fields) == 0 {
			continue
		}
		got, err := undo(ctx, fields)
		if err != nil {
			return nil, Unclear, err
		}
		if got == Helps {
			found, err := Fewest(ctx, undo, fields, parallel)
			return found, Helps, err
		}
		answer = got
	}
	for i := 1; i < min(len(likely), singles); i++ {
		if got, err := undo(ctx, likely[i:i+1]); err != nil || got == Helps {
			return likely[i : i+1 : i+1], got, err
		}
	}
	return nil, answer, nil
}

// more returns both lists joined, or nil if the second adds nothing to the first.
func more(likely, all []string) []string {
	out := suite.AppendNew(slices.Clone(likely), all...)
	if len(out) == len(likely) {
		return nil
	}
	return out
}

// Fewest removes the fields that need not be restored, by delta debugging. With all of them, undo helps.
func Fewest(ctx context.Context, undo Undo, fields []string, parallel int) ([]string, error) {
	if len(fields) == 1 {
		return fields, nil
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
	res, err := ddmin.Minimize(ctx, fields, ask, ddmin.Options[string]{Parallel: parallel, FullYes: true, EmptyNo: true})
	if err == nil && !res.Done {
		err = errors.Join(res.Stopped, ctx.Err())
	}
	return res.Items, err
}
