package order

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// ErrEmpty means that the suite has no tests.
var ErrEmpty = errors.New("the suite holds no test")

// maxDepth limits how deeply groups may be nested.
const maxDepth = 1000

// tree is a suite with numbered tests. Tests are numbered in the suite's own order, but those of a
// group marked as TestsFirst before those of the groups in it. Each node holds the tests lo to hi-1.
type tree struct {
	root *node
	ids  []suite.TestID
}

type node struct {
	children []*node
	lo, hi   int
	fixed    bool
	square   *square // of the children; nil for a test
	firsts   []int   // the tests of the node that can run first in it
	lasts    []int   // the tests that can run last
}

func (n *node) leaf() bool { return n.children == nil }

func (n *node) size() int { return n.hi - n.lo }

// flat reports whether all children are tests.
func (n *node) flat() bool { return !n.leaf() && n.size() == len(n.children) }

// only returns the outermost group with more than one child.
func (n *node) only() *node {
	for len(n.children) == 1 && !n.flat() {
		n = n.children[0]
	}
	return n
}

// row returns the children in the order of row i; after the last row it starts again.
func (n *node) row(i int) []int {
	if n.fixed {
		return identity(len(n.children))
	}
	return n.square.row(i % n.square.rows)
}

// rows is the number of rows.
func (n *node) rows() int {
	if n.fixed {
		return 1
	}
	return n.square.rows
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// newTree checks a suite and numbers its tests. It leaves out groups without tests. fixedLevels are
// levels whose order is kept in addition to what the suite fixes; 0 is the order of the outermost
// groups.
func newTree(s *suite.Suite, fixedLevels []int) (*tree, error) {
	if s == nil || s.Root == nil {
		return nil, ErrEmpty
	}
	b := &builder{fixed: fixedLevels, seen: map[suite.TestID]bool{}, squares: map[int]*square{}, tree: &tree{}}
	root, err := b.build(s.Root, 0)
	switch {
	case err != nil:
		return nil, err
	case root == nil:
		return nil, ErrEmpty
	case len(b.tree.ids) > math.MaxInt32:
		return nil, fmt.Errorf("the suite holds %d tests, more than %d", len(b.tree.ids), math.MaxInt32)
	case root.leaf():
		root = b.group([]*node{root}, true)
	}
	b.tree.root = root
	return b.tree, nil
}

type builder struct {
	*tree
	fixed   []int
	seen    map[suite.TestID]bool
	squares map[int]*square
}

func (b *builder) build(n *suite.Node, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("groups are nested more than %d deep", maxDepth)
	}
	if n.Test != "" {
		return b.test(n)
	}
	fixed := n.Fixed || slices.Contains(b.fixed, depth)
	tests, groups := n.Parts()
	if len(tests) == 0 {
		return b.all(n, n.Children, depth, fixed)
	}
	first, err := b.all(n, tests, depth, fixed)
	if err != nil {
		return nil, err
	}
	rest, err := b.all(n, groups, depth, fixed)
	if err != nil || rest == nil {
		return first, err
	}
	return b.group([]*node{first, rest}, true), nil
}

// all returns a group of these children of n; nil if they hold no test.
func (b *builder) all(n *suite.Node, of []*suite.Node, depth int, fixed bool) (*node, error) {
	var children []*node
	for _, c := range of {
		if c == nil {
			return nil, fmt.Errorf("the group %q holds a null", n.Name)
		}
		child, err := b.build(c, depth+1)
		if err != nil {
			return nil, err
		}
		if child != nil {
			children = append(children, child)
		}
	}
	if len(children) == 0 {
		return nil, nil
	}
	return b.group(children, fixed), nil
}

func (b *builder) test(n *suite.Node) (*node, error) {
	if len(n.Children) > 0 {
		return nil, fmt.Errorf("%q is a test and a group at once: a node has either an id or children", n.Test)
	}
	if b.seen[n.Test] {
		return nil, fmt.Errorf("the test id %q occurs twice; ids must be different", n.Test)
	}
	b.seen[n.Test] = true
	at := len(b.ids)
	b.ids = append(b.ids, n.Test)
	return &node{lo: at, hi: at + 1, firsts: []int{at}, lasts: []int{at}}, nil
}

func (b *builder) group(children []*node, fixed bool) *node {
	g := &node{children: children, fixed: fixed, lo: children[0].lo, hi: children[len(children)-1].hi}
	if len(children) == 1 {
		g.fixed = true // there is only one order
	}
	if g.fixed {
		g.firsts, g.lasts = children[0].firsts, children[len(children)-1].lasts
	} else {
		for _, c := range children {
			g.firsts = append(g.firsts, c.firsts...)
			g.lasts = append(g.lasts, c.lasts...)
		}
	}
	g.square = b.squares[len(children)]
	if g.square == nil {
		g.square = newSquare(len(children))
		b.squares[len(children)] = g.square
	}
	return g
}

// order converts numbers to ids.
func (t *tree) order(numbers []int) suite.Order {
	o := make(suite.Order, len(numbers))
	for i, x := range numbers {
		o[i] = t.ids[x]
	}
	return o
}

// numbers maps ids to their numbers.
func (t *tree) numbers() map[suite.TestID]int {
	out := make(map[suite.TestID]int, len(t.ids))
	for i, id := range t.ids {
		out[id] = i
	}
	return out
}
