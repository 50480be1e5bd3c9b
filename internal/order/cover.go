package order

import (
	"iter"
	"math/rand/v2"
)

// filler arranges the tests of one group so that wanted pairs of tests become neighbours. The first
// and the last test are given, or -1.
type filler interface {
	fill(out []int, first, last int) []int
	ask(x, y int, urgent bool) // want a pair of tests of the group
	askAll()                   // want every pair that can be neighbours
	cover(x, y int)            // record that x and y are neighbours now
	left() leftover
}

// leftover counts the wanted pairs that are not covered yet: all of them, and those whose tests
// belong to different children.
type leftover struct{ all, apart int }

func (a leftover) minus(b leftover) leftover { return leftover{a.all - b.all, a.apart - b.apart} }

func (a leftover) plus(b leftover) leftover { return leftover{a.all + b.all, a.apart + b.apart} }

func newFiller(n *node, rng *rand.Rand, tight bool) filler {
	if n.leaf() || n.flat() {
		return &walker{n: n}
	}
	return newPlanner(n, rng, tight)
}

// planner covers the pairs of a group whose children are groups.
type planner struct {
	n             *node
	pairs, urgent *pairs // urgent pairs are a part of pairs and are placed first; nil if there are none
	matcher       *matcher
	inner         []filler
	inside        leftover // what is left in the children
	notYet        []bool   // tests that should be first in an order and have not been
	waiting       int      // how many these are
	plan          []int32  // of the outermost group: links of the next order, as refiner numbers them
}

func newPlanner(n *node, rng *rand.Rand, tight bool) *planner {
	p := &planner{n: n, pairs: newPairs(n), matcher: newMatcher(n, rng, tight)}
	for _, c := range n.children {
		p.inner = append(p.inner, newFiller(c, rng, tight))
	}
	return p
}

func (p *planner) left() leftover {
	return leftover{p.pairs.total, p.pairs.total}.plus(p.inside)
}

func (p *planner) askAll() {
	p.pairs.fill()
	p.inside = leftover{}
	for _, f := range p.inner {
		f.askAll()
		p.inside = p.inside.plus(f.left())
	}
}

func (p *planner) ask(x, y int, urgent bool) {
	a, b := p.pairs.child[x-p.n.lo], p.pairs.child[y-p.n.lo]
	if a == b {
		before := p.inner[a].left()
		p.inner[a].ask(x, y, urgent)
		p.inside = p.inside.plus(p.inner[a].left().minus(before))
		return
	}
	p.pairs.add(x, y)
	if urgent {
		if p.urgent == nil {
			p.urgent = newPairs(p.n)
		}
		p.urgent.add(x, y)
	}
}

// askFirst wants every test that can be first in an order to be first once.
func (p *planner) askFirst() {
	p.notYet = make([]bool, p.n.size())
	for _, x := range p.n.firsts {
		p.notYet[x-p.n.lo] = true
	}
	p.waiting = len(p.n.firsts)
}

func (p *planner) cover(x, y int) {
	a, b := p.pairs.child[x-p.n.lo], p.pairs.child[y-p.n.lo]
	if a == b {
		before := p.inner[a].left()
		p.inner[a].cover(x, y)
		p.inside = p.inside.plus(p.inner[a].left().minus(before))
		return
	}
	p.pairs.remove(x, y)
	if p.urgent != nil {
		p.urgent.remove(x, y)
	}
}

// done records what an order covers.
func (p *planner) done(o []int) {
	for i := 1; i < len(o); i++ {
		p.cover(o[i-1], o[i])
	}
	if x := o[0] - p.n.lo; p.waiting > 0 && p.notYet[x] {
		p.notYet[x] = false
		p.waiting--
	}
}

func (p *planner) fill(out []int, first, last int) []int {
	m := p.matcher
	m.reset(first, last)
	for _, pair := range p.plan {
		if pair >= 0 {
			x, y := int(pair)/(p.n.size()+1), int(pair)%(p.n.size()+1)
			m.link(int(p.pairs.child[x]), int(p.pairs.child[y]), x, y)
		}
	}
	if p.urgent != nil {
		m.extend(p.urgent)
	}
	m.extend(p.pairs)
	if first < 0 && p.waiting > 0 {
		first = p.begin()
	}
	for _, c := range p.sequence(first, last) {
		out = p.inner[c].fill(out, m.entry[c], m.exit[c])
	}
	return out
}

// begin chooses a test that has not been first yet and can be, because its child begins a path.
func (p *planner) begin() int {
	m := p.matcher
	for c, n := range p.n.children {
		if m.prev[c] >= 0 || m.entry[c] >= 0 || p.n.fixed && c > 0 {
			continue
		}
		for _, x := range n.firsts {
			if p.notYet[x-p.n.lo] && !m.clash(x, m.exit[c]) {
				m.entry[c] = x
				return x
			}
		}
	}
	return -1
}

// sequence joins the paths to an order of the children.
func (p *planner) sequence(first, last int) []int {
	if p.n.fixed {
		return identity(len(p.n.children))
	}
	m := p.matcher
	starts, ends := -1, -1
	if first >= 0 {
		starts = int(p.pairs.child[first-p.n.lo])
	}
	if last >= 0 {
		ends = m.head[p.pairs.child[last-p.n.lo]]
	}
	out := make([]int, 0, len(p.n.children))
	path := func(c int) {
		for ; c >= 0; c = m.next[c] {
			out = append(out, c)
		}
	}
	if starts >= 0 {
		path(starts)
	}
	for c := range p.n.children {
		if m.prev[c] < 0 && c != starts && c != ends {
			path(c)
		}
	}
	if ends >= 0 && ends != starts {
		path(ends)
	}
	return out
}

// pairCover yields few orders in which every ordered pair of tests of different groups are
// neighbours; lowerBound says how few orders are possible. On request it also covers pairs of tests
// of one group, and every test as the first of an order. Promising pairs are covered first. It
// needs one bit of memory for each pair of tests. The technique is odfix's own.
func (t *tree) pairCover(o Options) iter.Seq[[]int] {
	only := t.root.only()
	switch {
	case only.flat() && (only == t.root || o.InGroup || o.EachFirst):
		return t.intraClass() // the square itself, in which each test is first once
	case only.flat():
		return func(yield func([]int) bool) { yield(identity(len(t.ids))) }
	}
	return func(yield func([]int) bool) {
		plan := t.refined(o)
		p := t.planner(o)
		for i := 0; i == 0 || p.waiting > 0 || p.left().apart > 0 || o.InGroup && p.left().all > 0; i++ {
			first, links := plan.order(i)
			p.plan = links
			if !yield(p.next(first)) {
				return
			}
		}
	}
}

// planner wants all that the options ask for.
func (t *tree) planner(o Options) *planner {
	p := newPlanner(t.root, rand.New(rand.NewPCG(o.Seed, 0)), true)
	p.askAll()
	for x, y := range t.coverable(o.Promising) {
		p.ask(x, y, true)
	}
	if o.EachFirst {
		p.askFirst()
	}
	return p
}

// next makes an order and records what it covers. first is its first test; -1 means any test.
func (p *planner) next(first int) []int {
	o := p.fill(make([]int, 0, p.n.size()), first, -1)
	p.done(o)
	return o
}
