package order

import (
	"iter"
	"slices"
)

// interClass is Tuscan Inter-Class (Li et al., ISSTA 2023, section 3.2) at any depth. It takes each
// pair of neighbouring groups in the rows of the outermost groups' square. For each arrangement of
// the second group, the first group goes through all of its arrangements. So every test of the
// first group comes directly before every test of the second group once. All other groups go
// through their rows meanwhile.
//
// It covers every ordered pair of tests of different groups as neighbours and every ordered pair of
// tests of one group. In a shallow suite it also covers every test as the first of an order. Nested
// groups get the same treatment, all at once, after the pairs of the outermost groups. Squares of
// three and five groups have rows that repeat a pair of groups; repeated pairs are skipped. So the
// number of orders is T² − Σnᵢ², or, with a single group, the number of that group.
func (t *tree) interClass() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		c := newCursor(t.root)
		for k := 0; ; k++ {
			if !yield(c.appendTo(make([]int, 0, len(t.ids)), k)) || !c.advance() {
				return
			}
		}
	}
}

// interCount is the number of orders that interClass yields.
func (n *node) interCount() int {
	return max(n.boundaries()+n.innerCount(), 1)
}

// shallow reports whether all children are tests or groups of tests.
func (n *node) shallow() bool {
	return !slices.ContainsFunc(n.children, func(c *node) bool { return !c.leaf() && !c.flat() })
}

// boundaries is the number of pairs of tests of different children that can be neighbours.
func (n *node) boundaries() int {
	if n.leaf() {
		return 0
	}
	sum, firsts, lasts := 0, 0, 0
	for i, c := range n.children {
		switch {
		case !n.fixed:
			sum -= len(c.firsts) * len(c.lasts)
			firsts, lasts = firsts+len(c.firsts), lasts+len(c.lasts)
		case i > 0:
			sum += len(n.children[i-1].lasts) * len(c.firsts)
		}
	}
	return sum + firsts*lasts
}

// innerCount is the number of orders that it takes, after the pairs of children, to cover the pairs
// inside the children. All children are covered at the same time.
func (n *node) innerCount() int {
	if n.flat() || n.leaf() {
		return 0
	}
	most := 0
	for i := range n.children {
		if n.open(i) {
			most = max(most, n.children[i].ownCount())
		}
	}
	return most
}

// ownCount is the number of orders that the group alone needs.
func (n *node) ownCount() int {
	if n.flat() {
		return n.rows()
	}
	return n.interCount()
}

// open reports whether pairs inside the i-th child are still uncovered after all pairs of children.
// They are covered if the child is flat and went through all of its rows. It did if it was on both
// sides of a pair, or if each side goes through all rows.
func (n *node) open(i int) bool {
	c := n.children[i]
	switch {
	case c.leaf():
		return false
	case !c.flat():
		return true
	case c.fixed, len(n.children) > 1 && !n.fixed:
		return false
	}
	left, right := i < len(n.children)-1, i > 0
	split := len(c.children) == 3 || len(c.children) == 5
	return !(left && right || (left || right) && !split)
}

// Three and five elements have no square. Such a group has two sets of n rows instead, one for when
// it is the first group of a pair and one for when it is the second. In each set every element is
// first once and last once. Both sets together contain every pair.
var (
	leftRows = map[int][][]int{
		3: {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}},
		5: {{0, 1, 4, 3, 2}, {1, 0, 4, 2, 3}, {2, 1, 3, 0, 4}, {3, 4, 1, 2, 0}, {4, 0, 3, 2, 1}},
	}
	rightRows = map[int][][]int{
		3: {{0, 2, 1}, {1, 0, 2}, {2, 1, 0}},
		5: {{0, 1, 2, 4, 3}, {1, 2, 0, 3, 4}, {2, 1, 4, 3, 0}, {3, 0, 1, 4, 2}, {4, 0, 2, 3, 1}},
	}
)

// sidedRows is the number of rows in which each child is last once (left) or first once (right).
func (n *node) sidedRows() int {
	if n.fixed {
		return 1
	}
	return len(n.children)
}

