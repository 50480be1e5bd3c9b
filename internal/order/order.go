// Package order makes orders of a suite's tests.
//
// Invariants: every order is explicit and holds each test of the suite exactly
// once (alone, and sparse ones, fewer); the tests of a group run contiguously, at every depth; the
// children of a group whose order the project fixes keep it. Orders are streamed, one in memory at
// a time, and belong to the receiver.
package order

import (
	"iter"
	"math/rand/v2"

	"github.com/odfix/odfix/internal/suite"
)

// Level says how deep an order may differ from the suite's own.
type Level int

// The levels.
const (
	Classes Level = iota // whole outermost groups move, their inside stays
	All                  // children move at every level
)

// arrange returns the leaves below n with the children of each group that may
// move put in the order that permute gives (a permutation of 0..k-1).
func arrange(n *suite.Node, depth int, level Level, permute func(k int) []int) suite.Order {
	if n == nil {
		return nil
	}
	if n.Test != "" {
		return suite.Order{n.Test}
	}
	var out suite.Order
	if n.Fixed || (level == Classes && depth > 0) {
		for _, c := range n.Children {
			out = append(out, arrange(c, depth+1, level, permute)...)
		}
		return out
	}
	for _, i := range permute(len(n.Children)) {
		out = append(out, arrange(n.Children[i], depth+1, level, permute)...)
	}
	return out
}

func root(s *suite.Suite) *suite.Node {
	if s == nil {
		return nil
	}
	return s.Root
}

// one yields a single order, or none where it is empty.
func one(o suite.Order) iter.Seq[suite.Order] {
	return func(yield func(suite.Order) bool) {
		if len(o) > 0 {
			yield(o)
		}
	}
}

// Original yields the suite's own order.
func Original(s *suite.Suite) iter.Seq[suite.Order] { return one(s.Order()) }

// Reverse yields the suite backwards at the given level.
func Reverse(s *suite.Suite, level Level) iter.Seq[suite.Order] {
	return one(arrange(root(s), 0, level, func(k int) []int {
		p := make([]int, k)
		for i := range p {
			p[i] = k - 1 - i
		}
		return p
	}))
}

// EachClassFirst yields, for each outermost group but the one that is first
// already, the suite with that group moved to the front. Nothing is yielded
// where the project fixes the order of its classes.
func EachClassFirst(s *suite.Suite) iter.Seq[suite.Order] {
	return func(yield func(suite.Order) bool) {
		r := root(s)
		if r == nil || r.Test != "" || r.Fixed {
			return
		}
		for first := 1; first < len(r.Children); first++ {
			o := leaves(r.Children[first])
			for i, c := range r.Children {
				if i != first {
					o = append(o, leaves(c)...)
				}
			}
			if !yield(o) {
				return
			}
		}
	}
}

func leaves(n *suite.Node) suite.Order { return (&suite.Suite{Root: n}).Order() }

// Random yields n random orders. The same seed gives the same orders for the
// same suite and version of odfix only: what is kept is the order, not the seed.
func Random(s *suite.Suite, level Level, seed uint64, n int) iter.Seq[suite.Order] {
	return func(yield func(suite.Order) bool) {
		rng := rand.New(rand.NewPCG(seed, 0x6f64666978))
		for range n {
			o := arrange(root(s), 0, level, rng.Perm)
			if len(o) == 0 || !yield(o) {
				return
			}
		}
	}
}
