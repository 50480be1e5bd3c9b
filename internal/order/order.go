// Package order makes orders of a suite's tests.
//
// Rules, which tests check:
//
//   - An order is a list of test ids, never a seed. It holds each test of the suite at most once.
//     Orders of TechniqueAlone, and of TechniqueReach with Options.Sparse, leave tests out; all
//     others hold every test.
//   - The tests of a group run contiguously, at every depth. A group that the project marks as
//     fixed keeps the order of its children. The tests of a group marked as TestsFirst run before
//     the groups in it.
//   - Schedule.Guarantee names what all orders of a schedule cover together. NewChecker counts it
//     from the orders alone.
//   - The same suite, technique and options give the same orders. If Options.Settled and
//     Options.Failing are set, the orders also depend on their answers.
//   - Orders are streamed: one is in memory at a time, and belongs to the receiver.
package order

import (
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// arrange appends the tests below a node. permute gives the order of the children, as a permutation
// of 0..k-1, for each group that is not fixed.
func arrange(out suite.Order, n *suite.Node, permute func(k int) []int) suite.Order {
	if n.Test != "" {
		return append(out, n.Test)
	}
	parts := [][]*suite.Node{n.Children}
	if tests, groups := n.Parts(); len(tests) > 0 {
		parts = [][]*suite.Node{tests, groups}
	}
	for _, children := range parts {
		p := identity(len(children))
		if !n.Fixed {
			p = permute(len(p))
		}
		for _, i := range p {
			out = arrange(out, children[i], permute)
		}
	}
	return out
}

// Reverse returns the suite's tests in reverse order.
func Reverse(s *suite.Suite) suite.Order {
	if s == nil || s.Root == nil {
		return nil
	}
	return arrange(nil, s.Root, func(k int) []int {
		p := identity(k)
		slices.Reverse(p)
		return p
	})
}

// Random yields n random orders, or none if the suite is empty. The same seed gives the same orders
// only for the same suite and version of odfix, so callers keep the order and not the seed.
func Random(s *suite.Suite, seed uint64, n int) iter.Seq[suite.Order] {
	return func(yield func(suite.Order) bool) {
		if s == nil || s.Root == nil {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 0x6f64666978))
		for range n {
			o := arrange(nil, s.Root, rng.Perm)
			if len(o) == 0 || !yield(o) {
				return
			}
		}
	}
}
