package order

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// Technique is a way to make orders.
type Technique string

// The techniques.
const (
	TechniqueOriginal   Technique = "original"    // the suite's own order
	TechniqueReverse    Technique = "reverse"     // the suite's own order, reversed
	TechniqueRandom     Technique = "random"      // shuffled at every level
	TechniqueAlone      Technique = "alone"       // each test by itself
	TechniqueEachFirst  Technique = "class-first" // each class moved to the front
	TechniqueClassOnly  Technique = "class-only"  // Tuscan Class-Only
	TechniqueIntraClass Technique = "intra-class" // Tuscan Intra-Class
	TechniqueInterClass Technique = "inter-class" // Tuscan Inter-Class
	TechniqueTarget     Technique = "target-pairs"
	TechniquePairCover  Technique = "pair-cover"
	TechniqueReach      Technique = "reach" // what tests leave reaches those that read it
)

// Techniques returns all techniques, simple ones first.
func Techniques() []Technique {
	return []Technique{
		TechniqueOriginal, TechniqueReverse, TechniqueRandom, TechniqueAlone, TechniqueEachFirst,
		TechniqueClassOnly, TechniqueIntraClass, TechniqueInterClass, TechniqueTarget, TechniquePairCover,
		TechniqueReach,
	}
}

// Options are the settings of the techniques.
type Options struct {
	Seed      uint64         // random, pair-cover
	Random    int            // how many random orders
	Pairs     Pairs          // target-pairs: what to cover
	Before    []Pairs        // target-pairs: parts of Pairs to cover first, one after the other
	Promising Pairs          // any technique: orders with most of these pairs come first
	Flows     iter.Seq[Flow] // reach: the state through which tests affect each other, the most promising first
	// Sparse makes reach leave tests out of an order that shows nothing new for them.
	Sparse bool
	// Settled reports whether a test needs no further orders of reach. It is called between orders.
	// nil means that no test is settled.
	Settled func(suite.TestID) bool
	// Failing returns the order in which a settled test failed, up to the test. Other tests may
	// fail because of the same state; sparse orders then look for them. It is called once for each
	// test. nil, or an order of one test, means that the order is not known.
	Failing   func(suite.TestID) suite.Order
	InGroup   bool // pair-cover: also the pairs of tests of one group
	EachFirst bool // pair-cover: also each test as the first of an order
	// Fixed are levels whose order is kept, in addition to what the suite marks as fixed: 0 is the
	// order of the outermost groups, 1 the order inside them, and so on.
	Fixed []int
}

// Schedule holds the orders of one technique for one suite.
type Schedule struct {
	Technique Technique
	// Guarantee names the kinds that all orders together cover completely.
	Guarantee []Kind
	// Exact is the number of orders if the suite's shape determines it, else -1.
	Exact int
	// Least is a lower bound for the number of orders that cover the same.
	Least int
	// Orders makes the orders one at a time, each in new memory. Each range over it makes them
	// anew.
	Orders iter.Seq[suite.Order]
}

// New checks a suite and prepares orders for it. Errors concern the suite or the options: an empty
// suite, repeated ids, or a technique that needs too much memory.
func New(s *suite.Suite, technique Technique, o Options) (*Schedule, error) {
	t, err := newTree(s, o.Fixed)
	if err != nil {
		return nil, err
	}
	if err := t.fits(technique); err != nil {
		return nil, err
	}
	c := &Schedule{Technique: technique, Exact: -1}
	numbers, err := t.plan(c, o)
	if err != nil {
		return nil, err
	}
	if o.Promising != nil && !slices.Contains([]Technique{TechniquePairCover, TechniqueAlone}, technique) {
		numbers = t.promisingFirst(numbers, o.Promising)
	}
	c.Orders = func(yield func(suite.Order) bool) {
		for x := range numbers {
			if !yield(t.order(x)) {
				return
			}
		}
	}
	if c.Exact >= 0 && c.Least == 0 {
		c.Least = c.Exact
	}
	return c, nil
}

