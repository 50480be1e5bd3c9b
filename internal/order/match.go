package order

import (
	"math"
	"math/rand/v2"
	"slices"
)

// matcher puts the children of one group in order such that as many as can be
// of the pairs asked for become neighbours, those first that are hardest to
// place: of the children with most pairs left, and between such children.
//
// An order is a set of links, "b directly after a", at most one that leaves and
// one that enters each child, in paths without a circle. A link is bound to a
// pair of tests, the last of a and the first of b; a child of two or more parts
// cannot begin and end with the same part.
type matcher struct {
	n      *node
	branch []int32 // test (from n.lo) -> part of its child; -1: the child has but one
	rng    *rand.Rand

	next, prev  []int // child -> child, or -1
	entry, exit []int // child -> its first and last test, or -1 where free
	head, tail  []int // of the path, valid at its tail and its head
	from, to    int   // the children to stand first and last, or -1
	links       int
	shut        []int // children that this search has found no pair to
	turn        int
	queue       []end

	all, open int       // lower bounds for all orders, and for those left with this one
	sizes     []float64 // of the children
	style     style
	scales    []float64 // how far large children are held back
	bySize    []int     // the children, largest first
	only      []bool    // links are made between these; nil: between all
}

// end is one side of a child, with how little it can wait.
type end struct {
	child int
	out   bool
	slack int
	tie   uint32
}

func newMatcher(n *node, rng *rand.Rand, st style) *matcher {
	k := len(n.children)
	m := &matcher{n: n, rng: rng, style: st, branch: make([]int32, n.size()), shut: make([]int, k), all: max(n.lowerBound(), 1)}
	for _, list := range []*[]int{&m.next, &m.prev, &m.entry, &m.exit, &m.head, &m.tail} {
		*list = make([]int, k)
	}
	m.bySize = identity(k)
	slices.SortStableFunc(m.bySize, func(a, b int) int { return n.children[b].size() - n.children[a].size() })
	for _, c := range n.children {
		m.sizes = append(m.sizes, float64(c.size()))
		m.scales = append(m.scales, math.Pow(float64(c.size()), -st.damp))
		for len(c.children) == 1 {
			c = c.children[0]
		}
		if c.leaf() {
			m.branch[c.lo-n.lo] = -1
		}
		for i, part := range c.children {
			for x := part.lo; x < part.hi; x++ {
				m.branch[x-n.lo] = int32(i)
			}
		}
	}
	return m
}

// reset begins an order, in which the given tests come first and last; -1: any.
func (m *matcher) reset(first, last int) {
	m.from, m.to, m.links = -1, -1, 0
	for c, n := range m.n.children {
		m.next[c], m.prev[c], m.entry[c], m.exit[c], m.head[c], m.tail[c] = -1, -1, -1, -1, c, c
		if first >= n.lo && first < n.hi {
			m.entry[c], m.from = first, c
		}
		if last >= n.lo && last < n.hi {
			m.exit[c], m.to = last, c
		}
	}
}

// clash reports whether a child cannot begin with the one and end with the other.
func (m *matcher) clash(entry, exit int) bool {
	if entry < 0 || exit < 0 {
		return false
	}
	b := m.branch[entry-m.n.lo]
	return b >= 0 && b == m.branch[exit-m.n.lo]
}

// extend links as many of the pairs as it can.
func (m *matcher) extend(p *pairs) {
	if p.total == 0 {
		return
	}
	m.open = p.open()
	for _, k := range m.tightSets(p) {
		m.pass(p, m.bySize[:k])
	}
	m.only = nil
	m.pass(p, m.bySize)
}

