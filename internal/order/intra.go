package order

import "iter"

// classOnly is Tuscan Class-Only (Wei et al., TACAS 2021; Li et al., ISSTA 2023, section 2.3). The
// outermost groups follow the rows of their square. Inside, each group keeps its own order. It
// covers every ordered pair of groups as neighbours.
func (t *tree) classOnly() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for i := range t.root.rows() {
			out := make([]int, 0, len(t.ids))
			for _, c := range t.root.row(i) {
				for x := t.root.children[c].lo; x < t.root.children[c].hi; x++ {
					out = append(out, x)
				}
			}
			if !yield(out) {
				return
			}
		}
	}
}

// intraClass is Tuscan Intra-Class (Li et al., section 3.1) at any depth. In the i-th order, the
// children of each group follow the i-th row of the group's own square. Shorter squares start
// again. It ends with the last row of the largest square. It covers every ordered pair of children
// of one group as neighbours, at every level that is not fixed: pairs of classes, and pairs of
// tests of one class.
func (t *tree) intraClass() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for i := range t.root.mostRows() {
			if !yield(t.root.appendRow(make([]int, 0, len(t.ids)), i)) {
				return
			}
		}
	}
}

// mostRows is the largest number of rows of any group.
func (n *node) mostRows() int {
	if n.leaf() {
		return 1
	}
	most := n.rows()
	if n.flat() {
		return most
	}
	for _, c := range n.children {
		most = max(most, c.mostRows())
	}
	return most
}

// appendRow appends the node's tests, with each group in its i-th row.
func (n *node) appendRow(out []int, i int) []int {
	if n.leaf() {
		return append(out, n.lo)
	}
	for _, c := range n.row(i) {
		out = n.children[c].appendRow(out, i)
	}
	return out
}
