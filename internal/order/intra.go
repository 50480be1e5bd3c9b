package order

import (
	"iter"

	"github.com/odfix/odfix/internal/suite"
)

// IntraClassRows yields the tests of one class in the orders of its Tuscan
// square (see Tuscan), so that every test runs right before every other once.
// The list is taken as flat; a class whose order is fixed is the caller's to leave out.
func IntraClassRows(class suite.Order) iter.Seq[suite.Order] {
	return func(yield func(suite.Order) bool) {
		for row := range TuscanRows(len(class)) {
			o := make(suite.Order, len(row))
			for i, x := range row {
				o[i] = class[x]
			}
			if !yield(o) {
				return
			}
		}
	}
}

// classOnly is Tuscan Class-Only (Wei et al., TACAS 2021; Li et al., ISSTA
// 2023, section 2.3): the outermost groups in the rows of their square, each in
// its own order inside. Covers every ordered pair of groups as neighbours.
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

// intraClass is Tuscan Intra-Class (Li et al., section 3.1) at any depth: in
// the i-th order each group's children stand in the i-th row of the group's own
// square, counted round, until the largest square is through. Covers every
// ordered pair of children of one group as neighbours, at every level that is
// not fixed: pairs of classes, and pairs of tests of one class.
func (t *tree) intraClass() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for i := range t.root.mostRows() {
			if !yield(t.root.appendRow(make([]int, 0, len(t.ids)), i)) {
				return
			}
		}
	}
}

// mostRows is the largest number of arrangements of any group.
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

// appendRow appends the node's tests, each group in its i-th arrangement.
func (n *node) appendRow(out []int, i int) []int {
	if n.leaf() {
		return append(out, n.lo)
	}
	for _, c := range n.row(i) {
		out = n.children[c].appendRow(out, i)
	}
	return out
}
