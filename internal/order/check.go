package order

import (
	"fmt"

	"github.com/odfix/odfix/internal/suite"
)

// Kind is a kind of things that orders can cover.
type Kind string

// The kinds. Pairs that no order of the suite can contain are not counted.
const (
	Groups   Kind = "groups"   // ordered pairs of outermost groups, one directly after the other
	Siblings Kind = "siblings" // ordered pairs of children of one group, one directly after the other, at every level
	Across   Kind = "across"   // ordered pairs of tests of different outermost groups, directly after each other
	Within   Kind = "within"   // ordered pairs of tests of one outermost group, directly after each other
	Given    Kind = "given"    // the pairs of Options.Pairs
	First    Kind = "first"    // tests as the first test of an order
)

// Share is how many things of a kind were covered.
type Share struct {
	Covered int `json:"covered"`
	Of      int `json:"of"`
}

// Whole reports whether all of them were covered.
func (s Share) Whole() bool { return s.Covered == s.Of }

// Checker counts what orders cover. The orders may come from anywhere. It shares only the reading
// of the suite with the code that makes orders.
type Checker struct {
	t       *tree
	numbers map[suite.TestID]int
	rows    [][]uint64 // pairs of tests seen so far; nil if they are not counted
	groups  map[*node][]uint64
	given   map[[2]int32]bool // true once seen
	first   []bool
	covered map[Kind]int
	of      map[Kind]int
	orders  int
}

// NewChecker counts the given kinds only, because pairs of tests need one bit each.
func NewChecker(s *suite.Suite, o Options, kinds ...Kind) (*Checker, error) {
	t, err := newTree(s, o.Fixed)
	if err != nil {
		return nil, err
	}
	c := &Checker{t: t, numbers: t.numbers(), groups: map[*node][]uint64{}, covered: map[Kind]int{}, of: map[Kind]int{}}
	for _, k := range kinds {
		c.of[k] = 0
		switch k {
		case Across, Within:
			c.rows = make([][]uint64, len(t.ids))
			if need := len(t.ids) * len(t.ids) / 8; need > maxMemory {
				return nil, fmt.Errorf("checking pairs of %d tests takes %d MiB, more than %d; check fewer tests at a time",
					len(t.ids), need>>20, maxMemory>>20)
			}
		case First:
			c.first = make([]bool, len(t.ids))
			c.of[First] = len(t.root.firsts)
		case Given:
			c.given = map[[2]int32]bool{}
			for x, y := range t.coverable(o.Pairs) {
				c.given[[2]int32{int32(x), int32(y)}] = false
			}
			c.of[Given] = len(c.given)
		}
	}
	c.measure(t.root)
	return c, nil
}

// measure counts the things that can be covered.
func (c *Checker) measure(n *node) {
	if n.leaf() {
		return
	}
	k := len(n.children)
	siblings := k * (k - 1)
	if n.fixed {
		siblings = k - 1
	}
	c.groups[n] = make([]uint64, (k*k+63)/64)
	kind := Within
	if n == c.t.root {
		kind = Across
		c.want(Groups, siblings)
	}
	c.want(Siblings, siblings)
	c.want(kind, n.boundaries())
	for _, child := range n.children {
		c.measure(child)
	}
}

func (c *Checker) want(k Kind, n int) {
	if _, ok := c.of[k]; ok {
		c.of[k] += n
	}
}

// Add counts what an order covers. It returns an error if the order is not an order of the suite: a
// test is missing, unknown or repeated, a group is interrupted, or a fixed group has another order.
func (c *Checker) Add(o suite.Order) error {
	c.orders++
	numbers := make([]int, len(o))
	for i, id := range o {
		x, ok := c.numbers[id]
		if !ok {
			return fmt.Errorf("order %d holds %q, which the suite does not", c.orders, id)
		}
		numbers[i] = x
	}
	if len(o) != len(c.t.ids) {
		return fmt.Errorf("order %d holds %d tests, the suite %d", c.orders, len(o), len(c.t.ids))
	}
	if err := c.walk(c.t.root, numbers); err != nil {
		return fmt.Errorf("order %d: %w", c.orders, err)
	}
	if x := numbers[0]; c.first != nil && !c.first[x] {
		c.first[x] = true
		c.covered[First]++
	}
	return nil
}

// walk checks that the tests are those of the node, and that the tests of each child are
// contiguous.
func (c *Checker) walk(n *node, o []int) error {
	if n.leaf() {
		return nil
	}
	before := -1
	seen := make([]bool, len(n.children))
	for at, place := 0, 0; at < len(o); place++ {
		i := n.childAt(o[at])
		if i >= len(n.children) || o[at] < n.lo {
			return fmt.Errorf("%q interrupts another group", c.t.ids[o[at]])
		}
		child := n.children[i]
		switch {
		case seen[i]:
			return fmt.Errorf("%q is repeated, or its group is interrupted", c.t.ids[o[at]])
		case n.fixed && i != place:
			return fmt.Errorf("%q comes at a place that the suite's fixed order does not allow", c.t.ids[o[at]])
		case at+child.size() > len(o):
			return fmt.Errorf("the group of %q is interrupted", c.t.ids[o[at]])
		}
		seen[i] = true
		part := o[at : at+child.size()]
		for _, x := range part {
			if x < child.lo || x >= child.hi {
				return fmt.Errorf("%q interrupts the group of %q", c.t.ids[x], c.t.ids[o[at]])
			}
		}
		if err := c.walk(child, part); err != nil {
			return err
		}
		if before >= 0 {
			c.note(n, before, i, o[at-1], o[at])
		}
		before, at = i, at+child.size()
	}
	return nil
}

// note records that y, of child j, comes directly after x, of child i.
func (c *Checker) note(n *node, i, j, x, y int) {
	if set(c.groups[n], i*len(n.children)+j) {
		c.covered[Siblings]++
		if n == c.t.root {
			c.covered[Groups]++
		}
	}
	if c.rows != nil {
		if c.rows[x] == nil {
			c.rows[x] = make([]uint64, (len(c.rows)+63)/64)
		}
		if set(c.rows[x], y) {
			kind := Within
			if n == c.t.root {
				kind = Across
			}
			c.covered[kind]++
		}
	}
	key := [2]int32{int32(x), int32(y)}
	if seen, ok := c.given[key]; ok && !seen {
		c.given[key] = true
		c.covered[Given]++
	}
}

// set sets a bit and reports whether it was clear.
func set(words []uint64, i int) bool {
	w, b := &words[i>>6], uint64(1)<<(i&63)
	if *w&b != 0 {
		return false
	}
	*w |= b
	return true
}

// Coverage returns what the orders so far cover, for each kind that is counted.
func (c *Checker) Coverage() map[Kind]Share {
	out := map[Kind]Share{}
	for k, n := range c.of {
		out[k] = Share{Covered: c.covered[k], Of: n}
	}
	return out
}