// plan sets the guarantees of the technique and returns its orders.
func (t *tree) plan(c *Schedule, o Options) (iter.Seq[[]int], error) {
	r := t.root
	switch c.Technique {
	case TechniqueOriginal:
		c.Exact = 1
		return only(identity(len(t.ids))), nil
	case TechniqueReverse:
		c.Exact = 1
		return only(r.arrange(nil, backwards)), nil
	case TechniqueRandom:
		c.Exact = o.Random
		return t.random(o), nil
	case TechniqueAlone:
		c.Exact = len(t.ids)
		return t.alone(), nil
	case TechniqueEachFirst:
		if c.Exact = 1; !r.fixed {
			c.Exact = len(r.children)
		}
		return t.eachFirst(), nil
	case TechniqueClassOnly:
		c.Exact, c.Guarantee = r.rows(), []Kind{Groups}
		return t.classOnly(), nil
	case TechniqueIntraClass:
		c.Exact, c.Guarantee = r.mostRows(), []Kind{Groups, Siblings}
		return t.intraClass(), nil
	case TechniqueInterClass:
		c.Exact, c.Least, c.Guarantee = r.interCount(), r.leastFor(true, r.shallow()), []Kind{Groups, Siblings, Across, Within}
		if r.shallow() {
			c.Guarantee = append(c.Guarantee, First)
		}
		return t.interClass(), nil
	case TechniqueTarget:
		c.Guarantee = []Kind{Given}
		if o.Pairs == nil {
			return nil, fmt.Errorf("%s needs the pairs to cover", TechniqueTarget)
		}
		return t.targetPairs(o), nil
	case TechniquePairCover:
		return t.planCover(c, o), nil
	case TechniqueReach:
		if o.Flows == nil {
			return nil, fmt.Errorf("%s needs the state that tests leave to each other", TechniqueReach)
		}
		return t.reach(o), nil
	}
	return nil, fmt.Errorf("there is no technique %q; there are %s", c.Technique, list(Techniques()))
}

func (t *tree) planCover(c *Schedule, o Options) iter.Seq[[]int] {
	c.Guarantee = []Kind{Groups, Across}
	c.Least = t.root.leastFor(o.InGroup, o.EachFirst)
	if o.InGroup {
		c.Guarantee = append(c.Guarantee, Siblings, Within)
	}
	if o.EachFirst {
		c.Guarantee = append(c.Guarantee, First)
	}
	return t.pairCover(o)
}

// leastFor is a lower bound for the number of orders that cover pairs across groups, pairs in
// groups (inGroup), and each test as the first (eachFirst).
func (n *node) leastFor(inGroup, eachFirst bool) int {
	least := max(n.lowerBound(eachFirst), 1)
	if inGroup {
		for _, c := range n.children {
			if !c.leaf() {
				least = max(least, c.leastFor(true, false))
			}
		}
		if n.flat() {
			least = max(least, n.rows())
		}
	}
	return least
}

// maxMemory is the memory limit for a set of pairs, in bytes.
const maxMemory = 1 << 30

func (t *tree) fits(technique Technique) error {
	need := 0
	switch technique {
	case TechniquePairCover:
		if !t.root.only().flat() {
			need = t.root.memory()
		}
	case TechniqueTarget, TechniqueReach:
		need = 2 * t.root.memory()
	}
	if need > maxMemory {
		return fmt.Errorf("%s keeps a bit for each pair of tests: %d MiB for %d tests in %d groups, where %d MiB "+
			"is the most; use %s, or fewer tests at a time",
			technique, need>>20, len(t.ids), len(t.root.children), maxMemory>>20, TechniqueIntraClass)
	}
	return nil
}

func list[T ~string](of []T) string {
	var parts []string
	for _, x := range of {
		parts = append(parts, string(x))
	}
	return strings.Join(parts, ", ")
}

func only(o []int) iter.Seq[[]int] { return func(yield func([]int) bool) { yield(o) } }

func backwards(n int) []int {
	p := identity(n)
	slices.Reverse(p)
	return p
}

// arrange appends the tests with each group's children permuted.
func (n *node) arrange(out []int, permute func(int) []int) []int {
	if n.leaf() {
		return append(out, n.lo)
	}
	p := identity(len(n.children))
	if !n.fixed {
		p = permute(len(n.children))
	}
	for _, c := range p {
		out = n.children[c].arrange(out, permute)
	}
	return out
}

func (t *tree) random(o Options) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		rng := rand.New(rand.NewPCG(o.Seed, 0x6f64666978))
		for range o.Random {
			if !yield(t.root.arrange(nil, rng.Perm)) {
				return
			}
		}
	}
}

func (t *tree) alone() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for x := range t.ids {
			if !yield([]int{x}) {
				return
			}
		}
	}
}

// eachFirst yields the suite's own order, and then each other group moved to the front.
func (t *tree) eachFirst() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for i, c := range t.root.children {
			if i > 0 && t.root.fixed {
				return
			}
			o := make([]int, 0, len(t.ids))
			for x := c.lo; x < c.hi; x++ {
				o = append(o, x)
			}
			for x := range t.ids {
				if x < c.lo || x >= c.hi {
					o = append(o, x)
				}
			}
			if !yield(o) {
				return
			}
		}
	}
}
