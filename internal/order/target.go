package order

import (
	"iter"
	"math/rand/v2"
	"slices"
)

// targetPairs is Target Pairs (Li et al., ISSTA 2023, section 3.3 and figure
// 5) for any relation: greedy orders until each of its pairs that tests can
// form at all has stood side by side. The paper's own relation is of tests that
// touch one static field. Pairs of tests of different outermost groups decide
// first; those of one group fill it. Where the paper leaves a choice open, the
// test with more pairs left is taken, then the one that stands first in the suite.
// Nothing is yielded where there is nothing to cover. Pairs that are to come
// first are covered before any other is thought of.
func (t *tree) targetPairs(o Options) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		g := newTargets(t)
		for _, some := range append(slices.Clone(o.Before), o.Pairs) {
			for x, y := range t.coverable(some) {
				if !g.done(x, y) {
					g.ask(x, y)
				}
			}
			for g.plan.left().all > 0 {
				next := g.order()
				g.cover(next)
				if !yield(next) {
					return
				}
			}
		}
	}
}

// targets is what is left to cover, and the order being made.
type targets struct {
	plan      *planner
	back      *pairs   // the pairs across groups, transposed
	out, in   []int32  // by test: its pairs with tests of groups not placed yet
	placed    []bool   // by group
	sequence  []int    // of groups
	remaining int      // pairs across groups not placed yet
	stood     []uint64 // by pair x*T+y: stood side by side in an order
}

func newTargets(t *tree) *targets {
	k := len(t.root.children)
	return &targets{
		plan: newPlanner(t.root, rand.New(rand.NewPCG(0, 0)), style{}), back: newPairs(t.root),
		out: make([]int32, len(t.ids)), in: make([]int32, len(t.ids)), placed: make([]bool, k),
		stood: make([]uint64, (len(t.ids)*len(t.ids)+63)/64),
	}
}

func (g *targets) done(x, y int) bool {
	i := x*len(g.out) + y
	return g.stood[i>>6]>>(i&63)&1 != 0
}

// cover takes the pairs of an order as covered.
func (g *targets) cover(o []int) {
	for i := 1; i < len(o); i++ {
		x, y := o[i-1], o[i]
		g.plan.cover(x, y)
		if g.plan.pairs.child[x] != g.plan.pairs.child[y] {
			g.back.remove(y, x)
		}
		at := x*len(g.out) + y
		g.stood[at>>6] |= 1 << (at & 63)
	}
}

func (g *targets) ask(x, y int) {
	g.plan.ask(x, y, false)
	if g.plan.pairs.child[x] != g.plan.pairs.child[y] {
		g.back.add(y, x)
	}
}

// order is produce_best_order of figure 5.
func (g *targets) order() []int {
	n, m := g.plan.n, g.plan.matcher
	m.reset(-1, -1)
	copy(g.out, g.plan.pairs.out)
	copy(g.in, g.plan.pairs.in)
	g.remaining = g.plan.pairs.total
	clear(g.placed)
	g.sequence = g.sequence[:0]
	for best := g.best(); best >= 0; best = g.best() {
		g.path(best)
	}
	for c := range n.children {
		if !g.placed[c] {
			g.sequence = append(g.sequence, c)
		}
	}
	if n.fixed {
		slices.Sort(g.sequence)
	}
	var out []int
	for _, c := range g.sequence {
		out = g.plan.inner[c].fill(out, m.entry[c], m.exit[c])
	}
	return out
}

// best is the test in most pairs between groups that are not placed; -1: none is in any.
func (g *targets) best() int {
	if g.remaining == 0 {
		return -1
	}
	best, most := -1, int32(0)
	for x := range g.out {
		if s := g.out[x] + g.in[x]; s > most && !g.placed[g.plan.pairs.child[x]] {
			best, most = x, s
		}
	}
	return best
}

// place takes a group's pairs out of the counts.
func (g *targets) place(c int) {
	g.placed[c] = true
	n := g.plan.n.children[c]
	count := func(p *pairs, there []int32) {
		for x := n.lo; x < n.hi; x++ {
			p.after(x, 0, g.plan.n.hi, func(y int) bool {
				if !g.placed[p.child[y]] {
					there[y]--
					g.remaining--
				}
				return true
			})
		}
	}
	count(g.plan.pairs, g.in)
	count(g.back, g.out)
}

// path puts a group with the given test at one of its ends and goes on in both
// directions as long as there are pairs, that of the test first.
func (g *targets) path(best int) {
	m := g.plan.matcher
	c := int(g.plan.pairs.child[best])
	rightward := g.in[best] <= g.out[best]
	if rightward {
		m.exit[c] = best
	} else {
		m.entry[c] = best
	}
	g.place(c)
	path := []int{c}
	for stuck := 0; stuck < 2; rightward = !rightward {
		at := path[0]
		if rightward {
			at = path[len(path)-1]
		}
		next := g.grow(at, rightward)
		switch {
		case next < 0:
			stuck++
			continue
		case rightward:
			path = append(path, next)
		default:
			path = slices.Insert(path, 0, next)
		}
		stuck = 0
	}
	g.sequence = append(g.sequence, path...)
}

// grow links a group to the best one that can follow it (right) or precede it.
func (g *targets) grow(c int, right bool) int {
	m, p, from := g.plan.matcher, g.plan.pairs, g.back
	end, other := m.entry, m.exit
	if right {
		from, end, other = p, m.exit, m.entry
	}
	best, near, far := int32(-1), -1, -1
	worth := func(x int) int32 { return p.out[x] + p.in[x] }
	for x := m.n.children[c].lo; x < m.n.children[c].hi; x++ {
		if end[c] >= 0 && end[c] != x || m.clash(x, other[c]) {
			continue
		}
		from.after(x, 0, m.n.hi, func(y int) bool {
			if s := worth(x) + worth(y); s > best && !g.placed[p.child[y]] {
				best, near, far = s, x, y
			}
			return true
		})
	}
	if near < 0 {
		return -1
	}
	d := int(p.child[far])
	if right {
		m.link(c, d, near, far)
	} else {
		m.link(d, c, far, near)
	}
	g.place(d)
	return d
}
