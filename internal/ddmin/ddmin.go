// Package ddmin finds a small part of a sequence that still answers a question with yes: delta
// debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE 2002)
// over any sequence, with budgets, a cache, and questions asked ahead of time on spare processors.
//
// Invariants: whatever is returned was itself answered with yes, never inferred; a finished result
// is 1-minimal with respect to the answers seen (taking any one element away was answered with
// something other than yes, or is forbidden by Close); the result is the same whatever Parallel is,
// as long as equal questions get equal answers. Targets need not be monotone.
package ddmin

import (
	"context"
	"errors"
	"time"
)

// Answer is what became of one question.
type Answer int8

// The answers. Unresolved counts as "not yes" for the search, which therefore never builds on it.
const (
	Unresolved Answer = iota
	No
	Yes
)

func (a Answer) String() string {
	switch a {
	case Yes:
		return "yes"
	case No:
		return "no"
	}
	return "unresolved"
}

// Ask answers whether a subsequence still shows what is looked for. It must be safe for concurrent
// use where Options.Parallel is above one, must return soon after its context ends, and must not
// keep or change the slice.
type Ask[T any] func(ctx context.Context, subset []T) (Answer, error)

// ErrNotYes is returned where the whole sequence does not answer yes, so that there is nothing to
// minimise.
var ErrNotYes = errors.New("the whole sequence does not show what is looked for")

// ErrBudget is the Result.Stopped of a search that used up its questions.
var ErrBudget = errors.New("the budget of questions is used up")

// Options changes how Minimize searches. The zero value is a sequential search from the front
// without a budget.
type Options[T any] struct {
	// Parallel is how many questions may be under way at once; below 1 means 1.
	Parallel int
	// MaxQuestions bounds the answers used (cached and unused speculative ones do not count); 0
	// means no bound, below 0 that nothing may be asked.
	MaxQuestions int
	// Time bounds the search's wall time; 0 means no bound but the context's.
	Time time.Duration
	// FromEnd keeps later elements in preference to earlier ones.
	FromEnd bool
	// SameGroup reports whether two neighbours belong together; cuts are made between groups as
	// long as there is a choice.
	SameGroup func(a, b T) bool
	// Close makes a subset of positions (ascending) valid by adding positions, for instance those
	// its members require. It must be idempotent and must return ascending positions; nil means
	// every subset is valid.
	Close func(positions []int) []int
	// FullYes says that the caller has already seen the whole sequence answer yes.
	FullYes bool
	// EmptyNo says that the caller knows the empty sequence not to answer yes.
	EmptyNo bool
	// Progress hears of each smaller sequence known to answer yes, on the goroutine that called
	// Minimize.
	Progress func(best []T, questions int)
	// Confirm, where set, is asked about the final sequence before Minimize returns; its answer
	// becomes Result.Confirmed.
	Confirm Ask[T]
}

// Result is the outcome of a search.
type Result[T any] struct {
	Items     []T   // the smallest sequence known to answer yes
	Positions []int // their positions in the sequence given
	// Done: Items is 1-minimal. Otherwise Stopped says what ended the search early.
	Done      bool
	Stopped   error  // ErrBudget, the context's error, or Ask's
	Confirmed Answer // what Options.Confirm said; Unresolved without it
	Questions int    // answers used
	Holes     int    // how many of them were Unresolved
	Wasted    int    // questions asked ahead of time and not needed
}

// Minimize finds a 1-minimal subsequence of items that answers yes.
//
// A single culprit among n costs about log₂ n + 1 questions: halves are asked optimistically (where
// one half is not yes, the other is taken to be, and is checked at the end). Where that fails,
// because several elements are needed together or the target is not monotone, the needed elements
// are found one by one by binary search for the shortest yes-answering remainder, log₂ n + 1
// questions each. A last pass tries to take away each remaining element.
//
// On a budget's or the context's end the best sequence so far is returned with Done false and a nil
// error. The error is ErrNotYes where the whole sequence does not answer yes, or Ask's own error;
// the Result is valid with either.
func Minimize[T any](ctx context.Context, items []T, ask Ask[T], opts Options[T]) (Result[T], error) {
	if opts.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Time)
		defer cancel()
	}
	p := newPlan(items, opts)
	r := newRace(ctx, items, ask, opts.Parallel)
	res, err := drive(ctx, p, r, opts)
	res.Wasted = r.stop()
	res.Items = pick(items, res.Positions)
	if err == nil && opts.Confirm != nil && ctx.Err() == nil {
		res.Confirmed, err = opts.Confirm(ctx, res.Items)
	}
	return res, err
}

// drive walks the plan with the answers the race brings in.
func drive[T any](ctx context.Context, p *plan, r *race[T], opts Options[T]) (Result[T], error) {
	var res Result[T]
	st := p.start(opts.FullYes)
	res.Positions = st.best
	for {
		q, done := p.question(st)
		if done {
			res.Positions, res.Done = st.best, true
			return res, nil
		}
		a, seen := r.known(q)
		if !seen {
			var stopped error
			if a, stopped = r.answer(p, st, q, opts.MaxQuestions-res.Questions, opts.MaxQuestions != 0); stopped != nil {
				res.Stopped = stopped
				if ctx.Err() != nil || errors.Is(stopped, ErrBudget) {
					return res, nil
				}
				return res, stopped
			}
			res.Questions++
			if a == Unresolved {
				res.Holes++
			}
		}
		if st.phase == phaseFull && a != Yes {
			return res, ErrNotYes
		}
		st = p.next(st, q, a)
		if len(st.best) < len(res.Positions) {
			res.Positions = st.best
			if opts.Progress != nil {
				opts.Progress(pick(r.items, st.best), res.Questions)
			}
		}
	}
}

// pick returns the items at the given positions in new memory.
func pick[T any](items []T, positions []int) []T {
	out := make([]T, len(positions))
	for i, p := range positions {
		out[i] = items[p]
	}
	return out
}