func (n *node) sidedRow(i int, left bool) []int {
	if n.fixed {
		return n.row(0)
	}
	table := rightRows
	if left {
		table = leftRows
	}
	if rows, ok := table[len(n.children)]; ok {
		return rows[i]
	}
	if n.square.rows == len(n.children) {
		return n.square.row(i)
	}
	// No square was found. Rotations bring each child to either end once.
	row := identity(len(n.children))
	return append(row[i:], row[:i]...)
}

// appendSided appends the node's tests in the i-th arrangement for the first (left) or the second
// group of a pair. i runs from 0 to the number of lasts (or firsts) and brings each of these tests
// to that end once. Groups away from that end are in row k.
func (n *node) appendSided(out []int, i, k int, left bool) []int {
	if n.leaf() {
		return append(out, n.lo)
	}
	for r := range n.sidedRows() {
		row := n.sidedRow(r, left)
		at := 0
		if left {
			at = len(row) - 1
		}
		end := n.children[row[at]]
		ways := len(end.firsts)
		if left {
			ways = len(end.lasts)
		}
		if i >= ways {
			i -= ways
			continue
		}
		for place, c := range row {
			if place == at {
				out = end.appendSided(out, i, k, left)
			} else {
				out = n.children[c].appendRow(out, k)
			}
		}
		return out
	}
	return out
}

// cursor is the position of interClass in one group.
type cursor struct {
	n        *node
	row      int
	perm     []int
	pos      int          // the pair is perm[pos], perm[pos+1]
	i, j     int          // their arrangements
	done     map[int]bool // pairs of children that are done; only used if rows repeat pairs
	inner    []*cursor    // of the open children, once all pairs are done
	innerRow int
	left     int // remaining orders of the inner part
}

func newCursor(n *node) *cursor {
	c := &cursor{n: n, perm: n.row(0)}
	if n.rows() > len(n.children) {
		c.done = map[int]bool{}
	}
	if n.boundaries() == 0 || len(n.children) < 2 {
		c.enter()
	}
	return c
}

// enter begins the inner part; it returns false if there is none.
func (c *cursor) enter() bool {
	c.left = c.n.innerCount()
	c.inner = make([]*cursor, len(c.n.children))
	for i, child := range c.n.children {
		if c.n.open(i) && !child.flat() {
			c.inner[i] = newCursor(child)
		}
	}
	c.innerRow, c.perm = 0, c.n.row(0)
	return c.left > 0
}

func (c *cursor) appendTo(out []int, k int) []int {
	for place, x := range c.perm {
		child := c.n.children[x]
		switch {
		case c.inner != nil && c.inner[x] != nil:
			out = c.inner[x].appendTo(out, k)
		case c.inner != nil:
			out = child.appendRow(out, c.innerRow)
		case place == c.pos:
			out = child.appendSided(out, c.i, k, true)
		case place == c.pos+1:
			out = child.appendSided(out, c.j, k, false)
		default:
			out = child.appendRow(out, k)
		}
	}
	return out
}

// advance goes to the next order; it returns false at the end.
func (c *cursor) advance() bool {
	if c.inner != nil {
		return c.advanceInner()
	}
	if c.i++; c.i < len(c.n.children[c.perm[c.pos]].lasts) {
		return true
	}
	c.i = 0
	if c.j++; c.j < len(c.n.children[c.perm[c.pos+1]].firsts) {
		return true
	}
	c.j = 0
	if c.done != nil {
		c.done[c.pair()] = true
	}
	for {
		if c.pos++; c.pos+1 >= len(c.perm) {
			c.pos = 0
			if c.row++; c.row >= c.n.rows() {
				return c.enter()
			}
			c.perm = c.n.row(c.row)
		}
		if !c.done[c.pair()] {
			return true
		}
	}
}

func (c *cursor) pair() int { return c.perm[c.pos]*len(c.perm) + c.perm[c.pos+1] }

func (c *cursor) advanceInner() bool {
	if c.left--; c.left <= 0 {
		return false
	}
	c.innerRow++
	c.perm = c.n.row(c.innerRow)
	for i, x := range c.inner {
		if x != nil && !x.advance() {
			c.inner[i] = newCursor(x.n)
		}
	}
	return true
}
