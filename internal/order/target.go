package order

import (
	"iter"
	"math/rand/v2"
	"slices"
)

// targetPairs covers a relation: in its orders, the tests of each pair that can be neighbours are
// neighbours once. Target Pairs (Li et al., ISSTA 2023, section 3.3) does this for tests that use
// one static field, with a greedy search. Here the orders are chosen as for pair cover. It yields
// nothing if there is nothing to cover. Pairs of o.Before are covered before all others.
func (t *tree) targetPairs(o Options) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		p := newFiller(t.root, rand.New(rand.NewPCG(o.Seed, 0)), false)
		stood := make([]uint64, (len(t.ids)*len(t.ids)+63)/64)
		for _, some := range append(slices.Clone(o.Before), o.Pairs) {
			for x, y := range t.coverable(some) {
				if i := x*len(t.ids) + y; stood[i>>6]>>(i&63)&1 == 0 {
					p.ask(x, y, false)
				}
			}
			for p.left().all > 0 {
				next := p.fill(make([]int, 0, len(t.ids)), -1, -1)
				for i := 1; i < len(next); i++ {
					p.cover(next[i-1], next[i])
					set(stood, next[i-1]*len(t.ids)+next[i])
				}
				if !yield(next) {
					return
				}
			}
		}
	}
}
