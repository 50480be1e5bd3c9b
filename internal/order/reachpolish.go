package order

import (
	"math/rand/v2"
	"slices"
)

// arrangement is an order as a tree: the order of the children of each group.
type arrangement struct {
	t        *tree
	children map[*node][]*node
	loose    []*node // groups that are not fixed, each once for every child but one
}

// arranged converts a valid order to an arrangement.
func (t *tree) arranged(o []int) *arrangement {
	at := make([]int, len(o))
	for i, x := range o {
		at[x] = i
	}
	a := &arrangement{t: t, children: map[*node][]*node{}}
	a.read(t.root, at)
	return a
}

// read returns the position at which the node begins.
func (a *arrangement) read(n *node, at []int) int {
	if n.leaf() {
		return at[n.lo]
	}
	begins := make(map[*node]int, len(n.children))
	first := len(at)
	for _, c := range n.children {
		begins[c] = a.read(c, at)
		first = min(first, begins[c])
	}
	in := slices.Clone(n.children)
	slices.SortFunc(in, func(x, y *node) int { return begins[x] - begins[y] })
	a.children[n] = in
	if !n.fixed {
		for range len(in) - 1 {
			a.loose = append(a.loose, n)
		}
	}
	return first
}

func (a *arrangement) order(out []int, n *node) []int {
	if n.leaf() {
		return append(out, n.lo)
	}
	for _, c := range a.children[n] {
		out = a.order(out, c)
	}
	return out
}

// move moves a random child to another position among its siblings, and returns a function that
// undoes this.
func (a *arrangement) move(rng *rand.Rand) (back func()) {
	n := a.loose[rng.IntN(len(a.loose))]
	in := a.children[n]
	from, to := rng.IntN(len(in)), rng.IntN(len(in)-1)
	if to >= from {
		to++
	}
	shift(in, from, to)
	return func() { shift(in, to, from) }
}

// shift moves one element, and the elements between by one position.
func shift(in []*node, from, to int) {
	x := in[from]
	if from < to {
		copy(in[from:], in[from+1:to+1])
	} else {
		copy(in[to+1:], in[to:from])
	}
	in[to] = x
}

// movesEach is the number of moves tried for each test.
const movesEach = 12

// polished improves an order by small moves, within bounded work. If the result reaches no further
// test, it returns the given order.
func (r *reacher) polished(o []int) []int {
	a := r.t.arranged(o)
	if len(a.loose) == 0 {
		return o
	}
	best, worth := o, r.worth(o)
	next := make([]int, 0, len(o))
	for range min(movesEach*len(o), r.ahead()) {
		back := a.move(r.rng)
		next = a.order(next[:0], r.t.root)
		if w := r.worth(next); w > worth {
			best, worth = slices.Clone(next), w
		} else {
			back()
		}
	}
	if !r.news(best) {
		return o
	}
	return best
}