// pass links what it can between the given children.
func (m *matcher) pass(p *pairs, among []int) {
	m.only = nil
	if len(among) < len(m.bySize) {
		m.only = make([]bool, len(m.bySize))
		for _, c := range among {
			m.only[c] = true
		}
	}
	m.queue = m.queue[:0]
	for _, c := range among {
		m.queue = append(m.queue, end{c, true, m.open - p.groupOut[c], m.rng.Uint32()},
			end{c, false, m.open - p.groupIn[c], m.rng.Uint32()})
	}
	slices.SortFunc(m.queue, func(a, b end) int {
		if a.slack != b.slack {
			return a.slack - b.slack
		}
		return int(a.tie>>1) - int(b.tie>>1)
	})
	for _, e := range m.queue {
		if m.free(e) {
			m.match(p, e)
		}
	}
}

// free reports whether a side has no link yet and may have one.
func (m *matcher) free(e end) bool {
	if e.out {
		return m.exit[e.child] < 0
	}
	return m.entry[e.child] < 0
}

// match links one side to whatever suits it best.
func (m *matcher) match(p *pairs, e end) {
	for m.turn++; ; {
		other := m.partner(p, e)
		if other < 0 {
			return
		}
		a, b := e.child, other
		if !e.out {
			a, b = other, e.child
		}
		if x, y := m.cell(p, a, b); x >= 0 {
			m.link(a, b, x, y)
			return
		}
		m.shut[other] = m.turn
	}
}

// partner is the free child that it is most urgent to link to this side: the
// pairs between the two, in both directions, are the furthest behind. Were every two
// children served in proportion, the share left of their pairs would be the
// share left of the orders, and what is left would be as well covered as the
// whole. Taking those with least time instead leaves a rest of few large groups
// that can only be covered one link at a time.
func (m *matcher) partner(p *pairs, e end) int {
	k := len(m.n.children)
	there, back, taken, closed := p.between, p.across, m.entry, m.head[e.child]
	if !e.out {
		there, back, taken, closed = p.across, p.between, m.exit, m.tail[e.child]
	}
	there, back = there[e.child*k:][:k], back[e.child*k:][:k]
	taken, shut, sizes, scales := taken[:k], m.shut[:k], m.sizes[:k], m.scales[:k]
	due := 2 * m.sizes[e.child] * float64(m.open) / float64(m.all)
	best, most := -1, math.Inf(-1)
	from := m.rng.IntN(k)
	for i := range k {
		c := i + from
		if c >= k {
			c -= k
		}
		if there[c] == 0 || m.only != nil && !m.only[c] || taken[c] >= 0 || c == closed || shut[c] == m.turn {
			continue
		}
		behind := float64(there[c]+back[c]) - due*sizes[c]
		behind *= scales[c]
		if behind > most && !m.closes(e, c) {
			best, most = c, behind
		}
	}
	return best
}

// closes reports whether a link from one side to the child would close a circle,
// or join what is to stand first to what is to stand last with others left out.
func (m *matcher) closes(e end, c int) bool {
	a, b := e.child, c
	if !e.out {
		a, b = c, e.child
	}
	return m.head[a] == b ||
		m.from >= 0 && m.to >= 0 && m.head[a] == m.from && m.tail[b] == m.to && m.links < len(m.next)-2
}

// cell is the pair of tests of two children that suits best: its tests have the
// most pairs left. Minus ones where there is none that fits the links made.
func (m *matcher) cell(p *pairs, a, b int) (x, y int) {
	x, y = -1, -1
	best := int32(-1)
	lo := p.n.lo
	to := m.n.children[b]
	for _, u := range m.n.children[a].lasts {
		if m.clash(m.entry[a], u) {
			continue
		}
		left := 2*p.out[u-lo] + p.in[u-lo]
		p.after(u, to.lo, to.hi, func(v int) bool {
			if s := left + 2*p.in[v-lo] + p.out[v-lo]; s > best && !m.clash(v, m.exit[b]) {
				best, x, y = s, u, v
			}
			return true
		})
	}
	return x, y
}

func (m *matcher) link(a, b, x, y int) {
	m.links++
	m.next[a], m.prev[b], m.exit[a], m.entry[b] = b, a, x, y
	head, tail := m.head[a], m.tail[b]
	m.tail[head], m.head[tail] = tail, head
}
