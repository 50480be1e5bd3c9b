package order

import (
	"iter"
	"slices"
	"sort"

	"github.com/odfix/odfix/internal/suite"
)

// Pairs is a relation between tests: "b may behave differently directly after a". Tests that are
// not in the suite are skipped.
type Pairs = iter.Seq2[suite.TestID, suite.TestID]

// Touching pairs each of the tests with every other test of the suite, in both directions. Such
// pairs are tried first if these tests changed or failed.
func Touching(s *suite.Suite, tests ...suite.TestID) Pairs {
	return func(yield func(a, b suite.TestID) bool) {
		for _, t := range tests {
			for _, x := range s.Order() {
				if x != t && (!yield(x, t) || !yield(t, x)) {
					return
				}
			}
		}
	}
}

// childAt returns the index of the child that holds the test.
func (n *node) childAt(x int) int {
	return sort.Search(len(n.children), func(i int) bool { return n.children[i].hi > x })
}

// meet returns the innermost group that holds both tests, and the indexes of the children that hold
// them. The tests differ.
func (t *tree) meet(x, y int) (n *node, i, j int) {
	n = t.root
	for {
		i, j = n.childAt(x), n.childAt(y)
		if i != j {
			return n, i, j
		}
		n = n.children[i]
	}
}

// canFollow reports whether there is an order with y directly after x.
func (t *tree) canFollow(x, y int) bool {
	if x == y {
		return false
	}
	n, i, j := t.meet(x, y)
	if n.fixed && j != i+1 {
		return false
	}
	_, last := slices.BinarySearch(n.children[i].lasts, x)
	_, first := slices.BinarySearch(n.children[j].firsts, y)
	return last && first
}

// coverable yields the pairs of a relation that can be neighbours in an order, as numbers.
func (t *tree) coverable(rel Pairs) iter.Seq2[int, int] {
	return func(yield func(x, y int) bool) {
		if rel == nil {
			return
		}
		numbers := t.numbers()
		for a, b := range rel {
			x, ok := numbers[a]
			y, both := numbers[b]
			if ok && both && t.canFollow(x, y) && !yield(x, y) {
				return
			}
		}
	}
}
