package order

import "math/bits"

// pairs is a set of ordered pairs (x, y), "y directly after x", of tests of one group. It is stored
// as bits, together with the number of pairs by test and by child of the group.
type pairs struct {
	n        *node
	child    []int32 // test (from n.lo) -> child it belongs to
	stride   int     // words of 64 bits in a row
	words    []uint64
	out, in  []int32 // by test: pairs in which it is x, and in which it is y
	groupOut []int   // by child: the same
	groupIn  []int
	between  []int32 // children i and j: pairs from i to j, at i*children+j; nil for a flat group
	across   []int32 // the same, at j*children+i
	total    int
}

func newPairs(n *node) *pairs {
	size, k := n.size(), len(n.children)
	p := &pairs{
		n: n, child: make([]int32, size), stride: (size + 63) / 64,
		out: make([]int32, size), in: make([]int32, size), groupOut: make([]int, k), groupIn: make([]int, k),
	}
	p.words = make([]uint64, size*p.stride)
	for i, c := range n.children {
		for x := c.lo; x < c.hi; x++ {
			p.child[x-n.lo] = int32(i)
		}
	}
	if !n.flat() {
		p.between, p.across = make([]int32, k*k), make([]int32, k*k)
	}
	return p
}

// memory returns approximately how many bytes newPairs takes for a group.
func (n *node) memory() int {
	if n.leaf() {
		return 0
	}
	sum := n.size() * ((n.size() + 63) / 64) * 8
	if !n.flat() {
		sum += 8 * len(n.children) * len(n.children)
		for _, c := range n.children {
			sum += c.memory()
		}
	}
	return sum
}

// fill adds every pair of tests of different children that can be neighbours. It works row by row,
// because real suites have 10^8 pairs.
func (p *pairs) fill() {
	openers := make([]uint64, p.stride) // the tests that can be first of their child
	for _, c := range p.n.children {
		for _, y := range c.firsts {
			openers[(y-p.n.lo)>>6] |= 1 << ((y - p.n.lo) & 63)
		}
	}
	for i, a := range p.n.children {
		if p.n.fixed {
			if i > 0 {
				p.addAll(p.n.children[i-1], a)
			}
			continue
		}
		for _, x := range a.lasts {
			copy(p.words[(x-p.n.lo)*p.stride:], openers)
			for _, y := range a.firsts {
				w, b := p.at(x, y)
				*w &^= b
			}
		}
		for j, b := range p.n.children {
			if i != j {
				p.count(i, j, a.lasts, b.firsts)
			}
		}
	}
}

func (p *pairs) addAll(a, b *node) {
	for _, x := range a.lasts {
		for _, y := range b.firsts {
			p.add(x, y)
		}
	}
}

// count adds the number of pairs between the last tests of one child and the first tests of
// another. It adds the numbers by test once for each child.
func (p *pairs) count(i, j int, lasts, firsts []int) {
	n, k := len(lasts)*len(firsts), len(p.groupOut)
	p.groupOut[i] += n
	p.groupIn[j] += n
	p.total += n
	if p.between != nil {
		p.between[i*k+j], p.across[j*k+i] = int32(n), int32(n)
	}
	for _, x := range lasts {
		p.out[x-p.n.lo] += int32(len(firsts))
	}
	for _, y := range firsts {
		p.in[y-p.n.lo] += int32(len(lasts))
	}
}

func (p *pairs) at(x, y int) (word *uint64, bit uint64) {
	x, y = x-p.n.lo, y-p.n.lo
	return &p.words[x*p.stride+y>>6], 1 << (y & 63)
}

func (p *pairs) add(x, y int) {
	if w, b := p.at(x, y); *w&b == 0 {
		*w |= b
		p.change(x, y, 1)
	}
}

func (p *pairs) remove(x, y int) {
	if w, b := p.at(x, y); *w&b != 0 {
		*w &^= b
		p.change(x, y, -1)
	}
}

func (p *pairs) change(x, y, by int) {
	x, y = x-p.n.lo, y-p.n.lo
	a, b := int(p.child[x]), int(p.child[y])
	p.out[x] += int32(by)
	p.in[y] += int32(by)
	p.groupOut[a] += by
	p.groupIn[b] += by
	if p.between != nil {
		k := len(p.groupOut)
		p.between[a*k+b] += int32(by)
		p.across[b*k+a] += int32(by)
	}
	p.total += by
}

// after calls f for each y in [lo, hi) with (x, y) in the set, until f returns false.
func (p *pairs) after(x, lo, hi int, f func(y int) bool) {
	lo, hi = lo-p.n.lo, hi-p.n.lo
	row := p.words[(x-p.n.lo)*p.stride:]
	for w := lo >> 6; w<<6 < hi; w++ {
		word := row[w]
		if from := lo - w<<6; from > 0 {
			word &= ^uint64(0) << from
		}
		if to := hi - w<<6; to < 64 {
			word &= 1<<to - 1
		}
		for ; word != 0; word &= word - 1 {
			if !f(p.n.lo + w<<6 + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}
