// Package ddmin finds a small part of a sequence that still has a property: delta debugging (Zeller
// and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE 2002). A question asks
// whether a subsequence has the property. The search has a cache, and asks likely questions ahead
// of time on spare processors.
//
// Invariants: A returned sequence was itself answered with yes; nothing is inferred. A finished
// result is 1-minimal with respect to the answers seen: without any one element, the answer was not
// yes, or Close forbids removing the element. The result does not depend on Parallel, as long as
// equal questions get equal answers. The property need not be monotone.
package ddmin

import (
	"context"
	"errors"
)

// Answer is the answer to one question.
type Answer int8

// The answers. The search treats Unresolved as "not yes".
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

// Ask answers whether a subsequence still has the property. It must be safe for concurrent use if
// Options.Parallel is above one. It must return soon after its context ends, and must not keep or
// change the slice.
type Ask[T any] func(ctx context.Context, subset []T) (Answer, error)

// ErrNotYes is returned if the whole sequence does not have the property, so that there is nothing
// to minimise.
var ErrNotYes = errors.New("the whole sequence does not have the property")

// Options changes how Minimize searches. The zero value is a sequential search from the front.
type Options[T any] struct {
	// Parallel is how many questions may run at the same time; below 1 means 1.
	Parallel int
	// FromEnd prefers to keep later elements.
	FromEnd bool
	// SameGroup reports whether two neighbours belong together. Cuts are made between groups where
	// possible.
	SameGroup func(a, b T) bool
	// Close makes a subset of positions (ascending) valid by adding positions, for instance those
	// that its members require. It must be idempotent and return ascending positions; nil means
	// that every subset is valid.
	Close func(positions []int) []int
	// FullYes means that the whole sequence is known to answer yes.
	FullYes bool
	// EmptyNo means that the empty sequence is known not to answer yes.
	EmptyNo bool
	// Progress is called with each smaller sequence that answers yes, on the goroutine that called
	// Minimize.
	Progress func(best []T, questions int)
}

// Result is the outcome of a search.
type Result[T any] struct {
	Items     []T   // the smallest sequence that answered yes
	Positions []int // their positions in the given sequence
	// Done: Items is 1-minimal. Otherwise Stopped says what ended the search early.
	Done      bool
	Stopped   error // the context's error, or Ask's
	Questions int   // answers used
	Holes     int   // how many of them were Unresolved
	Wasted    int   // questions that were asked ahead of time and not needed
}

// Minimize finds a 1-minimal subsequence of items that answers yes.
//
// A single needed element among n costs about log₂ n + 1 questions. The search asks one half; if
// the answer is not yes, it assumes the other half and checks it at the end. This fails if several
// elements are needed together or if the property is not monotone. Then the needed elements are
// found one by one, with log₂ n + 1 questions each: a binary search finds the shortest remainder
// that answers yes. A last pass tries to remove each remaining element.
//
// When the context ends, Minimize returns the best sequence so far with Done false and a nil error.
// The error is ErrNotYes if the whole sequence does not answer yes, or Ask's own error. The Result
// is valid in both cases.
func Minimize[T any](ctx context.Context, items []T, ask Ask[T], opts Options[T]) (Result[T], error) {
	p := newPlan(items, opts)
	r := newRace(ctx, items, ask, opts.Parallel)
	res, err := drive(ctx, p, r, opts)
	res.Wasted = r.stop()
	res.Items = pick(items, res.Positions)
	return res, err
}

// drive follows the plan with the answers of the race.
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
			if a, stopped = r.answer(p, st, q); stopped != nil {
				res.Stopped = stopped
				if ctx.Err() != nil {
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
