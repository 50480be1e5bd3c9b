package order

import (
	"math"
	"math/rand/v2"
	"slices"
)

// matcher arranges the children of one group so that as many wanted pairs as possible become
// neighbours. It begins with the pairs that are hardest to place: those of children with the most
// pairs left.
//
// An order is a set of links "b directly after a". Each child has at most one link that leaves it
// and one that enters it, and links form paths without circles. A link represents a pair of tests:
// the last test of a and the first of b. A child with two or more parts cannot begin and end with
// the same part.
type matcher struct {
	n      *node
	branch []int32 // test (counted from n.lo) -> part of its child; -1: the child has only one part
	rng    *rand.Rand

	next, prev  []int // child -> child, or -1
	entry, exit []int // child -> its first and last test, or -1 if not chosen yet
	head, tail  []int // head is valid at the tail of a path, tail at its head
	from, to    int   // the children that must be first and last, or -1
	links       int
	shut        []int // turn in which no pair to this child was found
	turn        int
	queue       []end

	all, open int       // lower bounds for the number of orders: of all orders, and of those left including this one
	sizes     []float64 // of the children
	tight     bool      // whether tight sets of the largest children come first
	bySize    []int     // the children, largest first
	only      []bool    // if not nil, links are only made between these
}

// end is one side of a child. A small slack means that its links are urgent.
type end struct {
	child int
	out   bool
	slack int
	tie   uint32
}

func newMatcher(n *node, rng *rand.Rand, tight bool) *matcher {
	k := len(n.children)
	m := &matcher{n: n, rng: rng, tight: tight, branch: make([]int32, n.size()), shut: make([]int, k), all: max(n.lowerBound(false), 1)}
	for _, list := range []*[]int{&m.next, &m.prev, &m.entry, &m.exit, &m.head, &m.tail} {
		*list = make([]int, k)
	}
	m.bySize = identity(k)
	slices.SortStableFunc(m.bySize, func(a, b int) int { return n.children[b].size() - n.children[a].size() })
	for _, c := range n.children {
		m.sizes = append(m.sizes, float64(c.size()))
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

// reset begins an order. first and last are its first and last tests; -1 means any test.
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

// clash reports whether a child cannot both begin with entry and end with exit.
func (m *matcher) clash(entry, exit int) bool {
	if entry < 0 || exit < 0 {
		return false
	}
	b := m.branch[entry-m.n.lo]
	return b >= 0 && b == m.branch[exit-m.n.lo]
}

// extend makes as many links for the pairs as it can.
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

// pass makes links between the given children.
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

// match links one side of a child to the best other child.
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

// partner returns the free child that most urgently needs a link to this side. It is the child for
// which the pairs with this one, in both directions, are the furthest behind their share. If every
// two children keep to their share, the pairs left are always in proportion to the orders left, and
// can be covered as well as the whole. Taking the most urgent child alone leaves a few large groups
// at the end, which can only be covered one link at a time.
func (m *matcher) partner(p *pairs, e end) int {
	k := len(m.n.children)
	there, back, taken, closed := p.between, p.across, m.entry, m.head[e.child]
	if !e.out {
		there, back, taken, closed = p.across, p.between, m.exit, m.tail[e.child]
	}
	there, back = there[e.child*k:][:k], back[e.child*k:][:k]
	taken, shut, sizes := taken[:k], m.shut[:k], m.sizes[:k]
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
		if behind > most && !m.closes(e, c) {
			best, most = c, behind
		}
	}
	return best
}

// closes reports whether a link from this side to the child would close a circle. It also reports
// true if the link would join the first and the last child of the order while other children are
// not linked yet.
func (m *matcher) closes(e end, c int) bool {
	a, b := e.child, c
	if !e.out {
		a, b = c, e.child
	}
	return m.head[a] == b ||
		m.from >= 0 && m.to >= 0 && m.head[a] == m.from && m.tail[b] == m.to && m.links < len(m.next)-2
}

// cell returns the pair of tests of two children whose tests have the most pairs left. It returns
// -1, -1 if no pair fits the links made so far.
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
